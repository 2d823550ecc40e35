/* SPDX-License-Identifier: MIT */
/* A deque without thieves, for unit tests of its owner: the test does what a thief would do. */
#ifndef UAT_TEST_DEQUE_ALONE_H
#define UAT_TEST_DEQUE_ALONE_H

#include "deque/owner.h"
#include "tests/test.h"

enum { CAPACITY = 512, HIGH = 1 << 20, STEP = 64 };

static struct uat_ring ring;
static struct uat_deque deque;
static unsigned records; /* how many records can still be taken */

static inline bool part(void *context, uintptr_t sp)
{
    return records > 0 && records--;
}

static inline int setup(void **state)
{
    struct uat_deque_user user = {.part = part};
    records = UINT32_MAX;
    if (uat_deque_open(&deque, &ring, CAPACITY, &user))
        return -1;
    uat_deque_push_gone(&deque, HIGH);
    return 0;
}

static inline int teardown(void **state)
{
    uat_deque_close(&deque);
    return 0;
}

static inline void push(unsigned n)
{
    while (n-- > 0)
        uat_deque_push(&deque, uat_deque_base(&deque) - STEP);
}

static inline enum uat_pop pop(void)
{
    uintptr_t sp;
    return uat_deque_pop(&deque, &sp);
}

/* Do what a thief does: claim the next index, or acknowledge an index. */
static inline uint64_t claim(void)
{
    return ring.claims++;
}
static inline void acknowledge(uint64_t index, enum uat_ack_status status)
{
    ring.ack[uat_slot_of(index)] = uat_ack(index, status);
}

static inline bool is_offered(uint64_t index)
{
    return uat_state_valid_for(ring.slot[uat_slot_of(index)].state, index);
}

#define DEQUE_TEST(name) TEST_WITH(name, setup, teardown)

#endif
