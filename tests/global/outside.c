/* SPDX-License-Identifier: MIT */
/*
 * Description: checkouts, gets, puts, atomics and objects work in main(), ordered by uat_barrier(). Words are used
 * alternately by atomics and as plain data.
 *
 * In each round a rank writes to the next rank's part, and reads the words that the previous rank wrote to the reader's
 * part.
 */
#include <stdio.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"

enum { ROUNDS = 20, WORDS = 64, PART = UAT_GLOBAL_BLOCK / sizeof(uint64_t), SUM = 2 * PART - 1, PUT = WORDS };

static uint64_t value(int round, int rank, int i)
{
    return (uint64_t)round * 1000000 + (uint64_t)rank * 1000 + (uint64_t)i;
}

/* Returns the number of words at p that differ from what `rank` wrote in this round. */
static int wrong_words(const uint64_t *p, int round, int rank)
{
    int wrong = 0;
    const uint64_t *q = uat_global_checkout(p, WORDS * sizeof(*p), UAT_READ);
    for (int i = 0; i < WORDS; i++)
        wrong += q[i] != value(round, rank, i);
    uat_global_checkin(p, WORDS * sizeof(*p), UAT_READ);
    return wrong;
}

static void write_words(uint64_t *p, int round, int rank)
{
    uint64_t *q = uat_global_checkout(p, WORDS * sizeof(*p), UAT_WRITE);
    for (int i = 0; i < WORDS; i++)
        q[i] = value(round, rank, i);
    uat_global_checkin(p, WORDS * sizeof(*p), UAT_WRITE);
    uat_global_put(p + PUT, &(uint64_t){value(round, rank, PUT)}, sizeof(*p));
}

/* Returns whether the sum, read as plain data, differs from `wanted`. All ranks add to it by atomics; then rank 0
 * subtracts 1 as plain data. */
static int wrong_sum(uint64_t *sum, uint64_t wanted)
{
    const uint64_t *q = uat_global_checkout(sum, sizeof(*sum), UAT_READ);
    int wrong = *q != wanted;
    uat_global_checkin(sum, sizeof(*sum), UAT_READ);
    return wrong;
}

static int round_of(uint64_t *array, int round, uint64_t *sum_wanted)
{
    int rank = uat_rank(), size = uat_size(), wrong = 0;
    uint64_t *own = array + (size_t)rank * PART, *next = array + (size_t)((rank + 1) % size) * PART, got, *object;
    uint64_t *sum = array + SUM % ((size_t)size * PART);
    write_words(next, round, rank);
    uat_atomic_fetch_add((uat_atomic_t *)sum, 1);
    uat_atomic_add((uat_atomic_t *)sum, 2);
    *sum_wanted += 3 * (uint64_t)size;
    if (uat_barrier() < 0)
        return 1;
    wrong += wrong_words(own, round, (rank + size - 1) % size) + wrong_words(next, round, rank) +
             wrong_sum(sum, *sum_wanted);
    uat_global_get(&got, own + PUT, sizeof(got));
    object = uat_global_object_alloc(sizeof(*object));
    wrong += got != value(round, (rank + size - 1) % size, PUT) || !object;
    uat_global_object_free(object);
    if (uat_barrier() < 0)
        return 1;
    --*sum_wanted;
    if (rank == 0) {
        *(uint64_t *)uat_global_checkout(sum, sizeof(*sum), UAT_WRITE) = *sum_wanted;
        uat_global_checkin(sum, sizeof(*sum), UAT_WRITE);
    }
    return wrong + (uat_barrier() < 0);
}

int main(void)
{
    int wrong = 0;
    uint64_t sum = 0, *array;
    if (uat_init() < 0 || !(array = uat_global_alloc((size_t)uat_size() * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0)))
        return 1;
    for (int round = 0; round < ROUNDS; round++)
        wrong += round_of(array, round, &sum);
    printf("rank %d: %d wrong in %d rounds\n", uat_rank(), wrong, ROUNDS);
    return uat_finalize() < 0 || wrong;
}
