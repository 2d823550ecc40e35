/* SPDX-License-Identifier: MIT */
/*
 * Data-flow tasks: tasks that say which data they access. A task, the unroller, spawns a sequence of them into a flow.
 * The result in memory is that of running them one after the other, in the order of their spawns. Tasks without a
 * conflict may run at the same time.
 *
 *     UAT_FLOW_TASK(gemm, in, tile, a, in, tile, b, inout, tile, c)
 *     {
 *         for (...) c->at[i][j] -= a->at[i][k] * b->at[j][k];
 *     }
 *     ...
 *     uat_flow_t f;
 *     uat_flow_begin(&f);
 *     for (...) gemm_flow(&f, T(i, k), T(j, k), T(i, j));
 *     uat_flow_end(&f);
 *
 * Data. A datum is a range of global memory, named by its first byte, or a number (UAT_FLOW_NUMBER). Two accesses
 * conflict if they name the same datum, unless both have the same mode and this mode is UAT_FLOW_IN, UAT_FLOW_ANY or
 * UAT_FLOW_ADD. If two tasks of one flow conflict, the later one's body begins after the earlier one and all its
 * children have ended, and reads what they wrote. Ranges that overlap must be equal. Tasks of different flows are not
 * ordered.
 *
 * Rules
 *   - A flow lives in the frame of the task that begins it, which ends it by uat_flow_end() before it ends itself.
 *   - Only this task spawns into the flow and waits for it. The bodies may have flows of their own.
 *   - A body may spawn, join and wait, unless it has data checked out: see enum uat_flow_mode. It must not wait for a
 *     later task of its flow, nor for anything that its unroller does after the spawn.
 *   - Bodies get copies of their arguments. Data must lie in global memory, not in the unroller's frame.
 *
 * The design is after X-Kaapi (Danjean, Gautier, Laferriere 2009), with the modes of OpenMP 5's `depend`.
 * docs/dataflow.md says when to use it, how it works and what it costs.
 */
#ifndef UAT_DATAFLOW_H
#define UAT_DATAFLOW_H

#include "../uat.h"
#include "global.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * How a task accesses a datum. In all modes without UAT_FLOW_BELOW the datum's bytes are checked out for the body
 * (uat_global_checkout()), so the body must not spawn, join or wait. With UAT_FLOW_BELOW nothing is checked out: the
 * body gets the address itself, for the tasks that it spawns.
 */
enum uat_flow_mode {
    UAT_FLOW_IN = 1,    /* the bytes are read */
    UAT_FLOW_OUT = 2,   /* all of them are written; until then their content is undefined */
    UAT_FLOW_INOUT = 3, /* they are read, and any of them may be written */
    UAT_FLOW_ANY = 4,  /* as UAT_FLOW_INOUT; but consecutive tasks with this mode may run in any order, one at a time */
    UAT_FLOW_ADD = 5,  /* see below; without UAT_FLOW_BELOW */
    UAT_FLOW_BELOW = 8 /* added to one of the others */
};

/*
 * UAT_FLOW_ADD. The task adds to the datum, and does not read it otherwise. Consecutive tasks with this mode may run at
 * the same time. The body gets the datum itself, or room whose bytes are all 0. After the body, a function of this type
 * adds the room's content to the datum. So bytes of 0 must be the neutral element, and the result must not depend on
 * the order of the additions. A sum of floating-point numbers depends on it, by rounding errors, unless
 * uat_flow_keep_order() is called.
 */
typedef void uat_flow_add_fn(void *sum, const void *more);

/* The datum of this number (below 2^63), which has no bytes. */
#define UAT_FLOW_NUMBER(n) ((void *)((uintptr_t)(n) | (uintptr_t)1 << 63))

enum {
    UAT_FLOW_ACCESSES = 8,       /* most accesses of a task */
    UAT_FLOW_ARGUMENT_MAX = 704, /* most bytes of a task's arguments, accesses included */
    UAT_FLOW_WINDOW = 2048       /* tasks of a flow that are under way at a time, unless uat_flow_window() says so */
};

