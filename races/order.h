/* SPDX-License-Identifier: MIT */
/*
 * The order of strands. A strand is what a task does between two calls that order accesses: spawn, join, wait, the
 * calls of sync.h, and atomics. A strand is named by its task and an index, which grows at each such call. Each task
 * knows its spawner, the spawner's index at the spawn, and the spawner's index at the join. So the tree of tasks
 * answers which of two strands ends before the other begins, for joins in any order, and also for strands of the
 * past. The objects of sync.h, data of data-flow tasks and published atomics add edges: an object has a list of
 * strands that have released it, and a task that acquires the object appends this list to its own.
 *
 * The order is exact on one worker, where strands run one at a time: of two strands, the one that ran first is asked
 * about first. SP-bags (Feng, Leiserson 1997) are no alternative, since joins in the order of the spawns are not
 * series-parallel; MultiBags (Xu, Agrawal, Singer 2020) answer only for strands before the running one.
 */
#ifndef UAT_RACES_ORDER_H
#define UAT_RACES_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UAT_RACES_NEVER UINT32_MAX

enum uat_races_join_kind { UAT_RACES_BY_HANDLE, UAT_RACES_BY_GROUP, UAT_RACES_BY_FLOW };

struct uat_races_task {
    struct uat_races_task *parent, *jump; /* jump: an ancestor, such that ancestors are found in O(log depth) steps */
    uint32_t depth, spawned,
        joined;             /* the spawner's index then (of a part: when its interval was opened); or UAT_RACES_NEVER */
    uint32_t index, strand; /* of the running strand; strand: its number, 0 while it has none */
    uint32_t part;          /* number of calls so far that may have moved the task to another worker */
    uint32_t locks, acquired; /* the set of mutexes that it holds; the list of edges that it has acquired */
    uint32_t published;       /* the strand of its last uat_global_release(), or 0 */
    bool kept;                /* strands of this task or of its descendants have numbers */
    bool released;            /* this task or a descendant has released an object */
    bool ended;
    uint8_t kind;                         /* enum uat_races_join_kind */
    uintptr_t base;                       /* the task's frames are below this address */
    uintptr_t site;                       /* where it was spawned: a return address */
    const void *handle;                   /* that its spawner joins, or the group's or flow's */
    uintptr_t result, end;                /* the buffer of its result, until the join */
    struct uat_races_task *next;          /* the spawner's next older child; or the next unused task */
    struct uat_races_task *children;      /* that are not joined, newest first */
    uintptr_t low, high;                  /* bounds of all these children's results */
    struct uat_races_interval *intervals; /* of adaptive requests that are open, innermost first */
};

struct uat_races_strand {
    struct uat_races_task *task;
    uint32_t index, part, locks, acquired;
};

extern struct uat_races_task uat_races_outside;  /* the process outside of runs */
extern struct uat_races_task *uat_races_running; /* the running task, or &uat_races_outside */
extern struct uat_races_strand *uat_races_strands;
extern uint32_t uat_races_strand_count; /* number 0 is no strand */

void uat_races_order_open(void);

/* Memory that is never freed, and whose bytes are 0. */
void *uat_races_pool(size_t bytes);

/* A task that parent spawns now, at the return address `site`. */
struct uat_races_task *uat_races_task_new(struct uat_races_task *parent, uintptr_t site);

/* The running task `me` has joined its child c, which is no longer in the list of children. Frees c if nothing refers
 * to it. */
void uat_races_task_joined(struct uat_races_task *me, struct uat_races_task *c);

/* The number of the task's running strand. */
uint32_t uat_races_strand_of(struct uat_races_task *t);

/* The task has made a call that orders accesses. */
static inline void uat_races_next_strand(struct uat_races_task *t)
{
    t->index++;
    t->strand = 0;
}

/* The task makes a call that may move it to another worker, unless an exception unwinds its stack. */
void uat_races_next_part(struct uat_races_task *t);

/* A run starts: exceptions that unwind now are not the tasks'. */
void uat_races_run_starts(void);

/* Does strand x, which ran before, end before the running strand begins? */
bool uat_races_ordered(const struct uat_races_strand *x);

/* The edges of an object. A name is any number that is not 0. */
void uat_races_release(uint64_t name);
void uat_races_release_strand(uint64_t name, uint32_t strand);
void uat_races_acquire(uint64_t name);
/* The name is that of a new object from now on: it has no list, and another number. */
void uat_races_forget(uint64_t name);
/* A number that no other object has, nor an earlier one of this name. */
uint32_t uat_races_number_of(uint64_t name);

/*
 * Later accesses race with access x only if they race with y, or are ordered after y: then x may be forgotten. x and y
 * are strands that ran before, in tasks with the same key. The key of a strand: its task, or the nearest ancestor
 * through which alone its effects reach later strands. *index: that ancestor's index from which on it is ordered.
 */
const void *uat_races_key(const struct uat_races_strand *x, uint32_t *index);

/* Sets of mutexes, as numbers; 0 is the empty set. */
uint32_t uat_races_locks_add(uint32_t set, uint32_t mutex);
uint32_t uat_races_locks_remove(uint32_t set, uint32_t mutex);
bool uat_races_locks_meet(uint32_t a, uint32_t b);   /* is there a mutex in both? */
bool uat_races_locks_within(uint32_t a, uint32_t b); /* are all mutexes of a in b? */

#endif
