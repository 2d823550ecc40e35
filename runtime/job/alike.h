/* SPDX-License-Identifier: MIT */
/*
 * Errors that several workers of a host report at the start. One of these workers prints its line, with the number of
 * the other workers.
 */
#ifndef UAT_ALIKE_H
#define UAT_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on, until uat_alike_close(), each uat_error() first checks whether other workers of this host report the
 * same error. Errors with the same format are the same. host: as in the log. workers: number of workers on this host;
 * if it is 1, this does nothing. Call it after uat_log_identity(), in a job that a launcher has started.
 */
void uat_alike_open(const char *host, int workers);
void uat_alike_close(void);

/*
 * Should this worker report this matter for its host? True for the first worker that asks, and for a worker that is
 * alone on its host. number: tells apart several matters that share a name. May be called after uat_alike_close(), too.
 */
bool uat_alike_speaks(const char *matter, uint64_t number);

#endif
