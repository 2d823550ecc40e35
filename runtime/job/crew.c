/* SPDX-License-Identifier: MIT */
#include "runtime/job/crew.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "include/uat.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/segment/segment.h"

enum {
    LIMIT_BITS = 24, /* of `limit`: the number of workers; the rest is the number of the call */
    NAP_MAX_NS = 50000000,
    NAP_UNRUNG_NS = 5000000 /* the same if the transport cannot ring */
};

/* Sources and targets of the operations that this worker posts. */
struct staging {
    uint64_t old, new, state;
};

static struct uat_area words_area = {.name = "the crew",
                                     .size = sizeof(struct uat_crew_words),
                                     .align = _Alignof(struct uat_crew_words),
                                     .peers = UAT_PEERS_CHANGE,
                                     .striped = true};
static struct uat_area staging_area = {
    .name = "staging of the crew", .size = sizeof(struct staging), .peers = UAT_PEERS_NOTHING};

static struct uat_crew_words none; /* nobody has ever rested */
struct uat_crew_words *uat_crew_words = &none;
void (*uat_crew_hand_over)(void);

/* The other workers that do not rest, as of `epoch`. */
static struct {
    uint64_t epoch;
    int count;
    int *rank;
} others;

static struct staging *staging(void)
{
    return staging_area.at;
}

void uat_crew_reserve(void)
{
    uat_segment_reserve(&words_area);
    uat_segment_reserve(&staging_area);
}

void uat_crew_open(void (*hand_over)(void))
{
    uat_crew_hand_over = hand_over;
    uat_crew_words = words_area.at;
}

void uat_crew_close(void)
{
    uat_crew_words = &none;
    free(others.rank);
    memset(&others, 0, sizeof(others));
}

void uat_crew_reset(void)
{
    uat_crew_close();
    memset(words_area.at, 0, words_area.size);
    uat_crew_open(uat_crew_hand_over);
}

bool uat_crew_is_out(void)
{
    /* Relaxed: as in uat_crew_leaves(). */
    uint64_t limit = __atomic_load_n(&uat_crew_words->limit, __ATOMIC_RELAXED) & ((UINT64_C(1) << LIMIT_BITS) - 1);
    return limit > 0 && (uint64_t)uat_self.rank >= limit; /* never true for rank 0: Y1 */
}

bool uat_crew_is_whole(void)
{
    /* Relaxed: as in uat_crew_leaves(). */
    uint64_t limit = __atomic_load_n(&uat_crew_words->limit, __ATOMIC_RELAXED) & ((UINT64_C(1) << LIMIT_BITS) - 1);
    return limit == 0 || limit >= (uint64_t)uat_self.size;
}

static void swap(int rank, uint64_t expected, uint64_t desired)
{
    uint64_t *at = &((struct uat_crew_words *)uat_segment_of(rank, uat_crew_words))->limit;
    struct uat_op op = uat_op_cmp_swap(&staging()->old, at, expected, desired);
    uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
}

void uat_crew_limit(int n, void (*changed)(int rank))
{
    uint64_t *changes = &((struct uat_crew_words *)uat_segment_of(0, uat_crew_words))->changes;
    struct uat_op op = uat_op_fetch_add(&staging()->old, changes, 1);
    uat_check(uat_transport_do(uat_self.transport, 0, &op, 1));
    uint64_t word = (staging()->old + 1) << LIMIT_BITS | (uint64_t)n;
    /* Relaxed: a guess, which the swap compares. */
    uint64_t before = __atomic_load_n(&uat_crew_words->limit, __ATOMIC_RELAXED);
    for (int rank = 0; rank < uat_self.size; rank++) {
        uint64_t guess = before;
        while (guess >> LIMIT_BITS < word >> LIMIT_BITS) { /* L1 */
            swap(rank, guess, word);
            if (staging()->old == guess)
                break;
            guess = staging()->old;
        }
        changed(rank);
    }
}

void uat_crew_announce(enum uat_crew_state state)
{
    struct staging *s = staging();
    if (uat_crew_words->state[uat_self.rank] == state)
        return;
    s->state = state;
    for (int rank = 0; rank < uat_self.size; rank++) {
        struct uat_crew_words *there = uat_segment_of(rank, uat_crew_words);
        const struct uat_op chain[] = {
            uat_op_write(&s->state, &there->state[uat_self.rank], 8),
            /* Takes effect after the WRITE (O1); pairs with the load of `epoch` in uat_crew_others(). */
            uat_op_fetch_add(&s->old, &there->epoch, 1),
        };
        uat_check(uat_transport_do(uat_self.transport, rank, chain, 2));
    }
    uat_cpu_fence(); /* the states come before this worker's later loads (Y6); pairs with the fence in
                      * uat_crew_wake() */
}

/* The epoch. Acquire: orders this load before the loads of states. Pairs with the chain in uat_crew_announce(). */
static uint64_t epoch(void)
{
    return uat_cpu_load_acquire(&uat_crew_words->epoch);
}

/* Relaxed: callers have ordered the load; pairs with the WRITE in uat_crew_announce(). */
static uint64_t state_of(int rank)
{
    return __atomic_load_n(&uat_crew_words->state[rank], __ATOMIC_RELAXED);
}

void uat_crew_wake(int rank)
{
    void (*ring)(struct uat_transport * t, int peer, uint64_t *bell) = uat_self.transport->class_->ring;
    if (!ring || rank == uat_self.rank || uat_self.size > UAT_CREW_MAX)
        return;
    uat_cpu_fence(); /* the caller's operation comes before the load of the state (Y6); pairs with the fence in
                      * uat_crew_announce() */
    if (__builtin_expect(state_of(rank) != UAT_CREW_WORKS, 0))
        ring(uat_self.transport, rank, &((struct uat_crew_words *)uat_segment_of(rank, uat_crew_words))->bell);
}

uint64_t uat_crew_bell(void)
{
    /* Acquire: orders this load before the caller's looks for a reason to wake up (Y6). Pairs with the addition in
     * shm_ring(). */
    return uat_cpu_load_acquire(&uat_crew_words->bell);
}

void uat_crew_nap(uint64_t bell, uint64_t ns)
{
    uint64_t most = uat_self.transport->class_->ring ? NAP_MAX_NS : NAP_UNRUNG_NS;
    const struct timespec limit = {.tv_nsec = (long)(ns < most ? ns : most)};
    syscall(SYS_futex, &uat_crew_words->bell, FUTEX_WAIT, (uint32_t)bell, &limit, NULL, 0);
}

const int *uat_crew_others(int *count)
{
    uint64_t now = epoch();
    if (__builtin_expect(now == 0, 1))
        return NULL;
    if (!others.rank && !(others.rank = malloc((size_t)uat_self.size * sizeof(*others.rank))))
        uat_fatal("no memory for the list of the %d workers that take part", uat_self.size);
    if (now != others.epoch) {
        others.count = 0;
        for (int rank = 0; rank < uat_self.size; rank++)
            if (rank != uat_self.rank && state_of(rank) == UAT_CREW_WORKS)
                others.rank[others.count++] = rank;
        others.epoch = now;
    }
    *count = others.count;
    return others.rank;
}

bool uat_crew_has_others(void)
{
    int count;
    return !uat_crew_others(&count) || count > 0;
}

int uat_workers(void)
{
    int away = 0;
    if (uat_self.size > UAT_CREW_MAX)
        return uat_self.size;
    for (int rank = 0; rank < uat_self.size; rank++)
        away += state_of(rank) == UAT_CREW_AWAY;
    return uat_self.size - away;
}
