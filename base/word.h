/* SPDX-License-Identifier: MIT */
/*
 * Words that peers write. Each is checked where it is read, before it is used as an index, an address or a size: the
 * table in docs/security.md lists them. A value that no worker writes ends the job with one line, whose form is the
 * same for all words.
 */
#ifndef UAT_WORD_H
#define UAT_WORD_H

#include <stdint.h>

/* Report that the word of this name has an impossible value in the memory of this rank (-1: this worker). Returns
 * -EPROTO. */
int uat_word_report(int rank, const char *name, uint64_t value) __attribute__((cold));

/* uat_word_report(), then end the job. */
_Noreturn void uat_word_refuse(int rank, const char *name, uint64_t value) __attribute__((cold));

/* Set the function that ends the job after the line; NULL: abort(). */
void uat_word_set_end(void (*end)(void));

#endif
