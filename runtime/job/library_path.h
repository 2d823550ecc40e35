/* SPDX-License-Identifier: MIT */
/*
 * The folders in which the loader finds the shared libraries. The loader maps /etc/ld.so.cache before it maps the first
 * library that it finds through that cache. So the addresses of libraries depend on the number of pages of that file,
 * which differs between hosts. The loader does not open the file if LD_LIBRARY_PATH names the folders of all libraries.
 */
#ifndef UAT_LIBRARY_PATH_H
#define UAT_LIBRARY_PATH_H

/*
 * Name the folders of all loaded libraries in LD_LIBRARY_PATH. A program calls this when it is about to execute itself
 * again. Changes nothing if the loader would find another file for one of these libraries in these folders. The new
 * execution restores the variable before main(), so that the variable does not affect programs that main() starts.
 */
void uat_library_path_set(void);

/* Restore the variable; does nothing if it was not set. The new execution calls this function before main(), and so
 * before the program can start another program. The old execution calls it if the new execution fails. */
void uat_library_path_restore(void);

#endif
