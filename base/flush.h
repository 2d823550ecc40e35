/* SPDX-License-Identifier: MIT */
#ifndef UAT_FLUSH_H
#define UAT_FLUSH_H

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
