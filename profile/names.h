/* SPDX-License-Identifier: MIT */
/* The account of each kind of task, on this worker. A kind is a function together with the place of its spawn. */
#ifndef UAT_PROFILE_NAMES_H
#define UAT_PROFILE_NAMES_H

#include "profile/strand.h"

enum { UAT_NAMES_MAX = 1024 /* kinds that are told apart; a power of 2 */ };

struct uat_name {
    uint64_t key;                /* equal on all workers; 0: the row is free */
    uint64_t fn, site;           /* code addresses: the function, and the return address of its spawn */
    double count;                /* tasks that have ended */
    double own;                  /* ns of these tasks themselves */
    double work, span, burdened; /* sums over these tasks, descendants included */
    double waits, wait_ns;       /* joins and waits that left the processor, and their time */
    double far_calls, far_ns;    /* calls that reached for far memory, and their time */
    double near_bytes, cached_bytes, far_bytes;
    struct uat_profile_stretch longest;
};

extern struct uat_name uat_names[UAT_NAMES_MAX];

/* The key of a function spawned at this place. */
uint64_t uat_name_key(uint64_t fn, uint64_t site);

/* The row of a key; makes it. If the table is full, the row of the last key that got one. */
struct uat_name *uat_name_row(uint64_t key, uint64_t fn, uint64_t site);

/* The row of a key that has one; else a row that counts for all others. */
struct uat_name *uat_name_of(uint64_t key);

/* Add one worker's row to another's. */
void uat_name_add(struct uat_name *to, const struct uat_name *from);

#endif
