/* SPDX-License-Identifier: MIT */
/*
 * A chunk: the iterations that a loop runs between two looks at the deque. Each chunk is twice as long as the previous
 * one, until a chunk takes some ten microseconds. This time is long compared with a look at the deque, a read of the
 * counter and the calls (some 100 cycles). It is short compared with a loop that is worth stealing from. Near the end
 * of a range, a chunk is a fraction of the remaining iterations, so that some iterations remain to be split. But a
 * chunk takes at least half a microsecond.
 */
#ifndef UAT_CHUNK_H
#define UAT_CHUNK_H

#include <stdint.h>

enum {
    UAT_CHUNK_CYCLES = 32768, /* target cycles per chunk, within a factor of two */
    UAT_CHUNK_SHARE = 4,      /* a chunk is at most 1/UAT_CHUNK_SHARE of the remaining iterations */
    UAT_CHUNK_LEAST = 32,     /* but a chunk is at least 1/UAT_CHUNK_LEAST of a full chunk */
    UAT_CHUNK_WORTH = 8       /* a split is worthwhile from 1/UAT_CHUNK_WORTH of a full chunk on: two microseconds */
};

/* The length of the next chunk when `left` iterations are left. */
static inline int64_t uat_chunk_take(int64_t length, int64_t left, int64_t grain)
{
    int64_t share = left / UAT_CHUNK_SHARE, least = length / UAT_CHUNK_LEAST;
    length = share < length ? share : length;
    length = length < least ? least : length;
    length = length < grain ? grain : length;
    return length < left ? length : left;
}

/* Are the remaining iterations worth a split? */
static inline int uat_chunk_may_split(int64_t length, int64_t left, int64_t grain)
{
    return left > length / UAT_CHUNK_WORTH && left > grain;
}

/*
 * The new length after a chunk of `taken` iterations. A chunk takes far too long if, for example, heavy iterations
 * follow light ones. In that case the new length is the number of iterations that would have taken the right time. If a
 * task migrates within a chunk, `cycles` is the difference of two hosts' counters, and may be any number. This is
 * harmless, because `cycles` only affects the length of the next chunk.
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
