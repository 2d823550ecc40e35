/* SPDX-License-Identifier: MIT */
/*
 * Address-space randomisation is off in the workers of a job, so that code and data have the same addresses in all of
 * them. uatrun turns it off before it executes the program. Under another launcher the program executes itself a second
 * time, with the folders of its libraries (uat_library_path_set()):
 * - A constructor of this library does it if the program was linked with the library. The constructor runs before the
 *   program's own constructors and before main(), so nothing of the program runs twice.
 * - uat_init() does it in a program that has loaded the library later, such as an interpreter.
 * A job of one worker needs neither, unless it writes checkpoints. If the kernel forbids it (as Docker's default
 * seccomp filter does), randomisation stays on. In that case the comparison of the workers' layouts decides whether the
 * job can start.
 */
#ifndef UAT_ASLR_H
#define UAT_ASLR_H

#include <stdbool.h>

/* Must this process have the same addresses as others? True in a launcher's job, and if there may be checkpoints. */
bool uat_aslr_matters(void);

/* Turn randomisation off: if it is on, this executes the program again and does not return. It does so at most once in
 * a process: if randomisation is on again after that, this prints a warning and returns. */
void uat_aslr_off(void);

/* Is address-space randomisation off? */
bool uat_aslr_is_off(void);

/*
 * The folders in which the loader finds the shared libraries. The loader maps /etc/ld.so.cache before it maps the first
 * library that it finds through that cache. So the addresses of libraries depend on the number of pages of that file,
 * which differs between hosts. The loader does not open the file if LD_LIBRARY_PATH names the folders of all libraries.
 */

/*
 * Name the folders of all loaded libraries in LD_LIBRARY_PATH. A program calls this when it is about to execute itself
 * again. Changes nothing if the loader would find another file for one of these libraries in these folders. The new
 * execution restores the variable before main(), so that the variable does not affect programs that main() starts.
 */
void uat_library_path_set(void);

/* Restore the variable; does nothing if it was not set. The new execution calls this function before main(), and so
 * before the program can start another program. The old execution calls it if the new execution fails. */
void uat_library_path_restore(void);

/*
 * Is this library part of the program, or does the program or one of its libraries need it? Then the loader has loaded
 * it at the start. Otherwise it is needed by a plugin, or an interpreter has loaded it. If there are too many objects
 * to tell, this returns false.
 */
bool uat_linked(void);

#endif
