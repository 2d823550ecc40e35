/* SPDX-License-Identifier: MIT */
#ifndef UAT_ASLR_H
#define UAT_ASLR_H

/*
 * Turn off address-space randomisation, so that code and data have the same addresses in all workers. If randomisation
 * is on, this re-executes the program with the folders of its libraries (library_path.h) and does not return. If the
 * kernel forbids that (as Docker's default seccomp filter does), this does nothing. In that case the comparison of the
 * workers' layouts decides whether the job can start.
 */
void uat_aslr_off(void);

/* Is address-space randomisation off? */
int uat_aslr_is_off(void);

#endif
