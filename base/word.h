/* SPDX-License-Identifier: MIT */
/*
 * Checks of words that peers write. The reader checks such a word before using it as an index, an address or a size.
 * The table in docs/security.md lists the words. If a word has a value that no worker writes, the job ends with a
 * message. The message has the same form for all words.
 */
#ifndef UAT_WORD_H
#define UAT_WORD_H

#include <stdint.h>

/* Report that the word `name` in the memory of worker `rank` (-1: this worker) has an impossible value. Returns
 * -EPROTO. */
int uat_word_report(int rank, const char *name, uint64_t value) __attribute__((cold));

/* uat_word_report(), then end the job. */
_Noreturn void uat_word_refuse(int rank, const char *name, uint64_t value) __attribute__((cold));

/* Set the function that ends the job after the report; NULL: abort(). */
void uat_word_set_end(void (*end)(void));

#endif
