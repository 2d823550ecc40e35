/* SPDX-License-Identifier: MIT */
/*
 * The segment: all memory that peers reach, at one virtual address in every worker. In this order:
 *
 *   uni-address region: peers only READ it, except under the message protocol, which WRITEs what it gives
 *   control, result, ring, mailbox, ready tasks, transport's scratch, global words, join records, evacuation heap
 *   landing places, staging, staged result: no peer touches them
 *
 * Control, the rings, the mailbox, records and heap hold the words that adapters change. They lie a little behind the
 * begin of their room, by the worker's colour (transport/colour.h). Records and stacks are named by their addresses;
 * for the others uat_segment_of() says where a peer has them.
 *
 * The stacks grow down towards the guard below the segment. It is not part of the segment, so it is neither registered
 * nor backed by memory, and can be larger than any usual frame.
 */
#ifndef UAT_SEGMENT_H
#define UAT_SEGMENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/options.h"
#include "deque/mailbox.h"
#include "deque/ready.h"
#include "deque/ring.h"
#include "deque/thief.h"
#include "include/uat.h"
#include "transport/colour.h"

enum {
    UAT_PARK_KINDS_MAX = 16,
    UAT_HELD_MAX = 16, /* objects whose guards are held at once */
    UAT_BARRIER_ROUNDS = 24,
    UAT_GUARD_MIN = 64 << 10,
    UAT_GUARD_MAX = 1 << 30 /* bytes */,
    UAT_GLOBAL_WORDS_SIZE = 1024
};

/* What ends a run: the root's result on its way along the tree. */
struct uat_run_result {
    uint64_t origin; /* rank where the root ended, which is the root of the tree */
    uint64_t size;   /* bytes of the result, which lies in uat_segment.result */
};

/* What a worker tells its partner in a round of a barrier, or in a tree. */
struct uat_told {
    uint64_t call;  /* the collective call that it is in: runtime/watch/call.h */
    int64_t status; /* 0, or the lowest negative errno that it knows of */
    uint64_t word;  /* in a barrier: rank 0's, if the sender has heard of it */
};

/* Counters on their way up and down the tree of runtime/collective/tree.h. */
struct uat_share {
    struct uat_told told;
    uat_stats_t stats;
};

/* How the workers of a host find the memory of a replica: see runtime/replica.h. */
struct uat_replica_card {
    uint64_t fd, device, inode;
};

/* Words that workers exchange outside of steals and joins. */
struct uat_control {
    _Alignas(UAT_CACHE_LINE) uint64_t runs_ended; /* HCA atomics only: +1 by the tree's parent at each run's end */
    _Alignas(
        UAT_CACHE_LINE) uint64_t barrier[UAT_BARRIER_ROUNDS]; /* HCA atomics only: +1 by the partner of each round */
    /* HCA atomics only: +1 by the child of each number, +1 by the parent. */
    _Alignas(UAT_CACHE_LINE) uint64_t tree_up[UAT_BARRIER_ROUNDS];
    uint64_t tree_down;
    _Alignas(UAT_CACHE_LINE) struct uat_run_result
        run_result; /* WRITEs of the tree's parent, or the own CPU where the root ended */
    /* WRITEs of the partner of each round, by the barrier's parity: nobody is two barriers ahead of another one. */
    struct uat_told told[2][UAT_BARRIER_ROUNDS];
    struct uat_share share[UAT_BARRIER_ROUNDS]; /* WRITEs of the children in the tree */
    uat_stats_t total;                          /* WRITEs of the parent in the tree */
    struct uat_told told_down[2];               /* the same, by the parity of what comes down */
    uint64_t call;                        /* the own CPU only; READ by peers, with the next word, in uat_call_look() */
    uint64_t waiting;                     /* 1: in a barrier. The own CPU only */
    uint64_t shown;                       /* the own CPU only; READ by peers in uat_inspect_gather() */
    struct uat_replica_card replica_card; /* the own CPU only; READ by peers in uat_replicate() */
    struct uat_notice notice;           /* the own CPU only; READ by an owner that waits too long, and in a deadlock */
    uint64_t waits[UAT_PARK_KINDS_MAX]; /* the own CPU only; READ by rank 0 in a deadlock: tasks that wait, by kind */
    uint64_t clock;                     /* rank 0's own CPU only; READ by peers in uat_clock_compare() */
    _Alignas(UAT_CACHE_LINE) uint64_t clock_readers; /* HCA atomics only: +1 by each peer that has READ enough of it */
};

