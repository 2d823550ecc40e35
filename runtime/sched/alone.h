/* SPDX-License-Identifier: MIT */
/* Tasks that start on the empty region, and not by a spawn: the root of a run, data-flow tasks, parts of adaptive
 * intervals, and parts of a team's loop. */
#ifndef UAT_ALONE_H
#define UAT_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat.h"

/* The name of an adaptive part. No entry of a flow has this name. */
#define UAT_ALONE_PART UINT64_MAX

/* A task that is about to start here. */
struct uat_alone {
    uint64_t name; /* name of a data-flow task's entry in the ledger; 0: the root; or UAT_ALONE_PART. With a group: the
                    * join record of the group or of a batch of its children */
    uat_task_t *group; /* the handle of the group whose child the task is; NULL: the task has no spawner */
    uint32_t index; /* in the group; if `name` is that of a batch (J5): the number of the batch's children, whose views
                        * each of them leaves itself */
    uat_fn *fn;
    const void *arg; /* outside of the uni-address region */
    size_t arg_size;
};

/* Bytes for the result of a task without a spawner, unless the task is the root. The bytes are all 0 when the task
 * starts. Nobody reads a result from them; runtime/flow/declare.c keeps a pointer in them. */
enum { UAT_ALONE_RESULT = 8 };

/*
 * What a room above the scheduler can give an idle worker to do: `work` of struct uat_room. Each member may be NULL.
 * The scheduler asks the rooms in the order of their table.
 */
struct uat_work {
    /* Take a ready entry: take_own() of this worker, take_other() of another worker. The region must be empty. Before
     * take_other() has the entry, it calls uat_notice_begin(). Returns false if there is none. */
    bool (*take_own)(struct uat_alone *task);
    bool (*take_other)(struct uat_alone *task);
    /* Called when a taken task has ended, perhaps on another worker than the one where it began. Returns false if the
     * name is not one of this room's. */
    bool (*ended)(uint64_t name);
    /* See uat_join_defer(). views: the list of reducers' views that the child has left, or 0. The child's spawner began
     * the strand of these views, and the child continued it. Only one room has this member. */
    void (*child_ended)(uint64_t name, uint64_t views);
    bool (*any)(void); /* is an entry ready here? */
    /* Let other workers reach as many ready entries as possible. NULL: this worker alone may begin entries that
     * take_own() returns, so it must take them also when it leaves the crew. */
    void (*offer)(void);
    int (*active)(void); /* only the workers of lower ranks may take work from others: see uat_concurrency_set() */
};

/* Note which rooms have work. Until then no room has any. */
void uat_alone_open(void);

/* Ask the rooms in turn. uat_alone_any(): does any room have a ready entry? uat_alone_active(): the lowest limit of any
 * room, or the number of workers. uat_alone_takes(): is this worker below the limit, and in the crew? */
bool uat_alone_take_own(struct uat_alone *task);
bool uat_alone_take_other(struct uat_alone *task);
bool uat_alone_any(void);
int uat_alone_active(void);
bool uat_alone_takes(void);
/* For a worker that is out of the crew: take an entry that no other worker may take; offer the others. */
bool uat_alone_take_bound(struct uat_alone *task);
void uat_alone_offer(void);
void uat_alone_ended(uint64_t name);
void uat_alone_child_ended(uint64_t name, uint64_t views);

#endif
