/* SPDX-License-Identifier: MIT */
/* uatrun --label: what the workers print, line by line, each with the rank of its worker in front. */
#ifndef UAT_LAUNCHER_LABEL_H
#define UAT_LAUNCHER_LABEL_H

enum { UAT_LABEL_FILES = 2 /* descriptors for each worker */ };

/* Before the first worker starts, for n of them. 0 or a negative errno, reported. */
int uat_label_open(int n);

/* Make the pipes of a worker: *out and *err are what it writes to, the caller's to close. 0 or a negative errno,
 * reported. */
int uat_label_add(int rank, int *out, int *err);

/* Readable whenever uat_label_pass() has something to do; -1 without --label. */
int uat_label_fd(void);

/* Pass on the whole lines that have come. Does not wait for more. */
void uat_label_pass(void);

/* After the last worker: pass on the rest, an unfinished line with an end. */
void uat_label_close(void);

#endif
