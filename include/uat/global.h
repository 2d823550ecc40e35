/* SPDX-License-Identifier: MIT */
/*
 * Global memory: arrays and objects that every task can reach, with plain pointers.
 *
 * Each byte of global memory has one address, the same in all workers, and one home: the host of the worker that keeps
 * the byte. Memory whose home is this host is near: it is ordinary memory. All other memory is far and must be checked
 * out: uat_global_checkout() returns a place that holds the bytes until uat_global_checkin(). For near bytes, this
 * place is the address itself. So a program that checks out all its accesses runs unchanged on one host and on many. On
 * one host it runs as if its arrays were from malloc().
 *
 *     double *a = uat_global_alloc(n * sizeof(double), UAT_BLOCKED, 0);          all workers, outside of runs
 *     const double *q = uat_global_checkout(a + i, k * sizeof(double), UAT_READ);      in a task
 *     ... q[0] to q[k - 1] ...
 *     uat_global_checkin(a + i, k * sizeof(double), UAT_READ);
 *
 * Order. An access reads the value of the last write that is ordered before it. Two accesses race if they share a byte,
 * at least one of them writes, and nothing orders them; accesses to neighbouring bytes do not race. A fork-join program
 * without data races reads what its sequential execution would read. Accesses are ordered by
 *   - spawn and join;
 *   - the objects of sync.h. A call that lets another task continue (an unlock, a set, a send, a release, a count-down,
 *     a wake-up, an arrival at a barrier) orders all accesses before the call before all later accesses of the
 *     continued task. So accesses to data that tasks use only under one mutex do not race;
 *   - outside of tasks, uat_barrier() and the start and the end of uat_run().
 * Atomics by themselves do not order other accesses. To publish data, call uat_global_release(), then use an atomic. A
 * task that has seen the atomic's value must read the data by uat_global_get().
 *
 * Atomic words. A word must be used in one way at a time: by uat_atomic_*(), or as plain data, by checkouts and puts. A
 * uat_barrier(), or the start or the end of a uat_run(), must separate the two uses. Within a run, a checkout may show
 * an old value of a far word, even to the task that has changed the word by an atomic. A get always reads the word at
 * its home.
 *
 * Where. Checkouts, gets, puts, atomics, objects and temporary arrays work inside tasks, and outside of runs, for
 * example in main(). Collective calls (alloc, open, free, freeze, thaw, temporary_open) work only outside of runs.
 *
 * Rules, and how violations are detected. A detected violation ends the job with a message.
 *   - At a spawn, a join or a task's end, the task must have no range checked out and no transfer in flight.
 *     UAT_TORTURE=steal detects all violations. Every run detects a violation by a task that is published or parts from
 *     its spawner.
 *   - At uat_barrier(), at the start and end of uat_run(), at uat_finalize(), and in free, freeze, thaw and
 *     temporary_open, the worker must have no range checked out and no transfer in flight. Every run detects all
 *     violations. alloc and open may be called with ranges checked out and transfers in flight.
 *   - A call of sync.h that waits has the same rule as a spawn. A call that does not wait may be made with ranges
 *     checked out. Bytes written to these ranges are kept. The next checkout of other bytes sees the writes that the
 *     call orders before that checkout.
 *   - An access lasts from checkout to checkin. Until the checkin, no other task may write the bytes, even if an object
 *     of sync.h orders that write.
 *   - A range checked out for writing must not overlap any other checkout. UAT_TORTURE detects every overlap.
 *   - An access must stay within one array or one object. UAT_TORTURE detects a checkout, get, put or atomic that
 *     reaches one element beyond an array, up to 128 bytes beyond an object, or into a freed object. It cannot detect
 *     an access to another object in use. Any run detects an access beyond an array's last chunk.
 *
 * Beside this header, object.h has objects and temporary arrays, transfer.h has copies of rows and in two steps, and
 * atomic.h has minima, maxima and bits.
 *
 * The interface is that of Itoyori (Shiina and Taura, SC'23: checkout and checkin), with get, put and atomics as in
 * OpenSHMEM and UPC++. docs/global.md says how it works.
 */
