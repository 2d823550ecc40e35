/* SPDX-License-Identifier: MIT */
/*
 * Data-flow tasks: tasks that declare which data they access. A task, the unroller, spawns a sequence of data-flow
 * tasks into a flow. Afterwards memory is as if the tasks had run one after the other, in the order of their spawns.
 * Tasks without a conflict may run at the same time.
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
 * UAT_FLOW_ADD. If two tasks of one flow conflict, the body of the later task begins when the earlier task and all its
 * children have ended. The body sees their writes. Ranges that overlap must be equal. Tasks of different flows are not
 * ordered.
 *
 * Rules
 *   - A flow must be in the frame of the task that begins it. This task must end the flow by uat_flow_end() before the
 *     task ends.
 *   - Only this task may spawn into the flow and wait for it. The bodies may have flows of their own.
 *   - A body may spawn, join and wait if it has no data checked out: see enum uat_flow_mode. It must not wait for a
 *     later task of its flow, nor for an event that its unroller causes after the spawn.
 *   - Bodies get copies of their arguments. Data must lie in global memory, not in the unroller's frame.
 *
 * The design follows X-Kaapi (Danjean, Gautier, Laferriere 2009), with the modes of OpenMP 5's `depend`.
 * docs/dataflow.md says when to use data-flow tasks, how they work and what they cost.
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
 * How a task accesses a datum. Without UAT_FLOW_BELOW the datum's bytes are checked out for the body
 * (uat_global_checkout()), so the body must not spawn, join or wait. With UAT_FLOW_BELOW they are not checked out: the
 * body gets the datum's global address, for the tasks that it spawns.
 */
enum uat_flow_mode {
    UAT_FLOW_IN = 1,    /* the bytes are read */
    UAT_FLOW_OUT = 2,   /* all bytes are written; until then their content is undefined */
    UAT_FLOW_INOUT = 3, /* the bytes are read, and any of them may be written */
    UAT_FLOW_ANY = 4,   /* like UAT_FLOW_INOUT, but consecutive tasks with this mode may run in any order, one at a
                        * time */
    UAT_FLOW_ADD = 5,   /* see below; cannot be combined with UAT_FLOW_BELOW */
    UAT_FLOW_BELOW = 8  /* added to another mode */
};

/*
 * UAT_FLOW_ADD. The task adds to the datum, and must not access it in another way. Consecutive tasks with this mode may
 * run at the same time. The body gets the datum itself, or a buffer whose bytes are all 0. After the body, a function
 * of this type adds the buffer's content to the datum. So a value whose bytes are all 0 must be the neutral element,
 * and the result must not depend on the order of the additions. Because of rounding errors, a sum of floating-point
 * numbers does depend on this order, unless uat_flow_keep_order() is called.
 */
typedef void uat_flow_add_fn(void *sum, const void *more);

/* The datum with number n, below 2^63. It has no bytes. */
#define UAT_FLOW_NUMBER(n) ((void *)((uintptr_t)(n) | (uintptr_t)1 << 63))

enum {
    UAT_FLOW_ACCESSES = 8,       /* maximum number of accesses of a task */
    UAT_FLOW_ARGUMENT_MAX = 704, /* maximum bytes of a task's arguments, accesses included */
    UAT_FLOW_WINDOW = 2048       /* maximum number of tasks of a flow that have been spawned and have not ended;
                                  * uat_flow_set_window() may lower it */
};

/* A flow. It moves with its task. It must not be copied. The fields belong to the library. */
typedef struct uat_flow {
    UAT_GROUP_HANDLE task; /* the child that is being spawned */
    uint64_t ledger;       /* names the flow's ledger; 0: there is none, because all tasks so far have run in place */
    struct uat_flow *self;
    uint64_t window;
    uint32_t ordered; /* uat_flow_keep_order() was called */
    uint32_t home;    /* the host that uat_flow_set_home() named; 0: each task's data decide */
} uat_flow_t;

/* Make an empty flow. Call it in a task, for a flow in the task's frame. A flow may be begun again after its end. */
void uat_flow_begin(uat_flow_t *flow);

