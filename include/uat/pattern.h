/* SPDX-License-Identifier: MIT */
/*
 * Parallel loops, reductions and scans over index ranges, without a grain size to guess; sorts, and loops over the
 * blocks of a global array.
 *
 * Splitting on demand: a loop runs its iterations in order, in short chunks, and looks between two chunks whether this
 * worker still has work that thieves could take. Only if they have taken everything, the loop splits what is left in
 * halves and offers one of them. So a loop that nobody steals from costs what a plain loop costs, and one that is
 * stolen from spreads over all workers (lazy binary splitting: Tzannes, Caragea, Barua and Vishkin, PPoPP'10).
 *
 * All functions are called inside a task. Bodies run in tasks that may migrate: the rules for task code in README.md
 * hold for them. Between the calls of a body the task may change its worker.
 *
 * A body may wait (uat/sync.h) for what other tasks do, for mutexes, and for earlier iterations of its loop, but not
 * for later ones, which the same task may run after it. It unlocks what it has locked. Bodies of uat_for_each_block()
 * do not wait.
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
 * Call body for all iterations of [begin, end), in any order and by any workers; return when all have ended. arg
 * (arg_size bytes, may be NULL with size 0) is copied with every part of the loop that is stolen; the caller keeps it.
 * An empty range calls nothing. Cannot fail; an argument that does not fit on the stack ends the job with a line.
 */
void uat_for(int64_t begin, int64_t end, uat_for_fn *body, const void *arg, size_t arg_size);

/* The same, with at least `grain` iterations (1 or more) in a call of body, but for the last one of a part. */
void uat_for_grain(int64_t begin, int64_t end, int64_t grain, uat_for_fn *body, const void *arg, size_t arg_size);

/* The body of a reduction: add iterations begin to end - 1 to the partial result. */
typedef void uat_reduce_fn(int64_t begin, int64_t end, void *partial, const void *arg);

/* left := left (+) right, where `right` comes from later iterations. Associative; it need not commute. */
typedef void uat_combine_fn(void *left, const void *right, const void *arg);

/* How a reduction or a scan works on its values. */
struct uat_reduction {
    uat_reduce_fn *body;
    uat_combine_fn *combine;
    const void *identity; /* size bytes: the value of no iterations */
    size_t size;          /* bytes of a value; at most UAT_RESULT_MAX */
};

/*
 * Reduce the iterations of [begin, end) to *result (reduction->size bytes, the caller's). Partial results are combined
 * in the order of the iterations. arg as for uat_for(). Cannot fail; a value larger than UAT_RESULT_MAX ends the job.
 */
void uat_reduce(int64_t begin, int64_t end, const struct uat_reduction *reduction, const void *arg, size_t arg_size,
                void *result);

/* The same, with at least `grain` iterations (1 or more) in a call of body, but for the last one of a part. */
void uat_reduce_grain(int64_t begin, int64_t end, int64_t grain, const struct uat_reduction *reduction, const void *arg,
                      size_t arg_size, void *result);

/*
 * Inclusive or exclusive prefix sums (Blelloch 1990). Calls `body` for each part of the iterations with the value of
 * all iterations before it in *prefix; body carries the value along from iteration to iteration and writes what it
 * wants. Parts that thieves take are reduced first where that value is not known yet. *total (may be NULL): the value
 * of all iterations.
 */
void uat_scan(int64_t begin, int64_t end, const struct uat_reduction *reduction, uat_reduce_fn *body, const void *arg,
              size_t arg_size, void *total);

/* The same, with at least `grain` iterations (1 or more) in a call of either body, but for the last one of a part. */
void uat_scan_grain(int64_t begin, int64_t end, int64_t grain, const struct uat_reduction *reduction,
                    uat_reduce_fn *body, const void *arg, size_t arg_size, void *total);

/* One of several functions that run at the same time: as a task's body, with its argument and result. */
struct uat_call {
    uat_fn *fn;
    const void *arg; /* copied, arg_size bytes */
    size_t arg_size;
    void *result; /* in the caller's frame, or NULL with size 0 */
    size_t result_size;
};

