/* SPDX-License-Identifier: MIT */
/* Tasks that start without a spawner: the root of a run, and data-flow tasks. */
#ifndef UAT_ALONE_H
#define UAT_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/uat.h"

/* A task that is about to start here. */
struct uat_alone {
    uint64_t name; /* of a data-flow task's entry in the ledger; 0: the root */
    uat_fn *fn;
    const void *arg; /* outside of the uni-address region */
    size_t arg_size;
};

/* Bytes of the room for a result that such a task has if it is not the root, all 0 at its start. Nobody reads a result
 * there; runtime/flow/declare.c keeps a pointer. */
enum { UAT_ALONE_RESULT = 8 };

/* What runtime/flow/ gives the scheduler. Before that, the functions find nothing. */
struct uat_alone_source {
    /* Take a ready entry of this worker (own) or of another one (other). The region must be empty. */
    bool (*take_own)(struct uat_alone *task);
    bool (*take_other)(struct uat_alone *task);
    void (*ended)(uint64_t name); /* a task that was taken has ended, perhaps on another worker than it began */
    /* See uat_join_defer(). views: the list of views of reducers that the child has left, or 0. They are those of its
     * strand, which its spawner began. */
    void (*child_ended)(uint64_t name, uint64_t views);
    bool (*any)(void);   /* is an entry ready here? */
    bool (*takes)(void); /* may this worker take work of others? See uat_set_concurrency() */
};
extern struct uat_alone_source uat_alone_source __attribute__((visibility("hidden")));

#endif
