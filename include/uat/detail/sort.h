/* SPDX-License-Identifier: MIT */
/* What uat_sort(), uat::sort(), uat::nth_element() and uat::partition() share: the kernels that sort or divide elements
 * of one type. Programs call those functions. */
#ifndef UAT_DETAIL_SORT_H
#define UAT_DETAIL_SORT_H

#include "../pattern.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The pivot of a partition. */
typedef struct uat_sort_pivot {
    const void *value; /* an element; aligned to 16 bytes */
    int equal;         /* 0: elements less than the value go to the front; else elements not greater than the value */
    const void *arg;   /* user argument of the comparison */
} uat_sort_pivot_t;

/*
 * Progress of a partition. Elements [0, less) belong to the front. Elements [from, to) are still to be divided. All
 * other elements belong to the rest: those in [less, from), and those after [from, to).
 */
typedef struct uat_sort_pass {
    size_t less, from, to;
} uat_sort_pass_t;

/*
 * A kernel is the sequential code that sorts elements of one type within this process. The kernel of uat_sort() calls
 * the comparison through a pointer. uat::sort() of uat.hpp has a kernel for each pair of type and comparison, so that
 * the compiler can inline the comparison.
 */
typedef struct uat_sort_kernel {
    size_t size; /* bytes of an element */
    /* Sort count elements; stably if the kernel has no partition(). Returns 0 if there was no memory, else 1. Only a
     * kernel without partition() needs memory. */
    int (*sort)(void *elements, size_t count, const void *arg);
    /*
     * Continue the pass by up to `most` elements (2 or more). At most half of these come from each end. If at most
     * `most` elements remain, finish the pass. Does not access the elements between the two ends.
     */
    void (*partition)(void *elements, uat_sort_pass_t *pass, size_t most, const uat_sort_pivot_t *pivot);
    /* Does element a sort before b? */
    int (*less)(const void *a, const void *b, const void *arg);
} uat_sort_kernel_t;

/* uat_sort() with a kernel, which is copied. */
void uat_sort_by(const uat_sort_kernel_t *kernel, void *array, size_t count, const void *arg, size_t arg_size);

/* Elements that lie in several arrays, such as keys and values: what copies elements first to first + count - 1, which
 * the worker need not keep, to memory of this process and back. */
typedef struct uat_sort_pack {
    void (*load)(void *elements, size_t first, size_t count, const void *arg);
    void (*store)(const void *elements, size_t first, size_t count, const void *arg);
} uat_sort_pack_t;

/*
 * Sort an array that several hosts keep, so that each element moves about once. With a pack, the elements are those of
 * the pack, of kernel->size bytes, and go where the elements of `array`, of `size` bytes, are. Stable if kernel->sort()
 * is. Uses `scratch`, which has as many elements, if it has the same homes (NULL: none), or else temporary arrays.
 * Returns 0 if it has not sorted: there is one host, no memory, the elements are few, the call is in a team's loop, or
 * the comparison contradicts itself. The array then has all its elements, and equal ones in their order if
 * kernel->sort() is stable. Returns 1 if it has sorted, or if the task has failed; with a pack, nothing has been stored
 * in the latter case.
 */
int uat_sort_at_homes(const uat_sort_kernel_t *kernel, const uat_sort_pack_t *pack, void *array, size_t size,
                      size_t count, void *scratch, const void *arg, size_t arg_size);

/* Put the element into place `place` of an array of global memory that a sort would put there. No element before it
 * sorts after it, and no element after it sorts before it. */
void uat_select_by(const uat_sort_kernel_t *kernel, void *array, size_t count, size_t place, const void *arg,
                   size_t arg_size);

/* Move the elements that belong to the front to the start of an array of global memory, and return their number. The
 * kernel's partition() decides which these are, and only from the user's argument. */
size_t uat_partition_by(const uat_sort_kernel_t *kernel, void *array, size_t count, const void *arg, size_t arg_size);

/* Divide `count` elements of this process: those that belong to the front first, both kinds in their order. scratch has
 * room for as many. Returns the number of elements in the front. */
typedef size_t uat_divide_fn(void *elements, void *scratch, size_t count, const void *arg);

/*
 * Move the elements of an array that several hosts keep, which belong to the front, to its start. All elements keep
 * their order, and each moves at most once. It uses a temporary array, and room for twice the elements of its part by
 * malloc() on each worker. Returns 1 if it has done so, with *front as the number of elements in the front, or if the
 * task has failed. Returns 0 if it has not: there is one host, no memory, the elements are few, the job has more than
 * 128 workers, or the call is in a team's loop. If it fails or returns 0, the array is as before, and *front is
 * undefined. The argument is that of `divide`, which is called once for each element.
 */
int uat_divide_at_homes(uat_divide_fn *divide, void *array, size_t size, size_t count, size_t *front, const void *arg,
                        size_t arg_size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
