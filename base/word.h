/* SPDX-License-Identifier: MIT */
/*
 * Words that peers write. Each is checked where it is read, before it is an index, an address or a size: the table in
 * docs/security.md lists them. A value that no worker writes ends the job with one line, which is the same for all words.
 */
#ifndef UAT_WORD_H
#define UAT_WORD_H

#include <stdint.h>

/* Report that the word of this name, in the memory of rank (-1: of this worker), has an impossible value. Returns -EPROTO. */
int uat_word_report(int rank, const char *name, uint64_t value) __attribute__((cold));

/* The same, and end the job. */
_Noreturn void uat_word_refuse(int rank, const char *name, uint64_t value) __attribute__((cold));

/* What ends the job after the line; NULL: abort(). */
void uat_word_set_end(void (*end)(void));

#endif
