/* SPDX-License-Identifier: MIT */
/* Return addresses of the program as source lines, by addr2line of binutils. */
#ifndef UAT_RACES_LINES_H
#define UAT_RACES_LINES_H

#include <stdbool.h>
#include <stdint.h>

/* A return address in the program as 32 bits; 0: in no code of the program. */
uint32_t uat_races_short(uintptr_t site);

/* Look up n places at once, because a call of addr2line takes some 20 ms. */
void uat_races_lines_find(const uint32_t *site, int n);

/* "function at file:line", of the innermost inlined function that is the program's own. The text is never freed. */
const char *uat_races_line(uint32_t site);

/* Is the place in a loop or sort of the library? */
bool uat_races_line_is_inside(uint32_t site);

#endif
