/* SPDX-License-Identifier: MIT */
/*
 * Global memory: arrays and objects that every task can reach, with plain pointers.
 *
 * Each byte of global memory has one address, the same in all workers, and one home: the host of the worker that keeps
 * it. Near memory (its home is this host) is ordinary memory. Far memory is checked out: uat_global_checkout() returns
 * a place that holds the bytes until uat_global_checkin(). For near bytes, that place is the address itself. So a
 * program that always checks out runs on one host as over malloc(), and runs unchanged on many hosts.
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
 *   - the objects of sync.h: an unlock, a set, a send, a release, a count-down, a wake-up or an arrival at a barrier
 *     lets a task continue. All that precedes the call comes before all that the continued task does. So data that
 *     tasks use only under one mutex do not race;
 *   - outside of tasks, uat_barrier() and the start and the end of uat_run().
 * Atomics by themselves order no other access. To publish data, call uat_global_release(), then use an atomic; a task
 * that has seen the atomic's value reads the data by uat_global_get().
 *
 * Atomic words. A word is used in one way at a time: by uat_atomic_*(), or as plain data, by checkouts and puts. A
 * uat_barrier(), or the start or the end of a uat_run(), must lie between the two ways. Within a run, a checkout may
 * show an old value of a far word, even to the task that has changed it. A get reads the word at its home, at any time.
 *
 * Where. Checkouts, gets, puts, atomics, objects and temporary arrays work inside tasks and outside of runs, as in
 * main(). Calls that all workers make together (alloc, open, free, freeze, thaw, temporary_open) work outside of runs
 * only.
 *
 * Rules, and what detects violations. A violation that is detected ends the job with one line.
 *   - Nothing is checked out, and no transfer is in flight, at a spawn, a join or a task's end. UAT_TORTURE=steal
 *     detects all violations; any run detects those of a task that is published or parts from its spawner.
 *   - The same holds at a call of sync.h that waits. A call that does not wait may be made with ranges checked out.
 *     Bytes written to them stay, and the next checkout of other bytes reads the writes that the call orders before it.
 *   - An access lasts from checkout to checkin. No other task writes the bytes meanwhile, even if an object of sync.h
 *     orders that write.
 *   - A range checked out for writing overlaps no other checkout. UAT_TORTURE detects every overlap.
 *   - An access stays within one array or one object. UAT_TORTURE detects a checkout, get, put or atomic that reaches
 *     one element too far, up to 128 bytes beyond an object, or into a freed object. It cannot detect an access that
 *     lands in another object in use. Any run detects an access beyond an array's last chunk.
 *
 * The interface is that of Itoyori (Shiina and Taura, SC'23: checkout and checkin), with get, put and atomics after
 * OpenSHMEM and UPC++. How it works is in docs/global.md.
 */
#ifndef UAT_GLOBAL_H
#define UAT_GLOBAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* How an array is cut into chunks, and which worker keeps which. */
enum uat_distribution {
    UAT_BLOCKED, /* one chunk for each worker, in the order of ranks */
    UAT_CYCLIC   /* chunks of `block` bytes, dealt out to the workers in turn */
};

/* What a checkout is for. */
enum uat_access {
    UAT_READ = 1,      /* the bytes are read */
    UAT_WRITE = 2,     /* all of them will be written; until then their content is undefined */
    UAT_READ_WRITE = 3 /* they are read, and any of them may be written */
};

/* Bytes of a block: chunks are multiples of it, and far memory is cached in units of it. */
#define UAT_GLOBAL_BLOCK 65536

/*
 * Prepare global memory: collective, outside of runs, after uat_init(). Only a job that calls uat_global_object_alloc()
 * and never uat_global_alloc() needs it. Returns 0, even if it is prepared already, or a negative errno, reported.
 */
int uat_global_open(void);

/*
 * Allocate an array of `bytes`, all zero. Collective, outside of runs; all workers pass the same arguments. block is
 * rounded up to a multiple of UAT_GLOBAL_BLOCK; 0 means UAT_GLOBAL_BLOCK. UAT_BLOCKED does not use it. The caller
 * owns the array and frees it by uat_global_free(); uat_finalize() frees what is left. Returns its address,
 * aligned to 2 MiB, the same on every worker. On failure it prints one line that says why, sets errno and returns NULL,
 * on every worker. EINVAL: bytes is 0, the workers' arguments differ, or a run is in progress. ENOMEM: a machine, or
 * its control group, has too little memory for its share of this array and of the memory promised before.
 */
void *uat_global_alloc(size_t bytes, enum uat_distribution distribution, size_t block);

/* Give an array back. Collective, outside of runs. NULL is allowed. Returns 0 or a negative errno, reported. */
int uat_global_free(void *array);

/* Rank of the worker that keeps the byte at p, or -EINVAL if p is no global address. May be called anywhere. */
int uat_global_home(const void *p);

/* Returns how many bytes from p on, at most `bytes`, are near: their home is this host. 0 if p is far, or no global
 * address. May be called anywhere. */
