/* SPDX-License-Identifier: MIT */
/*
 * Address-space randomisation is off in the workers of a job, so that code and data have the same addresses in all of
 * them. uatrun turns it off before it executes the program. Under another launcher the program executes itself a second
 * time, with the folders of its libraries (library_path.h):
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

#endif
