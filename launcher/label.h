/* SPDX-License-Identifier: MIT */
/* uatrun --label: passes on the workers' output, with the worker's rank in front of each line. */
#ifndef UAT_LAUNCHER_LABEL_H
#define UAT_LAUNCHER_LABEL_H

enum { UAT_LABEL_FILES = 2 /* descriptors per worker */ };

/* Prepare for n workers. Call this before the first worker starts. Returns 0 or a negative errno after reporting the
 * error. */
int uat_label_open(int n);

/* Make the pipes of a worker. The worker writes to *out and *err. The caller must close them. Returns 0 or a negative
 * errno after reporting the error. */
int uat_label_add(int rank, int *out, int *err);

/* A descriptor that is readable whenever uat_label_pass() has something to do; -1 without --label. */
int uat_label_fd(void);

/* Pass on the whole lines that have arrived. Does not wait for more. */
void uat_label_pass(void);

/* Pass on the rest of the output, and add a missing newline. Call this after the last worker has ended. */
void uat_label_close(void);

#endif