#ifndef UAT_GLOBAL_H
#define UAT_GLOBAL_H

#include <stddef.h>
#include <stdint.h>

#include "../uat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* How an array is divided into chunks, and which worker keeps each chunk. */
enum uat_distribution {
    UAT_BLOCKED, /* one chunk for each worker, in the order of ranks */
    UAT_CYCLIC   /* chunks of `block` bytes, distributed to the workers in turn */
};

/* The purpose of a checkout. */
enum uat_access {
    UAT_READ = 1,      /* the bytes are read */
    UAT_WRITE = 2,     /* all bytes will be written; until then their content is undefined */
    UAT_READ_WRITE = 3 /* the bytes are read, and any of them may be written */
};

/* Bytes of a block. The size of a chunk is a multiple of a block, and far memory is cached in blocks. */
#define UAT_GLOBAL_BLOCK 65536

/*
 * Prepare global memory. Collective, outside of runs, after uat_init(). Only a job that calls uat_global_object_alloc()
 * but never uat_global_alloc() needs this call. Returns 0, also if global memory was already prepared. Otherwise
 * returns a negative errno, which it has reported.
 */
int uat_global_open(void);

/*
 * Allocate an array of `bytes` bytes, all zero. Collective, outside of runs; all workers must pass the same arguments.
 * `block` is rounded up to a multiple of UAT_GLOBAL_BLOCK; 0 means UAT_GLOBAL_BLOCK. UAT_BLOCKED ignores block. The
 * caller owns the array and frees it by uat_global_free(); uat_finalize() frees the remaining arrays. Returns the
 * array's address, which is aligned to 2 MiB and the same on every worker. On failure, every worker returns NULL with
 * errno set, and one line says why. EINVAL: bytes is 0, the workers' arguments differ, or a run is in progress. ENOMEM:
 * a machine, or its control group, has too little memory for the machine's share of this array and of earlier
 * allocations. The call maps pages, so that their first use takes no page fault: UAT_PAGES=map= says which.
 */
void *uat_global_alloc(size_t bytes, enum uat_distribution distribution, size_t block);

/* Free an array. Collective, outside of runs. NULL is allowed. Returns 0, or a negative errno, which it has
 * reported. */
int uat_global_free(void *array);

/* Rank of the worker that keeps the byte at p, or -EINVAL if p is not a global address. May be called anywhere. */
int uat_global_home(const void *p);

/* The number of near bytes from p on, at most `bytes`; 0 if p is far or not a global address. May be called
 * anywhere. */
size_t uat_global_near(const void *p, size_t bytes);

/*
 * Make the array read-only until uat_global_thaw(). Until then its cached bytes stay valid across steals and joins.
 * UAT_TORTURE detects a task that writes to the array nevertheless. Collective, outside of runs. Returns 0, or a
 * negative errno, which it has reported (-EINVAL: `array` is not the address of an array).
 */
int uat_global_freeze(void *array);
int uat_global_thaw(void *array);

/*
 * Make [p, p + bytes) accessible. Returns the place to use instead of p, which is p itself if the range is near. If the
 * range is far, the place and p are equal modulo 4096. The place is valid until the uat_global_checkin() with the same
 * arguments. A range with one home must fit into the cache (UAT_CACHE_SIZE), and a range with several homes into a
 * quarter of the cache. At most 256 far ranges may be checked out at a time. 0 bytes may be checked out at any address.
 * Never fails: a range that does not fit, or is not in global memory, ends the job with a message.
 */
UAT_INLINE void *uat_global_checkout(const void *p, size_t bytes, enum uat_access access);

/* End the access that the checkout with the same arguments began. With UAT_WRITE or UAT_READ_WRITE, all bytes of the
 * range are written back. */
