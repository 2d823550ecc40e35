/* SPDX-License-Identifier: MIT */
/*
 * Errors of a start that several workers of a host meet alike: one of them prints its line, with the number of the
 * others.
 */
#ifndef UAT_ALIKE_H
#define UAT_ALIKE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on, until uat_alike_close(), each uat_error() first looks whether other workers of this host report the
 * same, which is an error of the same format. host: as in the log. workers: number of workers on this host; with one,
 * this does nothing. Call it after uat_log_identity(), in a job that a launcher has started.
 */
void uat_alike_open(const char *host, int workers);
void uat_alike_close(void);

/*
 * Does this worker speak for its host in this matter? True for the first worker that asks, and for each one if the job
 * has one worker on this host. number: tells matters of one name apart. Also after uat_alike_close().
 */
bool uat_alike_speaks(const char *matter, uint64_t number);

#endif
