/* SPDX-License-Identifier: MIT */
/*
 * A team: all workers run one loop, each its own part of the iterations, as OpenMP's static schedule does. A loop that
 * only splits on demand needs a chain of random steals until the last worker has work, and then a chain of joins.
 *
 * The loop's task (the root) puts the loop on its worker's board, rings every worker's bell by one WRITE, and waits. An
 * idle worker whose bell has rung claims its own part and starts it. A part is a loop that splits on demand, so idle
 * workers still steal from it. The root's worker runs the parts of busy workers. Part r of a loop is what rank r keeps
 * of the array that the loop names, or the r-th of equal shares. So a loop that runs again gives each worker the same
 * iterations. Related: Shiina and Taura, "Almost deterministic work stealing", SC'19; affinity_partitioner of oneTBB.
 *
 * To the join, parts are children of a group of the root, which have parted from it: J4 of runtime/segment/record.h.
 * So the root waits, and resumes on any worker, as any joiner does, also across a checkpoint. The parts' views of
 * reducers are combined in the order of the parts (V3, V4). The failure of a part travels as a view, too.
 */
#ifndef UAT_TEAM_H
#define UAT_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sched/alone.h"
#include "runtime/segment/room.h"
#include "runtime/team/board.h"

/* A loop for a team. */
struct uat_team_loop {
    uat_team_fn *run;
    const void *body;   /* of the user; loops with the same body are expected to take the same time */
    void *block;        /* argument of `run`, which the workers get a copy of; it holds no pointers into a stack */
    size_t bytes;       /* of the block */
    size_t value_size;  /* bytes of a part's value, or 0 */
    const void *starts; /* NULL; or the values with which the parts start, in their order, uat_round8(value_size) bytes
                         * apart. In that case nothing is combined */
    int64_t begin, end, grain;
    const void *array; /* element 0 of the array that the loop names, or NULL. No team runs the loop unless each rank
                        * keeps one block of this array */
    size_t size;       /* bytes of an element */
};

/* Combines a part's value with *into, as the right operand. */
typedef void uat_team_combine_fn(void *block, void *into, const void *value);

/*
 * Run the loop by a team, and combine the values of the parts in order into *into. Returns false if no team runs it; in
 * that case nothing has happened, and the caller must run the loop. Call it in a task. If a part fails, the calling
 * task fails.
 */
bool uat_team_run(const struct uat_team_loop *loop, uat_team_combine_fn *combine, void *into);

/* Does this worker run the body of a part, as far as it knows? Loops that run in parts set it before each call of a
 * body. It is cleared when a part is looked for, and when a team has run a loop. A task that resumes after a wait may
 * see the value of another task: then a team is missed, or a team runs within a part, which is slower but right. */
extern bool uat_team_within __attribute__((visibility("hidden")));

/* `open`, `close`, `reset` and `work` of this room's descriptor: segment/room.h. uat_team_open() returns 0, or -ENOMEM,
 * which has been reported. */
int uat_team_open(const struct uat_room_job *job);
void uat_team_close(void);
void uat_team_reset(void);
extern const struct uat_work uat_team_work __attribute__((visibility("hidden")));

/* Is a team worth its cost for a loop? A guess from the loop's earlier runs on this worker. A wrong guess costs only
 * time. */

/* Should a team run `count` iterations of this body? */
bool uat_team_is_worth(const void *body, int64_t count);

/* A team has run `count` iterations in `ns` nanoseconds. */
void uat_team_took(const void *body, int64_t count, uint64_t ns);

/* The root's worker had to run a part of a busy worker. */
void uat_team_was_busy(const void *body);

/* Forget all loops. */
void uat_team_forget(void);

#endif
