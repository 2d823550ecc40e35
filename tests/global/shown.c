/* SPDX-License-Identifier: MIT */
/*
 * Description: a slot publishes a run of valid bytes to checkouts. A checkout may hit the run only while the run is
 * valid. It must not hit in these cases:
 * - the epoch's number recurs
 * - the slot was reassigned to another block
 * - the run's array was freed or thawed
 * The test has two workers and a cache of two slots.
 */
#include <stdio.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/sync.h"

enum { BLOCKS = 4, CHUNK = BLOCKS * UAT_GLOBAL_BLOCK };

static int faults;

static void expect(const char *what, uint64_t seen, uint64_t wanted)
{
    if (seen == wanted)
        return;
    fprintf(stderr, "shown: %s: %lu, not %lu\n", what, (unsigned long)seen, (unsigned long)wanted);
    faults++;
}

static char read_byte(const char *p)
{
    const char *q = uat_global_checkout(p, 1, UAT_READ);
    char byte = *q;
    uat_global_checkin(p, 1, UAT_READ);
    return byte;
}

static void fill(char *near, int first)
{
    for (int i = 0; i < BLOCKS; i++)
        memset(near + (size_t)i * UAT_GLOBAL_BLOCK, first + i, UAT_GLOBAL_BLOCK);
}

struct look {
    const char *far;
    uint64_t epoch;
};

/* Runs on rank 0. Lock and unlock a mutex until the epoch's number has wrapped around to look->epoch. Each lock is an
 * acquire, which increases the epoch. */
static void look_again(void *arg, void *result)
{
    const struct look *look = arg;
    uat_mutex_t mutex = uat_mutex_create();
    for (int i = 0; i < 1 << 16 && uat_far.epoch != look->epoch; i++) {
        uat_mutex_lock(mutex);
        uat_mutex_unlock(mutex);
    }
    expect("the epoch", uat_far.epoch, look->epoch);
    expect("the byte when the number comes around", (uint64_t)read_byte(look->far), 11);
    uat_mutex_destroy(mutex);
}

/* Rank 1 writes between two reads by rank 0. The epoch has the same number at both reads. */
static int epochs_come_again(char *far)
{
    struct look look = {far, uat_far.epoch};
    if (uat_rank() == 0)
        expect("the byte at first", (uint64_t)read_byte(far), 1);
    int rc = uat_barrier();
    if (uat_rank() == 1)
        fill(far, 11);
    return rc ? rc : uat_run(look_again, &look, sizeof(look), NULL, 0);
}

static void slot_is_taken(const char *far)
{
    const char *next = far + (size_t)2 * UAT_GLOBAL_BLOCK; /* uses the same slot */
    expect("the byte of the first block", (uint64_t)read_byte(far), 11);
    uint64_t hits = uat_far.hits;
    expect("once more", (uint64_t)read_byte(far), 11);
    expect("hits", uat_far.hits - hits, 1);
    uat_global_prefetch(next, 100);
    expect("the first block after a prefetch to its place", (uint64_t)read_byte(far), 11);
    expect("the block that was prefetched", (uint64_t)read_byte(next), 13);
}

/* A frozen array must stay cached across an acquire; a thawed array must not. */
static int thawed(char *array, const char *far)
{
    int rc = uat_global_freeze(array);
    if (uat_rank() == 0)
        read_byte(far);
    if (!rc)
        rc = uat_barrier();
    uint64_t hits = uat_far.hits;
    if (uat_rank() == 0) {
        read_byte(far);
        expect("hits of what is frozen", uat_far.hits - hits, 1);
    }
    if (rc || uat_global_thaw(array))
        return -1;
    hits = uat_far.hits;
    if (uat_rank() == 0)
        read_byte(far);
    expect("hits of what was thawed", uat_far.hits - hits, 0);
    return 0;
}

int main(void)
{
    if (uat_init())
        return 1;
    char *array = uat_global_alloc((size_t)2 * CHUNK, UAT_BLOCKED, 0), *far = array + CHUNK;
    if (!array || uat_size() != 2 || (uat_rank() == 0 && uat_global_near(far, 1)))
        return 1;
    if (uat_rank() == 1)
        fill(far, 1);
    if (uat_barrier() || epochs_come_again(far))
        return 1;
    if (uat_rank() == 0)
        slot_is_taken(far);
    if (thawed(array, far) || uat_global_free(array))
        return 1;
    array = uat_global_alloc((size_t)2 * CHUNK, UAT_BLOCKED, 0);
    if (!array || array + CHUNK != far)
        return 1;
    if (uat_rank() == 0)
        expect("the byte of another array", (uint64_t)read_byte(far), 0);
    return uat_barrier() || uat_finalize() || faults;
}