size_t uat_global_near(const void *p, size_t bytes);

/*
 * Make the array read-only until uat_global_thaw(): cached bytes of it then stay valid across steals and joins.
 * UAT_TORTURE finds a task that writes it all the same. Collective, outside of runs. Returns 0 or a negative errno,
 * reported (-EINVAL: no array begins there).
 */
int uat_global_freeze(void *array);
int uat_global_thaw(void *array);

/*
 * Make [p, p + bytes) accessible. Returns the place to use instead of p. It is p itself if the range is near. If the
 * range is far, the place has the same distance to a multiple of 4096 as p. It is valid until the uat_global_checkin()
 * with the same arguments. A range must fit into the cache (UAT_CACHE_SIZE; a quarter of it if it lies on several
 * hosts); at most 256 far ranges are checked out at a time. 0 bytes may be checked out at any address.
 * Never fails: a range that is no global memory, or does not fit, ends the job with one line.
 */
static inline void *uat_global_checkout(const void *p, size_t bytes, enum uat_access access);

/* End the access that the checkout with the same arguments began. All bytes that were checked out with UAT_WRITE or
 * UAT_READ_WRITE are written back. */
static inline void uat_global_checkin(const void *p, size_t bytes, enum uat_access access);

/* Bytes that can be checked out at once wherever they lie: a quarter of the cache, SIZE_MAX in a job on one host.
 * Concurrent checkouts share them. All workers get the same value. */
size_t uat_global_checkout_limit(void);

/* Begin to fetch a range that will be checked out soon; does not wait, may do nothing. */
void uat_global_prefetch(const void *p, size_t bytes);

/* Copy bytes from or to global memory, near or far, without a checkout. local is any memory of the caller's. When
 * uat_global_put() returns, local may be used again. Both calls take effect in program order with the task's checkouts.
 * A range that is no global memory ends the job with one line. With 0 bytes nothing is done, whatever the addresses
 * are. For a near range, both are a memcpy(). */
static inline void uat_global_get(void *local, const void *global, size_t bytes);
static inline void uat_global_put(void *global, const void *local, size_t bytes);

/*
 * Copy rows of `bytes` each, row k from or to global + k * pitch and local + k * local_pitch: a tile of a matrix, for
 * example. A pitch is the number of bytes from one row to the next, at least `bytes`. Many far rows are fetched at a
 * time. As for get and put, all rows must lie in one array. Otherwise, or if rows overlap, the job ends with one line.
 */
void uat_global_get_strided(void *local, size_t local_pitch, const void *global, size_t pitch, size_t bytes,
                            size_t rows);
void uat_global_put_strided(void *global, size_t pitch, const void *local, size_t local_pitch, size_t bytes,
                            size_t rows);

/*
 * Access to one element by its type, in C: UAT_GLOBAL_GET(p) is the value at p, UAT_GLOBAL_PUT(p, value) puts one
 * there, and UAT_GLOBAL_NEW(type) allocates an object of that type, content undefined. They are uat_global_get(),
 * uat_global_put() and uat_global_object_alloc(); the compiler refuses a value of another type. C++ has uat::span.
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
#define UAT_GLOBAL_NEW(type) ((type *)uat_global_object_alloc(sizeof(type)))
#endif

/* A transfer that was begun and not waited for. It belongs to the runtime until uat_global_transfer_wait(). */
typedef struct uat_global_transfer {
    uint64_t mark; /* set from begin to wait */
    uint64_t end;  /* done once the link to the home has completed this many operations; 0: done */
    void *from;    /* where the bytes are to be copied from at the end; NULL: they land in place */
    void *to;
    uint32_t bytes, link;
} uat_global_transfer_t;

/*
 * Get and put in two steps, so that many can be in flight: begin, and wait before the next spawn, join or end of the
 * task. Between the two the program must not touch local. Two transfers of one task on the same bytes are in order only
 * if the task waits for the first before it begins the second. Each transfer is waited for exactly once; waiting for it
 * again, or for one that was never begun, ends the job with a line.
 */
void uat_global_get_begin(uat_global_transfer_t *transfer, void *local, const void *global, size_t bytes);
void uat_global_put_begin(uat_global_transfer_t *transfer, void *global, const void *local, size_t bytes);
void uat_global_transfer_wait(uat_global_transfer_t *transfer);

/* Strided get and put in two steps, with one wait for all rows. A program should expect overlap with its own work only
 * if the rows have one home, and `local` is on the task's stack or in global memory: other rows are done in begin. */
void uat_global_get_strided_begin(uat_global_transfer_t *transfer, void *local, size_t local_pitch, const void *global,
                                  size_t pitch, size_t bytes, size_t rows);
void uat_global_put_strided_begin(uat_global_transfer_t *transfer, void *global, size_t pitch, const void *local,
                                  size_t local_pitch, size_t bytes, size_t rows);

/* A word in global memory that several tasks may change concurrently, aligned to 8 bytes. The adapter of its home
 * changes it, or CPUs where the job has no adapter. */
