/* SPDX-License-Identifier: MIT */
/*
 * Reducers: values to which any task may add, without an argument and without a lock. A strand is a part of a task
 * between two steals. A reducer has a view for each strand. Strands that run at the same time have different views. A
 * join combines the child's view with the joining task's view. The scheme is that of Frigo, Halpern, Leiserson and
 * Lewin-Berlin, "Reducers and Other Cilk++ Hyperobjects", SPAA'09.
 *
 *     UAT_REDUCER(long, hits, 0, UAT_PLUS)
 *     UAT_FOR(search, i) { if (is_hit(i)) (*hits_view())++; }
 *     ...
 *     search(0, n);
 *     long found = hits_take();
 *
 * The order. Views are combined in serial order, as if each child ran to its end at its spawn. So an associative
 * operation gives the same result as a sequential execution, even if it is not commutative. An example is the
 * concatenation of lists. Loops, reductions, uat_invoke() and the children of one group keep this order. A task that
 * joins children by handles keeps the order if it joins the youngest child first. Otherwise the order of combination is
 * unspecified. It is also unspecified in sorts, in uat_for_each_block() and in scans. The bodies of a scan may also run
 * twice.
 */
#ifndef UAT_REDUCER_H
#define UAT_REDUCER_H

#include "uat.h"
#include "uat/pattern.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A reducer. It may be copied; copies name the same reducer. Its key must be the address of a static object, or of an
 * object in the frames of the task that begins the reducer. *operations and its identity must be static objects,
 * because these have the same address in all workers. The `body` of *operations is unused. A value is aligned to at
 * most 16 bytes. `combine` gets NULL as arg. It must not spawn, join, wait or use a reducer.
 */
typedef struct uat_reducer {
    const void *key;
    const uat_reduction_t *operations;
} uat_reducer_t;

/*
 * Begin a reducer that is a local variable of a task. The same task must take its value before the variable's lifetime
 * ends. Until then the task's descendants may use the reducer, through a copy that they get as an argument. A static
 * reducer needs no such call: it is initialised as { &itself, &operations }.
 */
void uat_reducer_begin(uat_reducer_t *reducer, const uat_reduction_t *operations);

/*
 * The running strand's view. The first call in a strand makes a view with the value `identity`. The address is valid
 * until the task spawns, joins, waits, takes this reducer's value or ends. Call it only inside a task. If there is no
 * room for the view in UAT_HEAP_SIZE, or if another reducer with this key has views that were not taken, the job ends
 * with a message.
 */
UAT_INLINE void *uat_reducer_view(const uat_reducer_t *reducer);

/*
 * Copy the reducer's value to *value and empty the reducer. The value includes all additions that the task, and the
 * children that it has joined, have made since the reducer was begun or last taken. The value of a static reducer
 * includes each addition that precedes the call in serial order and was made by this task or by a task that has been
 * joined. Call it only inside a task. Views that were not taken are dropped when the root ends.
 */
void uat_reducer_take(const uat_reducer_t *reducer, void *value);

/* Returns 1 if the running strand has no view of the reducer. After all joins, 1 means that no task has used the
 * reducer since it was begun or last taken. Costs a few loads if no reducer is in use. Call it only inside a task. */
int uat_reducer_is_empty(const uat_reducer_t *reducer);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * UAT_REDUCER(type, name, identity, combine) defines a static reducer, outside of functions. combine(a, b) is a
 * function or macro such as UAT_PLUS, and must be associative. `identity` must be the neutral value of `combine`, as a
 * constant initialiser. (An initialiser that contains a comma must be a macro.) name_take() ends the job if
 * combine(identity, identity) is another number than identity. UAT_REDUCER also defines
 *     uat_reducer_t name            the reducer
 *     type *name_view(void)         uat_reducer_view()
 *     type name_take(void)          uat_reducer_take()
 */
#include "uat/detail/reducer.h"

#endif
