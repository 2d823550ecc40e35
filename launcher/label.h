/* SPDX-License-Identifier: MIT */
/* uatrun --label: passes on what the workers print, each line with the rank of its worker in front. */
#ifndef UAT_LAUNCHER_LABEL_H
#define UAT_LAUNCHER_LABEL_H

enum { UAT_LABEL_FILES = 2 /* descriptors for each worker */ };

/* Prepare for n workers, before the first one starts. 0 or a negative errno, reported. */
int uat_label_open(int n);

/* Make the pipes of a worker. It writes to *out and *err, which the caller closes. 0 or a negative errno, reported. */
int uat_label_add(int rank, int *out, int *err);

/* A descriptor that is readable whenever uat_label_pass() has something to do; -1 without --label. */
int uat_label_fd(void);

/* Pass on the whole lines that have arrived. Does not wait for more. */
void uat_label_pass(void);

/* After the last worker has ended: pass on the rest. An unfinished line gets an end. */
void uat_label_close(void);

#endif
