/* SPDX-License-Identifier: MIT */
/*
 * Description: a doze ends when a loop of pauses of one slice each would have seen a peer's change, and lasts its full
 * time without a change. A change of another word does not end the wait. Rank 0 WRITEs at many different times to
 * rank 1, which waits in both ways. For the simulation without the adversary.
 */
#include <stdio.h>

#include "base/virtual.h"
#include "runtime/inspect.h"
#include "uat.h"

/* STEP_NS and SLICE_NS have no common factor, so some changes take effect exactly at the end of a slice. */
enum { START_NS = 1000000, ROUND_NS = 100000, WAIT_NS = 10100, SLICE_NS = 100, STEP_NS = 101, STEPS = 100 };

struct words {
    uint64_t word, other, source; /* rank 0 WRITEs word and other */
};

static void pause_until(uint64_t ns)
{
    uint64_t now = uat_virtual->now();
    uat_virtual->pause(ns > now ? ns - now : 0);
}

/* Relaxed: the simulation orders this load after the WRITE in change_words(). */
static bool is_still(const struct words *w, uint64_t value)
{
    return __atomic_load_n(&w->word, __ATOMIC_RELAXED) == value;
}

static void wait_dozing(const struct words *w, uint64_t value)
{
    for (uint64_t ns = WAIT_NS; ns > 0 && is_still(w, value);)
        ns -= uat_virtual->doze(ns, SLICE_NS);
}

static void wait_looking(const struct words *w, uint64_t value)
{
    uint64_t ns = WAIT_NS;
    for (; ns > SLICE_NS && is_still(w, value); ns -= SLICE_NS)
        uat_virtual->pause(SLICE_NS);
    if (is_still(w, value))
        uat_virtual->pause(ns);
}

static int put(struct words *w, uint64_t *word, uint64_t value)
{
    w->source = value;
    struct uat_op op = uat_op_write(&w->source, word, sizeof(*word));
    return uat_transport_do(uat_inspect_transport(), 1, &op, 1);
}

/* Round 2 n and round 2 n + 1 WRITE at the same time after their start. */
static int change_words(struct words *w)
{
    for (uint64_t round = 0; round < (uint64_t)2 * STEPS; round++) {
        uint64_t begin = START_NS + round * ROUND_NS, late = SLICE_NS / 3 + round / 2 * STEP_NS;
        pause_until(begin + late / 2);
        if (put(w, &w->other, round))
            return 1;
        pause_until(begin + late);
        if (put(w, &w->word, round + 1))
            return 1;
    }
    return 0;
}

static int compare_waits(const struct words *w)
{
    unsigned early = 0;
    for (uint64_t round = 0; round < (uint64_t)2 * STEPS; round += 2) {
        uint64_t passed[2];
        for (uint64_t i = 0; i < 2; i++) {
            uint64_t begin = START_NS + (round + i) * ROUND_NS;
            pause_until(begin);
            (i == 0 ? wait_dozing : wait_looking)(w, round + i);
            passed[i] = uat_virtual->now() - begin;
        }
        early += passed[0] < WAIT_NS;
        if (passed[0] == passed[1])
            continue;
        fprintf(stderr, "doze: with a change after %lu ns, a doze takes %lu ns, a loop of pauses %lu\n",
                (unsigned long)(SLICE_NS / 3 + round / 2 * STEP_NS), (unsigned long)passed[0],
                (unsigned long)passed[1]);
        return 1;
    }
    return early == 0 || early == STEPS; /* both kinds of ends must occur */
}

int main(void)
{
    if (uat_init())
        return 1;
    struct words *w = uat_inspect_spare(sizeof(*w));
    int wrong = !w || !uat_virtual;
    if (!wrong && uat_rank() < 2)
        wrong = uat_rank() == 0 ? change_words(w) : compare_waits(w);
    return uat_finalize() != 0 || wrong;
}
