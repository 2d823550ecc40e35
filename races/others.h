/* SPDX-License-Identifier: MIT */
/*
 * The earlier accesses of a cell, besides the last read and the last write, that may still race with a later access.
 * The list is complete: an access leaves it only if each later access that would race with it also races with another
 * one that stays. So a report never depends on room. A list of readers that all later strands see through the same join
 * is shortened to one of them, so a loop over n tasks that read a byte keeps O(depth) entries.
 */
#ifndef UAT_RACES_OTHERS_H
#define UAT_RACES_OTHERS_H

#include <stdbool.h>
#include <stdint.h>

enum uat_races_access {
    UAT_RACES_READ = 0,
    UAT_RACES_WRITE = 1,
    UAT_RACES_ATOMIC = 2 /* added to one of the others */
};

struct uat_races_entry {
    uint32_t strand, site; /* site: uat_races_short() */
    uint32_t access;       /* enum uat_races_access */
};

/* Does the access e race with this access of the running strand? */
bool uat_races_is_race(const struct uat_races_entry *e, unsigned access);

/* May e be forgotten, because e is ordered before `now` of the running strand, and each later access that races with e
 * also races with now? */
bool uat_races_is_covered(const struct uat_races_entry *e, const struct uat_races_entry *now);

/* *list: 0 is the empty list. */
void uat_races_others_add(uint32_t *list, const struct uat_races_entry *e);

/* Forget the entries that `now` covers. */
void uat_races_others_drop(uint32_t *list, const struct uat_races_entry *now);

uint32_t uat_races_others_copy(uint32_t list);

/* The entry after e (NULL: the first one) that matters to a write (all), or to a read (only writes). NULL: none. */
const struct uat_races_entry *uat_races_others_next(uint32_t list, const struct uat_races_entry *e, bool write);

#endif