/* Wait until all tasks of the flow have ended. After the call the calling task may be on another worker. */
UAT_INLINE void uat_flow_end(uat_flow_t *flow);

/*
 * Wait until the calling task itself may access the datum: with UAT_FLOW_IN, until all tasks that write it have ended;
 * with any other mode, until all tasks that access it have ended. p: the datum, as in the tasks' accesses.
 */
UAT_INLINE void uat_flow_wait_datum(uat_flow_t *flow, const void *p, enum uat_flow_mode mode);

/* Let at most n tasks of the flow (1 to UAT_FLOW_WINDOW) be under way, that is, spawned and not ended. While n tasks
 * are under way, a spawn waits. Call it after uat_flow_begin() and before the first spawn. */
void uat_flow_set_window(uat_flow_t *flow, size_t n);

/* Treat UAT_FLOW_ANY and UAT_FLOW_ADD as UAT_FLOW_INOUT: tasks with these modes, too, run in the order of their spawns.
 * Then two runs have the same result, to the last bit. Call it after uat_flow_begin() and before the first spawn. */
void uat_flow_keep_order(uat_flow_t *flow);

/*
 * Choose the host on which the tasks that are spawned from now on should run. If p is in global memory, the host is the
 * one that keeps the datum at p. If p is NULL, as after uat_flow_begin(), the host is the one that keeps the largest
 * datum that the task writes. UAT_FLOW_ANYWHERE names no host. The choice is only a preference among ready tasks: a
 * worker that finds no other task runs a task of another host. The result never depends on this choice. In a job of one
 * host the call has no effect.
 */
void uat_flow_set_home(uat_flow_t *flow, const void *p);
#define UAT_FLOW_ANYWHERE ((const void *)(uintptr_t)1)

/* An access of uat_flow_spawn(). If `rows` is above 1, the datum is a block of a matrix: `rows` rows of `bytes` bytes
 * each, whose starts are `pitch` bytes apart. Its first byte still names the datum. */
typedef struct uat_flow_access {
    void *p;
    enum uat_flow_mode mode;
    uint32_t rows;        /* 0 means 1 */
    size_t bytes;         /* 0: the datum only orders tasks, and no bytes are checked out */
    size_t pitch;         /* bytes */
    uat_flow_add_fn *add; /* for UAT_FLOW_ADD only; the datum must have one row */
} uat_flow_access_t;

/* Where a body finds the bytes of an access. */
typedef struct uat_flow_place {
    void *at;     /* NULL: the access has no bytes */
    size_t pitch; /* bytes from one row to the next; may differ from the pitch of the access */
} uat_flow_place_t;

/* The body of a task that uat_flow_spawn() spawns. arg: the task's copy of the argument; place: one for each access. */
typedef void uat_flow_fn(void *arg, const uat_flow_place_t *place);

/*
 * Spawn a task whose data are known only at run time. fn is called with a copy of the argument (size bytes) and with
 * the places of the n accesses (at most UAT_FLOW_ACCESSES). Cannot fail: invalid arguments end the job with a message.
 */
void uat_flow_spawn(uat_flow_t *flow, uat_flow_fn *fn, const void *arg, size_t size, const uat_flow_access_t *access,
                    size_t n);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * UAT_FLOW_TASK(name, mode1, type1, arg1, ...) { body } defines a data-flow task with 1 to 8 triples, and also
 *     void name_flow(uat_flow_t *, arg1, ...)     spawns it
 * For each mode, the table gives the body's parameter and the argument of name_flow():
 *     value                     type arg           the value
 *     in                        const type *arg    the address of the datum, an object of this type
 *     out, inout, any           type *arg          the address of the datum
 *     in_below, out_below, inout_below, any_below  as without _below, but the body gets the datum's global address
 *     add                       type *arg          the address of the datum; void type_add(type *sum, const type *more)
 *                                                  must add
 *     scratch                   type *arg          none; the body gets a buffer with undefined content
 */
#define UAT_FLOW_TASK(name, ...) UAT_CAT(UAT_FLOW_DECLARE_, UAT_FLOW_COUNT(__VA_ARGS__))(name, __VA_ARGS__)

#include "detail/dataflow.h"

#endif
