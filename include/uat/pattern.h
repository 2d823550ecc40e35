/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops, reductions and scans over index ranges, sorts, and loops over the blocks of a global array. The
 * program need not choose a grain size.
 *
 * Splitting on demand: a loop runs its iterations in order, in short chunks. Between two chunks it checks whether this
 * worker still has work that thieves could take. If the worker has none, the loop splits its remaining iterations into
 * halves and offers one half. So a loop from which no thief steals costs as much as a plain loop, and other loops
 * spread over all workers. This is lazy binary splitting (Tzannes, Caragea, Barua and Vishkin, PPoPP'10).
 *
 * Call all functions only inside a task. Bodies run in tasks that may migrate, so they must follow the rules for task
 * code in docs/rules.md. Between two calls of a body the task may move to another worker.
 *
 * A body may wait (uat/sync.h) for other tasks, for mutexes and for earlier iterations of its loop. It must not wait
 * for a later iteration, because the same task may run that iteration next. It must unlock every mutex that it has
 * locked. Bodies of uat_for_each_block() must not wait.
 */
#ifndef UAT_PATTERN_H
#define UAT_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "uat.h"
#include "uat/global.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The body of a loop: iterations begin to end - 1. arg: the task's own copy of the loop's argument, read-only. */
typedef void uat_for_fn(int64_t begin, int64_t end, const void *arg);

/*
 * Call body for all iterations of [begin, end), in any order and on any workers. Returns when all iterations have
 * ended. grain, here and below: 0, and the loop chooses how many iterations a call of body gets; or the minimum number
 * of iterations in each call, except in the last call of a part. A negative grain counts as 0. arg (arg_size bytes, may
 * be NULL with size 0) is copied with every stolen part of the loop; the caller keeps it. If the range is empty, body
 * is not called. Cannot fail; an argument that does not fit on the stack ends the job with a message.
 */
void uat_for(int64_t begin, int64_t end, int64_t grain, uat_for_fn *body, const void *arg, size_t arg_size);

/*
 * uat_for() with a hint about where to run: iteration i works on element i, of `size` bytes, of an array in global
 * memory. It starts at the home of the element, where the element is near: in a part of a team (docs/loops.md) or, if a
 * worker keeps several blocks of the array, in a child of a group for each run of elements with one home. Idle workers
 * still take parts. The work on each block of the array should take many microseconds. For elements that are not in
 * global memory the hint has no effect. Cannot fail, like uat_for().
 */
void uat_for_near(int64_t begin, int64_t end, const void *array, size_t size, uat_for_fn *body, const void *arg,
                  size_t arg_size);

/* The body of a reduction: must add iterations begin to end - 1 to *partial. */
typedef void uat_reduce_fn(int64_t begin, int64_t end, void *partial, const void *arg);

/* left := left (+) right, where `right` is the value of later iterations. (+) must be associative, but need not be
 * commutative. */
typedef void uat_combine_fn(void *left, const void *right, const void *arg);

/* The operations of a reduction or a scan on its values. */
typedef struct uat_reduction {
    uat_reduce_fn *body;
    uat_combine_fn *combine;
    const void *identity; /* the neutral value of (+), size bytes: each part of the range starts with it */
    size_t size;          /* bytes of a value; at most UAT_RESULT_MAX */
} uat_reduction_t;

/*
 * Reduce the iterations of [begin, end) to *result, the caller's buffer of reduction->size bytes. Partial results are
 * combined in the order of the iterations. The result of an empty range is reduction->identity. The caller must combine
 * an initial value that is not neutral with the result. arg is as for uat_for(). Cannot fail; a value larger than
 * UAT_RESULT_MAX ends the job with a message when the range splits.
 */
void uat_reduce(int64_t begin, int64_t end, int64_t grain, const uat_reduction_t *reduction, const void *arg,
                size_t arg_size, void *result);

/*
 * uat_reduce() with a hint about where to run: iteration i works on element i, of `size` bytes, of an array in global
 * memory. `array` is the address of element 0, even if begin is not 0; it may be NULL. If the job has several hosts,
 * each worker keeps one block of the array, and a team runs the reduction (docs/loops.md), each worker starts with the
 * elements that it keeps. Otherwise the hint has no effect, nor does it if `array` is NULL, `size` is 0, or an element
 * of [begin, end) lies outside of the array. The grain is 0. Errors: as for uat_reduce().
 */
void uat_reduce_near(int64_t begin, int64_t end, const void *array, size_t size, const uat_reduction_t *reduction,
                     const void *arg, size_t arg_size, void *result);

/*
 * uat_reduce() whose result has the same bits on any number of workers, also if (+) rounds, as a sum of doubles does.
 * Each call of body gets the identity and exactly `block` iterations, the last call the rest; a block less than 1
 * counts as 1. The blocks' values are combined along a binary tree that depends on begin, end and block only. Each
 * block is a spawn, so its iterations should take microseconds; if the caller has ranges checked out, the call runs all
 * of them by itself. The name is that of oneTBB's
 * parallel_deterministic_reduce().
 */
void uat_reduce_deterministic(int64_t begin, int64_t end, int64_t block, const uat_reduction_t *reduction,
                              const void *arg, size_t arg_size, void *result);

/*
 * Inclusive or exclusive prefix sums (Blelloch 1990). Calls `body` for each part of the iterations. The third argument
 * of body points to the value of all iterations before that part. `body` must update this value at each iteration, and
 * writes the prefixes that the program needs. A part whose prefix is not known yet is first reduced, starting with
 * reduction->identity: a stolen part, or each part if a team runs the scan. *total is set to the value of all
 * iterations, unless total is NULL.
 */
void uat_scan(int64_t begin, int64_t end, int64_t grain, const uat_reduction_t *reduction, uat_reduce_fn *body,
              const void *arg, size_t arg_size, void *total);

/* uat_scan() with the hint of uat_reduce_near(): `array`, which may be NULL, and `size` are the same. Both passes over
 * the elements then run where they are kept. The grain is 0. Errors: as for uat_scan(). */
void uat_scan_near(int64_t begin, int64_t end, const void *array, size_t size, const uat_reduction_t *reduction,
                   uat_reduce_fn *body, const void *arg, size_t arg_size, void *total);

/* The body of a search: returns the first of the iterations begin to end - 1 for which the search looks, or `end` if
 * there is none among them. arg: as for uat_for_fn. */
typedef int64_t uat_find_fn(int64_t begin, int64_t end, const void *arg);

/*
 * Find the first iteration of [begin, end) for which `body` looks: a loop that ends early. Returns this iteration, or
 * `end` if there is none. The result does not depend on the number of workers. The search splits on demand, and starts
 * on the caller's worker. Iterations before the result have all been looked at; some of those after it may have been.
 * When a part has found an iteration, parts of later iterations stop before their next chunk: after some ten
 * microseconds on the same worker, and UAT_CANCEL_AGE_NS and a round trip more on others. arg is as for uat_for(). A
 * body that returns a number outside of [begin, end] ends the job with a message; so does a lack of room in
 * UAT_HEAP_SIZE, of which each split takes a block of 128 bytes.
 */
int64_t uat_find(int64_t begin, int64_t end, uat_find_fn *body, const void *arg, size_t arg_size);

/* One of several functions that run in parallel: a task's body with its argument and result. */
typedef struct uat_call {
    uat_fn *fn;
    const void *arg; /* copied, arg_size bytes */
    size_t arg_size;
    void *result; /* in the caller's frame, or NULL with size 0 */
    size_t result_size;
} uat_call_t;

/* Run `count` functions in parallel. Returns when all have ended. The last function runs in the calling task, without a
 * spawn. If count is 0, does nothing. The errors are those of uat_spawn(). */
void uat_invoke(const uat_call_t *calls, size_t count);

/*
 * The body of a loop over blocks: `elements` points to elements first to first + count - 1 of the array. These elements
 * are checked out during the call, so the body must not spawn, join or end the task. arg is as for uat_for_fn.
 */
typedef void uat_block_fn(void *elements, size_t first, size_t count, const void *arg);

/*
 * Call body for blocks that together cover all `count` elements, of `size` bytes each, of an array in global memory.
 * Returns when all calls have ended. The calls run in any order and on any workers. Each block is checked out for
 * `access` during its call. A block has at most UAT_GLOBAL_BLOCK bytes, or a single larger element. It is in one chunk
 * of the array, unless it is a single element that crosses chunks. If the array is UAT_BLOCKED, all workers begin at
 * once, each with the elements that it keeps (docs/loops.md). A worker starts with near blocks and offers the far
 * half to thieves. If both halves are equally near, the worker keeps the half on which it has worked before. A far
 * block is fetched while `body` works on the preceding block. Call it only inside a task. Cannot fail; an array that is
 * not in global memory ends the job with a message.
 */
void uat_for_each_block(void *array, size_t count, size_t size, enum uat_access access, uat_block_fn *body,
                        const void *arg, size_t arg_size);

/*
 * Compare two elements as for qsort_r(): returns a negative number, 0 or a positive number. arg: the task's own copy of
 * the sort's argument. The comparison must not spawn or join.
 */
typedef int uat_compare_fn(const void *a, const void *b, const void *arg);

/*
 * Sort `count` elements of `size` bytes each at array, in place, in parallel. The order of equal elements is undefined.
 * If the array is in global memory, near or far, all workers sort it, by quicksort with parallel partitions; on several
 * hosts each worker sorts what it keeps, and then gets what belongs there, if a temporary array has room. Until it
 * returns, it takes that room from the program's own temporary arrays (object.h), and each worker may allocate memory
 * for twice the bytes that it keeps. An array in this process's own memory is sorted by the calling task alone, because
 * other workers cannot access it. The sort copies arg (arg_size bytes; NULL is allowed if the size is 0) for each task
 * that it spawns; the caller keeps arg. Call it only inside a task. Cannot fail. A comparison that contradicts itself,
 * for example by returning "less" for equal elements, makes the resulting order undefined. But the sort still ends,
 * accesses only the elements, and loses none of them. A run is an ascending or descending sequence; runs are
 * consecutive or interleaved. If the elements consist of up to 4 runs and are all near, and the job has at most 4
 * workers, the sort merges the runs. This takes as much extra memory as the array; a larger array than 256 MiB is not
 * merged. The sort keeps a few elements on the stack and checks out two far elements at a time. Elements that are too
 * large for UAT_STACK_SIZE or UAT_CACHE_SIZE end the job with a message.
 */
void uat_sort(void *array, size_t count, size_t size, uat_compare_fn *compare, const void *arg, size_t arg_size);

/*
 * Returns 1 if there are other workers and this worker has nothing left that a thief could take; else 0. If it returns
 * 1, a spawn is worthwhile. The call is for programs that split their work themselves. It costs a few loads. The call
 * also offers thieves work that could not be offered before. With UAT_DEQUE=message it answers a thief's request, too.
 * So a long-running task should call it from time to time. While the task has ranges checked out, the call does no more
 * than return its result. Call it only inside a task.
 */
int uat_work_wanted(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * Loops and reductions with named arguments, without a struct or a cast, like UAT_TASK() for tasks.
 *
 * UAT_FOR(name, i, type1, arg1, ...) { body } defines a loop. The body is one iteration. Its parameters are int64_t i
 * and up to eight parameters of the program. A `return` in the body ends only this iteration. The macro also defines
 *     void name(int64_t begin, int64_t end, arg1, ...)               uat_for()
 *     void name_grain(int64_t begin, int64_t end, int64_t grain, arg1, ...)  uat_for()
 *     void name_near(int64_t begin, int64_t end, const void *array, size_t size, arg1, ...)  uat_for_near()
 *
 * UAT_REDUCE(type, name, identity, combine, i, type1, arg1, ...) { body } defines a reduction whose body returns the
 * value of iteration i. combine(a, b) is a function or macro such as UAT_PLUS, and must be associative. `identity`
 * must be its neutral value, as a constant expression: each part of the range starts with it, and it is the value of an
 * empty range. With another initial value, the result would depend on the number of parts. So a call ends the job if
 * combine(identity, identity) is another number than identity. The macro also defines
 *     type name(int64_t begin, int64_t end, arg1, ...)               uat_reduce()
 *     type name_grain(int64_t begin, int64_t end, int64_t grain, arg1, ...)  uat_reduce()
 *     type name_near(int64_t begin, int64_t end, const void *array, size_t size, arg1, ...)  uat_reduce_near()
 *     type name_deterministic(int64_t begin, int64_t end, int64_t block, arg1, ...)  uat_reduce_deterministic()
 *
 * Types are as for UAT_TASK(); a value is aligned to at most 16 bytes and has at most UAT_RESULT_MAX bytes.
 */
#define UAT_PLUS(a, b) ((a) + (b))
#define UAT_MIN(a, b)  ((b) < (a) ? (b) : (a))
#define UAT_MAX(a, b)  ((a) < (b) ? (b) : (a))

#define UAT_FOR(name, ...)                                                                                             \
    UAT_CAT(UAT_FOR_, UAT_FORM(__VA_ARGS__))(name, __VA_ARGS__) static inline void UAT_STEP_HEAD(name, __VA_ARGS__)

#define UAT_REDUCE(type, name, identity, combine, ...)                                                                 \
    UAT_CAT(UAT_REDUCE_, UAT_FORM(__VA_ARGS__))                                                                        \
    (type, name, identity, combine, __VA_ARGS__) static inline type UAT_STEP_HEAD(name, __VA_ARGS__)

#include "detail/pattern.h"

#endif
