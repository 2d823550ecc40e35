/* SPDX-License-Identifier: MIT */
/*
 * The table of arrays: what each call that creates an array asked for, and which addresses the array got. A restarted
 * job makes the same calls and gets the same addresses, although sizes rounded to chunks depend on the number of
 * workers. A job without checkpoints keeps no table.
 */
#ifndef UAT_GLOBAL_TABLE_H
#define UAT_GLOBAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UAT_TABLE_PARTS = 0xff /* `distribution` of the parts that hold objects; `bytes`: the size of one part */ };

struct uat_table_entry {
    uint64_t bytes, block;
    uint32_t distribution;
    uint32_t shift; /* which shift the array's addresses have: place.c */
    uint64_t start; /* 0: the call failed */
    uint64_t chunk, granules;
};

/* uat_table_open() makes the job keep a table from this call on. uat_table_close() forgets the table. */
void uat_table_open(void);
bool uat_table_is_kept(void);
void uat_table_close(void);

/* Forget the calls that this job has made. A checkpoint's calls stay. */
void uat_table_reset(void);

/* The calls so far, for a checkpoint. */
const struct uat_table_entry *uat_table_entries(size_t *count);

/* Put the calls of a checkpoint into the empty table. main() will make these calls again. Every address is checked.
 * Returns whether the calls are sound. */
bool uat_table_restore(const struct uat_table_entry *entries, size_t count);

/* The number of calls of the checkpoint that have not been made again. */
size_t uat_table_missing(void);

/* Point *entry to the checkpoint's entry for the call that is being made, or set *entry to NULL if there is no such
 * entry. Returns 0, or -EINVAL if the call asks for something else. The result is the same on all workers. Rank 0
 * reports the error. */
int uat_table_next(const struct uat_table_entry *asked, const struct uat_table_entry **entry);

/* Note a call that has ended. made: what the call asked for, and what it got. */
void uat_table_note(const struct uat_table_entry *made);

#endif
