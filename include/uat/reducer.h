/* SPDX-License-Identifier: MIT */
/*
 * Reducers: any task may add to one, without an argument and without a lock. A reducer has a view for each strand, that
 * is, for a part of a task between steals. Strands that run at the same time have different views. A join combines the
 * child's view with that of the joining task. The scheme is that of Frigo, Halpern, Leiserson and Lewin-Berlin,
 * "Reducers and Other Cilk++ Hyperobjects", SPAA'09.
 *
 *     UAT_REDUCER(long, hits, 0, UAT_PLUS)
 *     UAT_FOR(search, i) { if (is_hit(i)) (*hits_view())++; }
 *     ...
 *     search(0, n);
 *     long found = hits_take();
 *
 * The order. Views are combined in serial order, as if each child ran to its end at its spawn. So an operation that is
 * associative but does not commute, such as the concatenation of lists, gives the result of the program without
 * parallelism. Loops, reductions, uat_invoke() and the children of one group keep this order. A task that joins
 * children by handles keeps the order if it joins the youngest first. The order is unspecified if it joins children in
 * another order, and in scans, whose bodies may run twice, in sorts and in uat_for_each_block().
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
 * A reducer. It may be copied: copies name the same reducer. Its key is the address of a static object, or of an object
 * in the frames of the task that begins it. *operations is static, too, and so is its identity: they have the same
 * address in all workers. Its `body` is unused. A value is aligned to at most 16 bytes. `combine` gets NULL as arg. It
 * does not spawn, join or wait, and does not use a reducer.
 */
typedef struct uat_reducer {
    const void *key;
    const uat_reduction_t *operations;
} uat_reducer_t;

/*
 * Begin a reducer that is a local variable of a task. The same task takes its value before the variable's life ends;
 * meanwhile its descendants may use it, by a copy that they get as an argument. A static reducer needs no such call: it
 * is initialised as { &itself, &operations }.
 */
void uat_reducer_begin(uat_reducer_t *reducer, const uat_reduction_t *operations);

/*
 * The running strand's view; the first call in a strand makes one with the value `identity`. The address is valid until
 * the task spawns, joins, waits, takes this reducer's value or ends. Inside a task. Cannot fail; if there is no room
 * for the view in UAT_HEAP_SIZE, or another reducer has used this key and was not taken, the job ends with a line.
 */
static inline void *uat_reducer_view(const uat_reducer_t *reducer);

/*
 * Copy the reducer's value to *value and empty the reducer. The value includes all that the task and the children that
 * it has joined have added since the reducer was begun or taken. For a static reducer this is all that precedes the
 * call in serial order and was joined. Inside a task. Views that nobody has taken are dropped when the root ends.
 */
void uat_reducer_take(const uat_reducer_t *reducer, void *value);

/* Has the running strand no view of the reducer? After all joins, 1 means that no task has used the reducer since it
 * was begun or taken. Costs a few loads if no reducer is in use. Inside a task. */
int uat_reducer_is_empty(const uat_reducer_t *reducer);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * UAT_REDUCER(type, name, identity, combine) defines a static reducer, outside of functions. combine(a, b) is a
 * function or macro such as UAT_PLUS; it must be associative. identity, a constant initialiser, must be its neutral
 * value. (An initialiser with a comma in it needs a macro.) The macro also defines
 *     uat_reducer_t name            the reducer
 *     type *name_view(void)         uat_reducer_view()
 *     type name_take(void)          uat_reducer_take()
 */
#include "uat/detail/reducer.h"

#endif
