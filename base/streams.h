/* SPDX-License-Identifier: MIT */
#ifndef UAT_STREAMS_H
#define UAT_STREAMS_H

/*
 * Open closed standard streams (>&-) on /dev/null. Otherwise the next file opened would take the stream's number: what
 * the program prints would go to this file, such as the segment. Call this before the process opens any file. The
 * streams stay open across an exec. Returns 0 or a negative errno, which is not reported.
 */
int uat_streams_open(void);

#endif
