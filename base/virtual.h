/* SPDX-License-Identifier: MIT */
/*
 * Virtual time: a simulation replaces the clock, the waits and the CPU's store buffer by functions in a table. The
 * table is set once, at start-up. Without a simulation uat_virtual is NULL, and each hook costs one predictable branch
 * on a slow path. The fast paths of spawn, return and join have no hook.
 */
#ifndef UAT_VIRTUAL_H
#define UAT_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

struct uat_virtual {
    uint64_t (*now)(void);      /* nanoseconds since the job's start */
    void (*run)(bool begins);   /* this worker begins or ends a run */
    void (*task)(void);         /* a spawned task starts: let its virtual time pass */
    void (*work)(uint64_t ns);  /* the program computes for this time */
    void (*copy)(size_t bytes); /* a stack of this size has been copied within this worker's memory */
    /* This worker has touched this number of pages of iso-address stacks for the first time: in a steal, or in a spawn
     * or a resumption. Called for each steal, also with 0 pages. */
    void (*fault)(uint64_t pages, bool steal);
    void (*pause)(uint64_t ns);                      /* let time pass in a loop that polls something outside this
                                                      * worker's segment */
    void (*wait)(void);                              /* wait until a peer has changed a word of this worker's segment */
    void (*complete)(void);                          /* wait until all chains that this worker waits for are complete */
    void (*delay)(void);                             /* let random time pass between two steps of owner and thief */
    void (*fence)(void);                             /* the full fence: the store buffer drains */
    void (*store)(uint64_t *word, uint64_t value);   /* a store that peers may see */
    void (*release)(uint64_t *word, uint64_t value); /* a store that peers may see, but only after all earlier stores */
};

extern const struct uat_virtual *uat_virtual;

#define UAT_IS_VIRTUAL() __builtin_expect(uat_virtual != NULL, 0)

/*
 * The functions below take a parameter `simulated`; its value is UAT_IS_VIRTUAL(). A caller that uses several of them
 * evaluates UAT_IS_VIRTUAL() once. Then the compiler also makes a copy of the caller without hooks.
 */

/* The full fence before loads of words that peers change. A comment at each use names the two sides that it orders. */
static inline __attribute__((always_inline)) void uat_fence(bool simulated)
{
    if (simulated)
        uat_virtual->fence();
    uat_cpu_fence();
}

/* Store a word that is in the segment, and that peers READ. A comment at each use names the two sides that it
 * orders. */
static inline __attribute__((always_inline)) void uat_store_relaxed(bool simulated, uint64_t *word, uint64_t value)
{
    if (simulated)
        uat_virtual->store(word, value);
    else
        __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static inline __attribute__((always_inline)) void uat_store_release(bool simulated, uint64_t *word, uint64_t value)
{
    if (simulated)
        uat_virtual->release(word, value);
    else
        uat_cpu_store_release(word, value);
}

/* A stack of `bytes` bytes has been copied within this worker's memory: let the time of the copy pass. */
static inline void uat_copied(size_t bytes)
{
    if (UAT_IS_VIRTUAL())
        uat_virtual->copy(bytes);
}

/* A counter of constant rate for timelines and intervals: the processor's counter, or nanoseconds of virtual time. */
static inline uint64_t uat_counter(void)
{
    return UAT_IS_VIRTUAL() ? uat_virtual->now() : uat_cpu_counter();
}
static inline uint64_t uat_counter_ordered(void)
{
    return UAT_IS_VIRTUAL() ? uat_virtual->now() : uat_cpu_counter_ordered();
}

#endif
