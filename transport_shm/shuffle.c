/* SPDX-License-Identifier: MIT */
#include "transport_shm/shuffle.h"

#include <assert.h>
#include <sched.h>

#include "base/cpu.h"

enum { GROUP = 8 /* in a large copy, this number of neighbouring words stay together: a cache line */ };

void uat_shuffle_init(struct uat_shuffle *s, uint64_t seed, int rank)
{
    s->random = (seed + (uint64_t)rank + 1) * 0x9e3779b97f4a7c15ull; /* similar seeds must give different sequences */
    if (s->random == 0)
        s->random = 1;
    for (int i = 0; i < 8; i++)
        uat_shuffle_random(s, 1);
}

uint64_t uat_shuffle_random(struct uat_shuffle *s, uint64_t below)
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return (s->random * 0x2545f4914f6cdd1dull >> 32) % below;
}

void uat_shuffle_delay(struct uat_shuffle *s)
{
    uint64_t dice = uat_shuffle_random(s, 1024);
    if (dice < 2)
        sched_yield();
    else if (dice < 64)
        for (uint64_t i = uat_shuffle_random(s, 64); i > 0; i--)
            uat_cpu_pause();
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number of words in a unit. For few words it is 1. Otherwise it is the least GROUP * 2^k for which all copies
 * together have at most UAT_SHUFFLE_UNITS whole units. */
static uint64_t unit_size(const struct uat_shuffle_copy *copies, int n)
{
    uint64_t words = 0, unit = GROUP;
    for (int i = 0; i < n; i++)
        words += copies[i].words;
    if (words <= UAT_SHUFFLE_WORDWISE)
        return 1;
    while (words / unit > UAT_SHUFFLE_UNITS)
        unit *= 2;
    return unit;
}

UAT_ANY_BYTES static void copy_unit(struct uat_shuffle *s, const struct uat_shuffle_copy *copy, uint64_t first,
                                    uint64_t words)
{
    for (uint64_t done = 0; done < words; done += GROUP) {
        uint64_t group = least(GROUP, words - done), start = first + done;
        uint64_t turn = uat_shuffle_random(s, GROUP);
        for (uint64_t i = 0; i < GROUP; i++) {
            uint64_t word = i ^ turn; /* `word` takes each value 0..7 once, in one of eight orders */
            if (word < group)
                uat_word_store(copy->to + start + word, uat_word_load(copy->from + start + word));
        }
    }
}

void uat_shuffle_copies(struct uat_shuffle *s, const struct uat_shuffle_copy *copies, int n)
{
    assert(n <= UAT_SHUFFLE_COPIES);
    uint64_t unit = unit_size(copies, n), count = 0;
    for (int r = 0; r < n; r++)
        for (uint64_t first = 0; first < copies[r].words; first += unit, count++) {
            uint64_t at = uat_shuffle_random(s, count + 1); /* Fisher-Yates, inside out */
            s->units[count] = s->units[at];
            s->units[at].first = first;
            s->units[at].copy = (uint32_t)r;
        }
    for (uint64_t i = 0; i < count; i++) {
        const struct uat_shuffle_copy *copy = &copies[s->units[i].copy];
        uint64_t first = s->units[i].first;
        uat_shuffle_delay(s);
        copy_unit(s, copy, first, least(unit, copy->words - first));
    }
}
