/* SPDX-License-Identifier: MIT */
/* A small set of disjoint byte ranges. A range that is added extends a range that it adjoins. */
#ifndef UAT_RANGES_H
#define UAT_RANGES_H

#include <stdbool.h>
#include <stdint.h>

enum { UAT_RANGES_MAX = 64 };

struct uat_ranges {
    unsigned count;
    struct {
        uint64_t from, to;
    } range[UAT_RANGES_MAX];
};

/* Does any range of the set overlap [from, to)? */
bool uat_ranges_meet(const struct uat_ranges *set, uint64_t from, uint64_t to);

/* Add a range that overlaps no range of the set. Returns false if there is no room. */
bool uat_ranges_add(struct uat_ranges *set, uint64_t from, uint64_t to);

#endif
