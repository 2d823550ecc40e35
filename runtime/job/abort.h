/* SPDX-License-Identifier: MIT */
/*
 * Bounds the time of an abort. The PMIx server answers an abort only after it has told the other servers. If the
 * network is cut, that may take minutes.
 */
#ifndef UAT_ABORT_H
#define UAT_ABORT_H

/* From now on the server has some seconds to answer. Then a handler of SIGALRM calls `unanswered`, unless it is NULL,
 * and ends this process with `status`. */
void uat_abort_bound(int status, void (*unanswered)(void));

/* The server has answered. */
void uat_abort_answered(void);

#endif
