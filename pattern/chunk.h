/* SPDX-License-Identifier: MIT */
/*
 * How many iterations a loop runs between two looks at the deque: twice as many each time, until they take some ten
 * microseconds. That is long against a look, the counter and the calls (some 100 cycles), and short against the time of
 * a loop that is worth a steal. Near the end of a range it is a part of what is left, so that there is something to
 * split; but no less than half a microsecond.
 */
#ifndef UAT_CHUNK_H
#define UAT_CHUNK_H

#include <stdint.h>

enum {
    UAT_CHUNK_CYCLES = 32768, /* of the counter, at least half of it and at most twice */
    UAT_CHUNK_SHARE = 4,      /* of what is left, the part that one chunk has at most */
    UAT_CHUNK_LEAST = 32,     /* ... but no less than this part of a full chunk */
    UAT_CHUNK_WORTH = 8       /* the part of a full chunk that is worth a split: two microseconds */
};

/* The length of the next chunk, of `left` iterations. */
static inline int64_t uat_chunk_take(int64_t length, int64_t left, int64_t grain)
{
    int64_t share = left / UAT_CHUNK_SHARE, least = length / UAT_CHUNK_LEAST;
    length = share < length ? share : length;
    length = length < least ? least : length;
    length = length < grain ? grain : length;
    return length < left ? length : left;
}

/* Is what is left worth a split? */
static inline int uat_chunk_may_split(int64_t length, int64_t left, int64_t grain)
{
    return left > length / UAT_CHUNK_WORTH && left > grain;
}

/*
 * The new length after a chunk of `taken` iterations. If that took far too long, as where light iterations are followed
 * by heavy ones, as many as would have taken the right time. A task may migrate within a chunk, so `cycles`, the
 * difference of two hosts' counters, may be anything: it only decides how long the next chunk is.
 */
static inline int64_t uat_chunk_adapt(int64_t length, int64_t taken, uint64_t cycles, int64_t grain)
{
    if (cycles < UAT_CHUNK_CYCLES / 2)
        return taken == length && length < INT64_MAX / 2 ? 2 * length : length;
    if (cycles <= 2 * UAT_CHUNK_CYCLES)
        return length;
    int64_t fitting = (int64_t)((double)taken * UAT_CHUNK_CYCLES / (double)cycles);
    return fitting > grain ? fitting : grain;
}

#endif