typedef struct uat_atomic {
    uint64_t value;
} uat_atomic_t;

/*
 * The first two functions return the old value. Atomics order no other access: to publish data by an atomic, call
 * uat_global_release() before it, and read the data by uat_global_get(), which is not cached.
 * Release and acquire in these functions order near data in this way. The stores of a uat_global_put() precede the
 * atomic that publishes them, and the loads of a uat_global_get() follow the other worker's atomic that finds it.
 */
static inline uint64_t uat_atomic_fetch_add(uat_atomic_t *word, uint64_t addend);
static inline uint64_t uat_atomic_cmp_swap(uat_atomic_t *word, uint64_t expected, uint64_t desired);
static inline uint64_t uat_atomic_load(const uat_atomic_t *word);

/* Set the word; the first function returns the old value. The change is done when the call returns. It takes two round
 * trips or more on a far word, because an adapter compares and swaps: both functions try until no other change comes
 * between. */
static inline uint64_t uat_atomic_swap(uat_atomic_t *word, uint64_t desired);
static inline void uat_atomic_store(uat_atomic_t *word, uint64_t desired);

/* Add without waiting and without the old value. The addition is done by the task's next uat_global_release(), or by
 * the time a later task can know of it: at the next steal, join or end of a run between the two. */
static inline void uat_atomic_add(uat_atomic_t *word, uint64_t addend);

/*
 * Set the word to the larger or smaller of its value and another one, as unsigned or as signed numbers; or clear or set
 * bits. These functions return the old value, and the change is done when the call returns. A far word takes two round
 * trips or more, as for uat_atomic_swap(), but only one if the word keeps its value.
 */
static inline uint64_t uat_atomic_fetch_max(uat_atomic_t *word, uint64_t value);
static inline uint64_t uat_atomic_fetch_min(uat_atomic_t *word, uint64_t value);
static inline int64_t uat_atomic_fetch_max_signed(uat_atomic_t *word, int64_t value);
static inline int64_t uat_atomic_fetch_min_signed(uat_atomic_t *word, int64_t value);
static inline uint64_t uat_atomic_fetch_and(uat_atomic_t *word, uint64_t bits);
static inline uint64_t uat_atomic_fetch_or(uat_atomic_t *word, uint64_t bits);

/* Wait until everything that this worker has checked in, put or added is at its home. Only needed before an atomic that
 * publishes the data, because spawn, join and the end of a run release by themselves where needed. */
void uat_global_release(void);

/*
 * Allocate an object of `bytes` in the part of this worker (UAT_GLOBAL_SIZE bytes), aligned to 16 bytes, content
 * undefined. May be called anywhere, in a task above all. Returns the object's global address, which is near, or NULL
 * with errno ENOMEM after one line that says what to set.
 */
void *uat_global_object_alloc(size_t bytes);

/*
 * Free an object, from any worker. NULL is allowed. An address that is no object, or was freed already, ends the job
 * with one line.
 */
void uat_global_object_free(void *object);

/*
 * Temporary arrays: a task allocates an array that all workers keep, and any task frees it. An array from
 * uat_global_alloc() must be allocated and freed by all workers, outside of runs.
 *
 *     uat_global_temporary_open(64 << 20, 0);                      all workers, outside of runs
 *     double *t = uat_global_temporary_alloc(n * sizeof(double));  in a task
 *     ... t is used as any array ...
 *     uat_global_temporary_free(t);
 *
 * uat_global_temporary_open() sets memory aside for them: `bytes` for all arrays together, distributed in blocks of
 * `block` bytes as by UAT_CYCLIC. The memory is mapped, and registered with adapters, then and there, so an allocation
 * is a search in a table on rank 0's host: some four round trips. Collective, outside of runs; all workers pass the
 * same arguments. Another call replaces the memory by memory of another size; 0 bytes gives it up, as uat_finalize()
 * does. Returns 0 or a negative errno, reported. EBUSY: a temporary array is in use. EINVAL, ENOMEM: as
 * uat_global_alloc().
 *
 * uat_global_temporary_alloc() returns an array of `bytes`, content undefined, the same address on all workers. It
 * starts with a block, on any worker, and takes whole blocks, or whole 4096th parts of the memory if they are larger.
 * So there are at most 4096 arrays at a time. The caller owns the array, also beyond the end of the task and of the
 * run. Returns NULL with errno ENOMEM, after one line for the first time, if no gap is large enough. A call without
 * uat_global_temporary_open() ends the job with one line.
 *
 * uat_global_temporary_free() frees it, from any worker. All accesses must be ordered before the call. It waits until
 * all that this worker has written is at its home. NULL is allowed. An address at which no temporary array begins, or
 * whose array was freed already, ends the job with one line. UAT_TORTURE detects an access one element beyond an array,
 * or to a freed one.
 */
int uat_global_temporary_open(size_t bytes, size_t block);
void *uat_global_temporary_alloc(size_t bytes);
void uat_global_temporary_free(void *array);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "detail/global.h"

#endif
