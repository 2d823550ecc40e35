/* SPDX-License-Identifier: MIT */
#ifndef UAT_ASLR_H
#define UAT_ASLR_H

/*
 * Make sure that this process runs without address-space randomisation, so that code and data lie at one address in
 * all workers:
 * re-executes the program if need be, and then does not return. Does nothing where the kernel forbids it (Docker's
 * default seccomp filter does): then the comparison of the workers' layouts decides.
 */
void uat_aslr_off(void);

/* Is it off? */
int uat_aslr_is_off(void);

#endif
