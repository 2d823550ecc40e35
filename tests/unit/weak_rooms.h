/* SPDX-License-Identifier: MIT */
/* What the files of test_weak_rooms share: the simulated memory, and pairs of sides that use it. */
#ifndef UAT_TESTS_UNIT_WEAK_ROOMS_H
#define UAT_TESTS_UNIT_WEAK_ROOMS_H

#include <stdint.h>

#include "runtime/flow/state.h"
#include "runtime/segment/heap.h"

enum { SEEDS = 2000, LOOKS = 4, AREA = 1 << 16 };

/* The memory of the worker under test. All of it is shared. */
extern struct weak_rooms {
    _Alignas(UAT_FLOW_CHUNK_BYTES) char chunk[UAT_FLOW_CHUNK_BYTES];
    _Alignas(64) char area[AREA], node[UAT_HEAP_UNIT], heap[4 * UAT_HEAP_UNIT];
    uint64_t x, y;
} shared;

/* How often a side learned of the other; how often it did not see the other's work. */
extern int met, torn;

/* The other side's work, done before it notifies this side. */
void work(void);
void learned(void);

/* Run the two sides with each seed, after reset() if it is not NULL. The second side must learn of the first one in
 * many of the runs, and must then see its work. */
void check(void (*reset)(void), void (*first)(void), void (*second)(void));

/* A side that looks several times whether it has learned of the other one. */
#define LOOKS_FOR(name, learns)                                                                                        \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        for (int i = 0; i < LOOKS; i++)                                                                                \
            if (learns)                                                                                                \
                learned();                                                                                             \
    }

#endif
