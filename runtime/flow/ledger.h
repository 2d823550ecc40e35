/* SPDX-License-Identifier: MIT */
/*
 * The words of a flow that peers reach: the entries of its ledger. An entry is a data-flow task that does not run in
 * place of its spawn. Entries lie in chunks, which are blocks of the evacuation heap.
 *
 *   F1  If a spawn returns with record 0, the spawned task has ended, and so have all tasks below that task. If the
 *       task parted, the task is in the map and in the ledger before the unroller's next spawn.
 *   F2  For conflicting tasks s < t, one of these holds: (a) s ended in place; (b) the unroller has seen s's mark; (c)
 *       t's registration found the end in s.open; (d) s.open counts t; (e) s.open counts an entry that waits for s, and
 *       t waits for that entry.
 *   F3  The worker where the task ended closes `open` once, after a RELEASE. next[0..k) is complete by then. The
 *       unroller WRITEs each place before its FETCH_ADD. The worker READs all places after its own FETCH_ADD.
 *   F4  `left` becomes 0 once. By then the unroller has added the number of registrations, each predecessor has
 *       subtracted 1, and the unroller has subtracted the number of predecessors that had ended before. Before the
 *       addition `left` is 0 or less. After the addition, `left` stays above 0 until the last subtraction. The worker
 *       whose atomic brings `left` to 0 makes the entry ready, once.
 *   F5  An entry is reused only after its mark holds the id of its last task. The worker that ends the entry WRITEs the
 *       mark when its READs of the entry are complete. Map lines name a task by its id. No other task of the flow has
 *       this id, so a line never mistakes a new use of an entry for an old one.
 *   F6  A body begins after an ACQUIRE that follows the last decrement. A body that runs in place begins after an
 *       ACQUIRE that follows the retirement of the last entry.
 *   F7  Tasks wait for earlier tasks only. So the oldest task that has not ended is ready or runs. No window leads to a
 *       deadlock.
 *
 * Model: tests/model/flow.pml.
 */
#ifndef UAT_FLOW_LEDGER_H
#define UAT_FLOW_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "include/uat/dataflow.h"
#include "runtime/sched/park.h"
#include "runtime/segment/heap.h"

enum {
    UAT_FLOW_NEXT = 16,                           /* successors of an entry */
    UAT_FLOW_CHUNK = 15,                          /* entries of a chunk */
    UAT_FLOW_ENTRY = 1024,                        /* bytes of an entry */
    UAT_FLOW_GUARDED = 16 + 8 * UAT_FLOW_ACCESSES /* bytes before the argument of a guarded task: guard.c */
};

/* What the worker that ends an entry READs. */
struct uat_flow_links {
    uint64_t id;                  /* unique in the flow: see F5 */
    uint64_t base;                /* value of `open` when this use of the entry began */
    uint64_t shared;              /* name of the flow's first chunk */
    uint64_t next[UAT_FLOW_NEXT]; /* names of the successors */
};

/* What the worker that starts an entry READs. An entry that only joins others has a waiter, or 0s, in place of the
 * body. */
struct uat_flow_body {
    uat_fn *fn;
    uint64_t size; /* bytes of the argument */
    uint64_t arg[(UAT_FLOW_ARGUMENT_MAX + UAT_FLOW_GUARDED) / 8];
};

/* A task that waits: its stack lies in the block `where`. */
struct uat_flow_waiter {
    uint64_t sp, base, where; /* where: 0 if no task waits */
};

struct uat_flow_entry {
    _Alignas(64) uint64_t left; /* atomics only; 0 before the entry's use and after it */
    uint64_t open;              /* atomics only; its difference from links.base is the number of registrations, plus
                                 * UAT_FLOW_ENDED after the end */
    _Alignas(64) struct uat_flow_links links;
    union {
        struct uat_flow_body body;
        struct uat_flow_waiter waiter;
    };
};
_Static_assert(sizeof(struct uat_flow_entry) <= UAT_FLOW_ENTRY, "entries lie UAT_FLOW_ENTRY bytes apart");

#define UAT_FLOW_ENDED (UINT64_C(1) << 32)

/* The head of a chunk. count, waiter and views are used in the flow's first chunk only. */
struct uat_flow_chunk {
    struct uat_parked block;       /* as in every block that holds no stack: only `returned` and `kind` are used */
    uint64_t mark[UAT_FLOW_CHUNK]; /* id of the last task that ended in entry i; see F5 */
    /* atomics only; entries that have ended, minus the entries that the unroller waited for */
    _Alignas(64) uint64_t count;
    struct uat_flow_waiter waiter; /* the unroller, valid while count is negative */
    /* the list of views that the parted child has left (runtime/task/views_left.h), or 0; valid once the child's end
     * is counted */
    uint64_t views;
};
_Static_assert(sizeof(struct uat_flow_chunk) <= UAT_FLOW_ENTRY, "entries begin there");

/* Bytes of a chunk. */
#define UAT_FLOW_CHUNK_BYTES ((size_t)(UAT_FLOW_CHUNK + 1) * UAT_FLOW_ENTRY)

/*
 * A name is (rank << 48) | address. The address of an entry is a multiple of 64, so its name has room for flags. The
 * lowest bit of the name says that the entry only joins others. The next bit says that a task waits for the entry. The
 * bits of UAT_FLOW_HOMES say on which host the entry should preferably run: see home.h.
 */
enum {
    UAT_FLOW_JOINS = 1,
    UAT_FLOW_WAKES = 2,
    UAT_FLOW_HOME_SHIFT = 2,
    UAT_FLOW_HOMES = 15 << UAT_FLOW_HOME_SHIFT,
    UAT_FLOW_KINDS = 63
};

#define UAT_FLOW_ADDRESS (((UINT64_C(1) << 48) - 1) & ~(uint64_t)UAT_FLOW_KINDS)
static inline int uat_flow_rank(uint64_t name)
{
    return (int)(name >> 48);
}
static inline void *uat_flow_address(uint64_t name)
{
    return (void *)(uintptr_t)(name & UAT_FLOW_ADDRESS);
}
/* Entry i of a chunk. */
static inline struct uat_flow_entry *uat_flow_entry_of(struct uat_flow_chunk *chunk, unsigned i)
{
    return (struct uat_flow_entry *)(void *)((char *)chunk + (size_t)(i + 1) * UAT_FLOW_ENTRY);
}

#endif