/* Run count functions in parallel and return when all have ended. The caller's worker runs the last one by itself. */
void uat_invoke(const struct uat_call *calls, size_t count);

/*
 * The body of a loop over blocks: elements first to first + count - 1 of the array stand at `elements`. They are
 * checked out meanwhile, so the body does not spawn, join or end the task. arg as for uat_for_fn.
 */
typedef void uat_block_fn(void *elements, size_t first, size_t count, const void *arg);

/*
 * Call body for blocks that cover all `count` elements of `size` bytes each at array, which is global memory, in any
 * order and by any workers; return when all have ended. Each block is checked out for `access` around the call. A block
 * has at most UAT_GLOBAL_BLOCK bytes, or one element, and lies in one chunk of the array as far as the elements do. A
 * worker begins with what is near, and offers the far half to thieves; of two halves that are equally near, it keeps
 * the one that it has worked on before. Far blocks are fetched while the one before is worked on. Inside a task. Cannot
 * fail; an array that is no global memory ends the job with a line.
 */
void uat_for_each_block(void *array, size_t count, size_t size, enum uat_access access, uat_block_fn *body,
                        const void *arg, size_t arg_size);

/*
 * Order of two elements, as for qsort_r(): negative, 0 or positive. arg: the task's own copy. Does not spawn or join.
 */
typedef int uat_compare_fn(const void *a, const void *b, void *arg);

/*
 * Sort `count` elements of `size` bytes each at array, in place, in parallel. The order of equal elements is undefined.
 * Global memory, near or far: all workers take part, by quicksort with parallel partitions. Other memory, which no
 * other worker can reach: sorted by the calling task alone. arg (arg_size bytes, may be NULL with size 0) is copied
 * with what is stolen; the caller keeps it. Inside a task. Cannot fail; a comparison that contradicts itself leaves the
 * elements in an undefined order, and loses none. A few elements stand on the stack, and two far ones are checked out
 * at a time: what is too large for UAT_STACK_SIZE or UAT_CACHE_SIZE ends the job with a line.
 */
void uat_sort(void *array, size_t count, size_t size, uat_compare_fn *compare, const void *arg, size_t arg_size);

/* Where a partition divides. */
struct uat_sort_pivot {
    const void *value; /* an element; aligned to 16 bytes */
    int equal;         /* 0: elements below it come to the front; else those that are not above it */
    const void *arg;   /* of the sort */
};

/*
 * How far a partition has come: elements 0 to less - 1 belong to the front, less to from - 1 and those from `to` on do
 * not, and from to to - 1 are left.
 */
struct uat_sort_pass {
    size_t less, from, to;
};

/*
 * How the elements of one type are sorted where they lie in this process. uat_sort() has a kernel for comparisons that
 * are called; uat::sort() of uat.hpp has one for each type and comparison, which the compiler sees through.
 */
struct uat_sort_kernel {
    size_t size; /* bytes of an element */
    /* Sort count elements. */
    void (*sort)(void *elements, size_t count, const void *arg);
    /*
     * Carry the pass on by up to `most` elements (2 or more), of each end half of them at most; if no more than `most`
     * are left, to its end. What lies between stays untouched.
     */
    void (*partition)(void *elements, struct uat_sort_pass *pass, size_t most, const struct uat_sort_pivot *pivot);
};

/* uat_sort() with a kernel, which is copied. */
void uat_sort_by(const struct uat_sort_kernel *kernel, void *array, size_t count, const void *arg, size_t arg_size);

/*
 * Is there nothing left on this worker that a thief could take, although there are thieves? Then it is worth while to
 * spawn. For programs that split their work themselves; costs a few loads. It also offers thieves what could not be
 * offered before, and with UAT_DEQUE=message answers one that asks: a task that runs long calls it now and then.
 * While the task has ranges checked out it only tells. Inside a task only.
 */
int uat_work_wanted(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
