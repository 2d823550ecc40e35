/* SPDX-License-Identifier: MIT */
/*
 * Ghosts: the ranks of a checkpoint that have no worker in the restarted job, because this job has fewer workers. Names
 * of join records and blocks are never rewritten, so a name may carry the rank of a ghost. Rank v's memory is kept by
 * worker v mod size, in an area of its segment. Nobody allocates in this area; peers only give records and blocks back.
 * So the area has only the front parts of a ghost's records and heap, as far as any rank of the checkpoint used them.
 * Adapters pin the whole area, and a heap is mostly empty. With the default settings, keeping all records and the whole
 * heap would cost 20 MB for each ghost.
 */
#ifndef UAT_GHOST_H
#define UAT_GHOST_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/colour.h"

/* The bytes at the front of the join records, and of the evacuation heap, that are in use. */
struct uat_used {
    uint64_t records, heap;
};

/* Count the bytes up to `end` as used. */
static inline void uat_used_raise(uint64_t *used, uint64_t end)
{
    if (*used < end)
        *used = end;
}

struct uat_ghosts {
    int size;               /* workers of this job; 0: there are no ghosts */
    int names;              /* ranks that names may carry: workers and ghosts */
    const uint8_t *colours; /* colours of all names, as in the job that wrote the checkpoint */
    uint64_t base;          /* where a worker of colour 0 has its join records */
    uint64_t heap;          /* bytes from a worker's join records to its evacuation heap */
    struct uat_used used;   /* what is kept of each ghost, in whole pages */
    uint64_t at;            /* where a worker keeps its ghosts: each ghost's used records, followed by that ghost's used
                             * heap */
};
extern struct uat_ghosts uat_ghosts __attribute__((visibility("hidden")));

static inline bool uat_ghosts_has(uint64_t rank)
{
    return __builtin_expect(uat_ghosts.size > 0, 0) && rank >= (uint64_t)uat_ghosts.size &&
           rank < (uint64_t)uat_ghosts.names;
}

/* The place of `address` of a rank: the worker that has it, and its address there. */
struct uat_located {
    int rank;
    uint64_t address;
};
struct uat_located uat_ghosts_locate(int rank, uint64_t address);

/* The offset of a ghost's address from the ghost's join records. */
uint64_t uat_ghosts_offset(int rank, uint64_t address);
static inline struct uat_located uat_locate(int rank, uint64_t address)
{
    return uat_ghosts_has((uint64_t)rank) ? uat_ghosts_locate(rank, address) : (struct uat_located){rank, address};
}

#endif
