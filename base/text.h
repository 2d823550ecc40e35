/* SPDX-License-Identifier: MIT */
/* What reading settings needs of text: numbers, sizes, and how far two names are apart. */
#ifndef UAT_TEXT_H
#define UAT_TEXT_H

#include <stdint.h>

enum { UAT_NAME_MAX = 63 /* characters of a setting's name */ };

/* Digits, decimal or hexadecimal behind 0x, into *out; returns what follows them, or NULL. Octal would surprise. */
const char *uat_parse_digits(const char *text, uint64_t *out);

/* Insertions, deletions and changes of a character that lead from the name a to b, which has at most UAT_NAME_MAX
 * characters. */
int uat_edit_distance(const char *a, int a_length, const char *b);

#endif
