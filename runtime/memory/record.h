/* SPDX-License-Identifier: MIT */
/*
 * Join records: where a child and a spawner that no longer share a process meet. A record lives with the worker that
 * published the spawner, which is the only one to allocate and to reuse it.
 *
 *   J1  `state` is changed by HCA FETCH_ADD only, by each of the two once per use, and never reset: an even old value
 *       means the first to arrive, an odd one the second.
 *   J2  The second to arrive gives the record back, after its READs of it have completed.
 *   J3  Result, waiter and `returned` are on separate lines, since different peers WRITE them.
 */
#ifndef UAT_RECORD_H
#define UAT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/memory/loans.h"

/* Where the joiner waits: its stack [sp, base), kept in `block` of rank's evacuation heap. */
struct uat_waiter {
    uint64_t rank;
    uint64_t block;
    uint64_t sp, base;
};

struct uat_record {
    _Alignas(64) uint64_t state;    /* HCA atomics only */
    uint64_t returned;              /* 0 by the owner while it is free, 1 by a WRITE of the second to arrive */
    struct uat_waiter waiter;       /* WRITEs of the joiner */
    _Alignas(64) uint64_t result[]; /* WRITEs of the child's worker */
};

/* A record's name in the whole job: 0 is none. Addresses have 47 bits. */
static inline uint64_t uat_record_name(int rank, const struct uat_record *record)
{
    return (uint64_t)rank << 48 | (uintptr_t)record;
}
static inline int uat_record_rank(uint64_t name)
{
    return (int)(name >> 48);
}
static inline struct uat_record *uat_record_address(uint64_t name)
{
    return (struct uat_record *)(name & ((UINT64_C(1) << 48) - 1));
}

/* Bytes from one record to the next. */
size_t uat_record_stride(size_t result_max);

struct uat_record_pool {
    char *memory;
    size_t stride;
    uint32_t *free; /* numbers of the free ones: those that were used above those that were not */
    size_t free_count;
    uint32_t used; /* records with a lower number have been used */
    struct uat_loans loans;
    struct uat_record
        *spare; /* freed by uat_record_put(), still on the list of lent ones: a flat loop takes it repeatedly */
};

/* count records in memory (of the segment, all zero). 0 or -ENOMEM. */
int uat_record_pool_open(struct uat_record_pool *pool, char *memory, size_t stride, size_t count);
void uat_record_pool_close(struct uat_record_pool *pool);

/* The records of this worker. */
extern struct uat_record_pool uat_records __attribute__((visibility("hidden")));

/* A record for one meeting, or NULL if all are in use. */
struct uat_record *uat_record_get(struct uat_record_pool *pool);

/* Take back every record that peers have given back; how many are still out. */
size_t uat_record_pool_settle(struct uat_record_pool *pool);

/* Free a record that no other worker has seen in this use. Called by the owner only. */
void uat_record_put(struct uat_record_pool *pool, struct uat_record *record);

#endif