/* Sources and targets of the runtime's own operations. The own CPU and the own HCA only. */
struct uat_staging {
    uint64_t old; /* of an atomic */
    struct uat_replica_card replica_card;
    uint64_t word;
    uint64_t waiter[4]; /* struct uat_waiter */
    uint64_t intent[2]; /* of a thief: see struct uat_notice */
    uint64_t call[2];   /* of a peer: struct uat_control.call and waiting */
    struct uat_told told;
    uint64_t waits[UAT_PARK_KINDS_MAX];
    _Alignas(64) uint64_t object[8];               /* the words of an object whose guard is held */
    _Alignas(64) uint64_t select[UAT_HELD_MAX][8]; /* likewise, of several */
    uint64_t waking[5];                            /* of a waiter's header */
    uint64_t ticket[4];                            /* of a select that waits */
    struct uat_share share;
};

/* Where each part lies. Constant from uat_segment_open() to uat_segment_close(). */
struct uat_segment {
    char *start;
    size_t size;   /* bytes */
    size_t closed; /* of them the last, which no peer touches */
    int fd;
    off_t offset;      /* of the segment in the memory object; 0 but in a simulation */
    size_t result_max; /* bytes of the largest result of a task: UAT_RESULT_MAX */
    struct uat_control *control;
    void *result; /* result_max bytes: the root's result */
    struct uat_ring *ring;
    struct uat_landing *landing;
    struct uat_mailbox *mailbox;
    struct uat_ready_ring *ready;
    struct uat_ready_landing *ready_landing;
    void *scratch; /* the transport's */
    struct uat_staging *staging;
    void *staged_result; /* result_max bytes */
    void *global_words;  /* UAT_GLOBAL_WORDS_SIZE bytes: those of global/ */
    char *records;
    size_t record_stride;
    char *heap;
    size_t heap_size; /* bytes */
    char *guard;      /* below the segment: address space that traps, and costs no memory */
    size_t guard_size;
    uintptr_t low, high; /* the uni-address region [low, high) */
    int colour;          /* of this worker */
    uint8_t *colours;    /* of each worker, from uat_segment_set_colours() on */
};

extern struct uat_segment uat_segment __attribute__((visibility("hidden")));

/* Bytes of the uni-address region. */
static inline size_t uat_segment_region_size(void)
{
    return uat_segment.high - uat_segment.low;
}

/* The bytes of the segment that options describe; *closed: of them those that no peer touches. */
size_t uat_segment_measure(const struct uat_options *options, size_t *closed);

/* Map the segment that options describe, for a worker of this colour (0 to UAT_COLOURS - 1). 0, or -EEXIST (address
 * taken), -ENOMEM, -EINVAL, reported. */
int uat_segment_open(const struct uat_options *options, int colour);

/* The colours of all workers; becomes the segment's, which frees it. */
void uat_segment_set_colours(uint8_t *colours);

/* Where this rank has the object that this worker has here, in its control words. */
static inline void *uat_segment_of(int rank, const void *object)
{
    return uat_coloured(object, uat_segment.colours[rank] - uat_segment.colour);
}

void uat_segment_close(void);

/* Lowest address of the region that was ever written: the stacks' high-water mark. */
uintptr_t uat_segment_low_water(void);

#endif
