/* SPDX-License-Identifier: MIT */
/*
 * Join records: where a child and its spawner meet if they no longer share a process. A record lives on the worker that
 * published the spawner. Only that worker allocates and reuses it.
 *
 *   J1  Child and joiner each add 1 to `state` once per use, by HCA FETCH_ADD. `state` is never reset. The task that
 *       gets an even old value arrived first; the task that gets an odd old value arrived second. A child that has
 *       failed also adds UAT_RECORD_FAILED. The second to arrive subtracts this number before giving the record back
 *       (J2). The children of a group meet their spawner at `count` instead: see J4.
 *   J2  The second to arrive gives the record back after its READs of the record have completed.
 *   J3  The result begins a cache line of its own: its size varies, and every join uses the other words.
 *   J4  All children of a group that live apart from their spawner share one record. Each child adds 1 to `count` when
 *       it ends. The waiting spawner subtracts the number of these children once. All do so by HCA FETCH_ADD, and
 *       nothing else changes `count`. So `count` is 0 again after each use. The spawner arrived last if the old value
 *       that it gets is the number of these children. A child arrived last if the old value that it gets is -1. The
 *       record's name carries UAT_RECORD_GROUP, which tells a child to add to `count`.
 *   J5  The children of a group may count in batches, each of which has a record of its own on the worker of the
 *       group's record. The batch's name also carries UAT_RECORD_BATCH. Each child adds 1 to the batch's `count`. The
 *       last child gets the batch's size - 1 as the old value. It adds the size to the group's `count` as J4 says,
 *       and takes the size from the batch's `count`, which is 0 again before the batch's record is given back. The
 *       owner stores the name of the group's record in `waiter.block` of the batch before a child of the batch starts.
 */
#ifndef UAT_RECORD_H
#define UAT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/segment/ghost.h"
#include "runtime/segment/lent.h"

/* A child that has failed adds this number to `state`. The result in the record is then a struct uat_failure, whatever
 * the size of the task's own result. */
#define UAT_RECORD_FAILED (UINT64_C(1) << 62)

#define UAT_WAITER_FLOW (UINT64_C(1) << 32)

/* A joiner that waits: its stack [sp, base) is kept in `block` of rank's evacuation heap. */
struct uat_waiter {
    uint64_t rank; /* or UAT_WAITER_FLOW: nobody waits, and block names the child's entry in a flow's ledger */
    uint64_t block;
    uint64_t sp, base;
};

struct uat_record {
    _Alignas(64) uint64_t state;    /* HCA atomics only */
    uint64_t returned;              /* the owner sets it to 0 while the record is free; the second to arrive WRITEs 1 */
    uint64_t count;                 /* HCA atomics only; 0 unless a group or a batch uses the record (J4, J5) */
    struct uat_waiter waiter;       /* the joiner WRITEs it */
    uint64_t views;                 /* HCA atomics only; see V3 to V5 of runtime/task/views.h */
    _Alignas(64) uint64_t result[]; /* the child's worker WRITEs it */
};

/* A record's name, unique in the job; 0 names no record. Addresses have 47 bits, and the lowest 6 are 0. */
enum { UAT_RECORD_GROUP = 1, UAT_RECORD_BATCH = 2, UAT_RECORD_KINDS = UAT_RECORD_GROUP | UAT_RECORD_BATCH };
static inline uint64_t uat_record_name(int rank, const struct uat_record *record)
{
    return (uint64_t)rank << 48 | (uintptr_t)record;
}
/* The rank in the name: the worker or ghost that owns the record. */
static inline int uat_record_owner(uint64_t name)
{
    return (int)(name >> 48);
}
/* The place of the record: the worker that has it, and its address there. */
static inline struct uat_located uat_record_locate(uint64_t name)
{
    return uat_locate(uat_record_owner(name), name & ((UINT64_C(1) << 48) - 1) & ~(uint64_t)UAT_RECORD_KINDS);
}
static inline int uat_record_rank(uint64_t name)
{
    return uat_record_locate(name).rank;
}
static inline struct uat_record *uat_record_address(uint64_t name)
{
    return (struct uat_record *)uat_record_locate(name).address;
}

/* Bytes from one record to the next. */
size_t uat_record_stride(size_t result_max);

struct uat_record_pool {
    char *memory;
    size_t stride;
    uint32_t *free; /* stack of free records' numbers: used records lie above fresh ones */
    size_t free_count;
    uint32_t used; /* records with a lower number have been used */
    struct uat_lent lent;
    struct uat_record *spare; /* a freed record that is still listed as lent: a flat loop reuses it each time */
};

/* Open a pool of count records in memory, which is zeroed memory of the segment. Returns 0 or -ENOMEM. */
int uat_record_pool_open(struct uat_record_pool *pool, char *memory, size_t stride, size_t count);
void uat_record_pool_close(struct uat_record_pool *pool);

/* Free all records, whoever has them, and zero those that have been used. Afterwards the pool and its memory are as
 * after uat_record_pool_open(). */
void uat_record_pool_reset(struct uat_record_pool *pool);

/* The records of this worker. */
extern struct uat_record_pool uat_records __attribute__((visibility("hidden")));

/* Allocate a record for one meeting. NULL if all are in use. */
struct uat_record *uat_record_get(struct uat_record_pool *pool);

/* Take back every record that peers have returned. Returns how many are still lent. */
size_t uat_record_pool_settle(struct uat_record_pool *pool);

/* Take record `number`, which is lent according to a checkpoint, and list it as lent. Returns 0, or -EINVAL if it is
 * not free. */
int uat_record_take(struct uat_record_pool *pool, uint32_t number);

/* Free a record that no other worker has seen in this use. Called by the owner only. */
void uat_record_put(struct uat_record_pool *pool, struct uat_record *record);

#endif