UAT_INLINE void uat_global_checkin(const void *p, size_t bytes, enum uat_access access);

/* The number of bytes that can be checked out at the same time, whatever their homes are: a quarter of the cache, or
 * SIZE_MAX in a job on one host. All checkouts of a worker together may use this number. All workers get the same
 * value. */
size_t uat_global_checkout_limit(void);

/* Begin to fetch a range that will be checked out soon. Does not wait, and may do nothing. */
void uat_global_prefetch(const void *p, size_t bytes);

/* Copy bytes from or to global memory, near or far, without a checkout. `local` may be any memory of the caller. When
 * uat_global_put() returns, `local` may be used again. Both calls and the task's checkouts take effect in program
 * order. A range that is not in global memory ends the job with a message. With 0 bytes the calls do nothing, whatever
 * the addresses are. For a near range, each call is a memcpy(). */
UAT_INLINE void uat_global_get(void *local, const void *global, size_t bytes);
UAT_INLINE void uat_global_put(void *global, const void *local, size_t bytes);

/*
 * Typed access to one element, in C: UAT_GLOBAL_GET(p) is the value at p, and UAT_GLOBAL_PUT(p, value) stores a value
 * at p. These macros call uat_global_get() and uat_global_put(). The compiler refuses a value of another type. C++ has
 * uat::span.
 */
#ifndef __cplusplus
#define UAT_GLOBAL_GET(p)                                                                                              \
    __extension__({                                                                                                    \
        __typeof__((void)0, *(p)) uat_v;                                                                               \
        uat_global_get((void *)&uat_v, (p), sizeof(uat_v));                                                            \
        uat_v;                                                                                                         \
    })
#define UAT_GLOBAL_PUT(p, ...)                                                                                         \
    __extension__({                                                                                                    \
        __typeof__(*(p)) uat_v = (__VA_ARGS__);                                                                        \
        uat_global_put((p), (void *)&uat_v, sizeof(uat_v));                                                            \
    })
#endif

/* A word in global memory, aligned to 8 bytes, that several tasks may change concurrently. The adapter of the word's
 * home changes the word; if the job uses no adapter, the CPUs change it. */
typedef struct uat_atomic {
    uint64_t value;
} uat_atomic_t;

/*
 * uat_atomic_fetch_add() and uat_atomic_cmp_swap() return the old value. Atomics do not order other accesses. To
 * publish data by an atomic, call uat_global_release() before the atomic, and read the data by uat_global_get(), which
 * is not cached. For near data, release and acquire in these functions provide this order: the stores of a
 * uat_global_put() precede the atomic that publishes them, and the loads of a uat_global_get() follow the other
 * worker's atomic that sees the published value.
 */
UAT_INLINE uint64_t uat_atomic_fetch_add(uat_atomic_t *word, uint64_t addend);
UAT_INLINE uint64_t uat_atomic_cmp_swap(uat_atomic_t *word, uint64_t expected, uint64_t desired);
UAT_INLINE uint64_t uat_atomic_load(const uat_atomic_t *word);

/* Set the word; uat_atomic_swap() returns the old value. The change is done when the call returns. An adapter has only
 * a compare-and-swap, so on a far word the change takes two or more round trips: both functions try again until no
 * other change intervenes. */
UAT_INLINE uint64_t uat_atomic_swap(uat_atomic_t *word, uint64_t desired);
UAT_INLINE void uat_atomic_store(uat_atomic_t *word, uint64_t desired);

/* Add without waiting and without the old value. The addition is done when the task's next uat_global_release()
 * returns. It is also done before each access that a steal, a join or the end of a run orders after it. */
UAT_INLINE void uat_atomic_add(uat_atomic_t *word, uint64_t addend);

/* Wait until all bytes that this worker has checked in, put or added are at their homes. The call is needed only before
 * an atomic that publishes data: spawn, join and the end of a run themselves release where necessary. */
void uat_global_release(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "detail/global.h" /* the bodies of the inline functions above */

#endif
