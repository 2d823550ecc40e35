/* SPDX-License-Identifier: MIT */
/* Text functions for the settings: numbers, sizes, times, edit distance of names. */
#ifndef UAT_TEXT_H
#define UAT_TEXT_H

#include <stdint.h>

enum { UAT_NAME_MAX = 63 /* maximum number of characters in a setting's name */ };

/* Parse a size with an optional suffix k, K, m, M, g or G (powers of 1024). Returns 0, or -EINVAL with *out
 * unchanged. */
int uat_parse_size(const char *text, uint64_t *out);

/* Parse a time into ns. The text may have a suffix ns, us, ms, s or min. A number without a suffix counts units of
 * `unit` ns. Returns 0, or -EINVAL with *out unchanged. */
int uat_parse_time(const char *text, uint64_t unit, uint64_t *out);

/* The Levenshtein distance between the names a and b. `b` has at most UAT_NAME_MAX characters. */
int uat_edit_distance(const char *a, int a_length, const char *b);

#endif
