/* SPDX-License-Identifier: MIT */
/* Text functions for the settings: numbers, sizes, times, edit distance of names. */
#ifndef UAT_TEXT_H
#define UAT_TEXT_H

#include <stdint.h>

enum { UAT_NAME_MAX = 63 /* characters of a setting's name */ };

/* Parse a size with an optional suffix k, K, m, M, g or G (powers of 1024). 0 or -EINVAL. */
int uat_parse_size(const char *text, uint64_t *out);

/* Parse a time, with a suffix ns, us, ms, s or min, or of `unit` ns each without one, into ns. 0 or -EINVAL. */
int uat_parse_time(const char *text, uint64_t unit, uint64_t *out);

/* Digits, decimal or hexadecimal behind 0x, into *out; returns what follows them, or NULL. Octal is not accepted. */
const char *uat_parse_digits(const char *text, uint64_t *out);

/* Levenshtein distance between the names a and b; b has at most UAT_NAME_MAX characters. */
int uat_edit_distance(const char *a, int a_length, const char *b);

#endif
