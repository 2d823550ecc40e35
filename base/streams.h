/* SPDX-License-Identifier: MIT */
/* The streams of stdio at the start of a process, and at its end by an error. */
#ifndef UAT_STREAMS_H
#define UAT_STREAMS_H

/*
 * Open closed standard streams (>&-) on /dev/null. Otherwise the next file opened would take the stream's number: what
 * the program prints would go to this file, such as the segment. Call this before the process opens any file. The
 * streams stay open across an exec. Returns 0 or a negative errno, which is not reported.
 */
int uat_streams_open(void);

/*
 * Write what stdio has buffered, in a process that is about to end by an error and will not call exit(). Users search
 * for errors by printf(). The call takes a second at most: a stream may be locked by a thread that waits, and a pipe
 * may be full. Then SIGALRM ends the process, so report the error first.
 *
 * The handler of a fault may call this. The fault may have interrupted stdio itself. Stdio's locks are recursive, so
 * there is no deadlock; but the interrupted stream may lose or repeat its buffer. A second fault in this call ends the
 * process. A handler of a signal that another process has sent must not call this, because stdio's state would be lost
 * for no reason: it lets another thread call this.
 */
void uat_flush(void);

#endif