/* A flow. It goes where its task goes; a copy of it is not a flow. The fields belong to the library. */
typedef struct uat_flow {
    uat_task_t task; /* the child that is being spawned */
    uint64_t ledger; /* 0 while nothing of the flow is under way elsewhere */
    struct uat_flow *self;
    uint64_t window;
    uint64_t ordered; /* uat_flow_keep_order() was called */
} uat_flow_t;

/* Make an empty flow. Call it in a task, with a flow in the task's frame. A flow may be begun again after its end. */
void uat_flow_begin(uat_flow_t *flow);

/* Wait until all tasks of the flow have ended. The task may be on another worker then. */
static inline void uat_flow_end(uat_flow_t *flow);

/*
 * Wait until the task itself may access the datum. With UAT_FLOW_IN, all tasks that write it have ended then; with any
 * other mode, all that access it. p: the datum, as in the tasks' accesses.
 */
static inline void uat_flow_wait_for(uat_flow_t *flow, const void *p, enum uat_flow_mode mode);

/* Let at most n tasks of the flow be under way at a time (1 to UAT_FLOW_WINDOW); a spawn waits while there are more.
 * Call it after uat_flow_begin(), before the first spawn. */
void uat_flow_window(uat_flow_t *flow, size_t n);

/* Run tasks with UAT_FLOW_ANY and UAT_FLOW_ADD in the order of their spawns too, as with UAT_FLOW_INOUT. Two runs have
 * the same result then, to the last bit. Call it after uat_flow_begin(), before the first spawn. */
void uat_flow_keep_order(uat_flow_t *flow);

/* An access of uat_flow_spawn(). If rows is above 1, the datum consists of this number of rows of `bytes` bytes, which
 * are `pitch` bytes apart: a block of a matrix. Its name is still its first byte. */
typedef struct uat_flow_access {
    void *p;
    enum uat_flow_mode mode;
    uint32_t rows;        /* 0 is 1 */
    size_t bytes;         /* 0: the datum orders tasks, and nothing is checked out */
    size_t pitch;         /* bytes */
    uat_flow_add_fn *add; /* with UAT_FLOW_ADD, which takes one row */
} uat_flow_access_t;

/* Where a body finds the bytes of an access. */
typedef struct uat_flow_place {
    void *at;     /* NULL: the access has no bytes */
    size_t pitch; /* bytes from one row to the next; it may differ from the access's */
} uat_flow_place_t;

/* The body of a task that uat_flow_spawn() spawns. arg: the task's copy of the argument; place: one for each access. */
typedef void uat_flow_fn(void *arg, const uat_flow_place_t *place);

/*
 * Spawn a task whose data are known at run time only. fn is called with a copy of the argument (size bytes) and with
 * the places of the n accesses (at most UAT_FLOW_ACCESSES). Cannot fail: bad arguments end the job with a line.
 */
void uat_flow_spawn(uat_flow_t *flow, uat_flow_fn *fn, const void *arg, size_t size, const uat_flow_access_t *access,
                    size_t n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * UAT_FLOW_TASK(name, mode1, type1, arg1, ...) { body } defines a data-flow task with 1 to 8 triples, and with it
 *     void name_flow(uat_flow_t *, arg1, ...)     spawns it
 * Modes, what the body gets, and what name_flow() takes:
 *     value                     type arg           the same
 *     in                        const type *arg    the same: the address of the datum, an object of this type
 *     out, inout, any           type *arg          the same
 *     in_below, out_below, inout_below, any_below  as without _below; the body gets the address itself
 *     add                       type *arg          the address; void type_add(type *sum, const type *more) adds
 *     scratch                   type *arg          nothing: room for the body, content undefined
 */
#define UAT_FLOW_TASK(name, ...) UAT_CAT(UAT_FLOW_DECLARE_, UAT_FLOW_COUNT(__VA_ARGS__))(name, __VA_ARGS__)

#include "detail/dataflow.h"

#endif
