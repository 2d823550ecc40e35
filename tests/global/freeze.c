/* SPDX-License-Identifier: MIT */
/*
 * Description: every worker fetches each far byte of a frozen array at most once, however many steals and joins there
 * are. Bytes of another array are fetched again meanwhile. After uat_global_thaw() a worker sees what other workers
 * write. A second freeze must not bring back the bytes of the first one.
 *
 * usage: freeze PASSES
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"

enum { BYTES = 512 << 10, LEAF = 16 << 10 };

struct part {
    unsigned char *array;
    size_t from, to;
    unsigned char stamp;
};

static unsigned char value(size_t i, unsigned char stamp)
{
    return (unsigned char)(i * 31 + i / 4096 + stamp * 17u);
}

/* Read a range by a tree of tasks; *result: the number of wrong bytes. */
static void read_all(void *arg, void *result)
{
    struct part p = *(struct part *)arg;
    uint64_t wrong = 0, other = 0;
    if (p.to - p.from > LEAF) {
        struct part left = p, right = p;
        uat_task_t t;
        left.to = right.from = (p.from + p.to) / 2;
        uat_spawn(&t, read_all, &left, sizeof(left), &other, sizeof(other));
        read_all(&right, &wrong);
        uat_join(&t);
    } else {
        const unsigned char *q = uat_global_checkout(p.array + p.from, p.to - p.from, UAT_READ);
        for (size_t i = p.from; i < p.to; i++)
            wrong += q[i - p.from] != value(i, p.stamp);
        uat_global_checkin(p.array + p.from, p.to - p.from, UAT_READ);
    }
    wrong += other;
    memcpy(result, &wrong, sizeof(wrong));
}

/* Each rank writes a share of the array. Most of the share's bytes have their home on other ranks. */
static void write_all(unsigned char *array, unsigned char stamp)
{
    size_t n = (size_t)uat_size(), share = BYTES / n + 1, from = share * (size_t)uat_rank();
    for (size_t at = from; at < from + share && at < BYTES; at += 1000) {
        size_t m = from + share - at < 1000 ? from + share - at : 1000;
        m = at + m > BYTES ? BYTES - at : m;
        unsigned char *q = uat_global_checkout(array + at, m, UAT_WRITE);
        for (size_t i = 0; i < m; i++)
            q[i] = value(at + i, stamp);
        uat_global_checkin(array + at, m, UAT_WRITE);
    }
    uat_barrier();
}

/* Returns the number of bytes that all workers fetched in this many passes over the array; -1: a byte was wrong, or a
 * call failed. */
static int64_t pass(unsigned char *array, unsigned char stamp, int passes)
{
    uat_stats_t before, after;
    uint64_t wrong = 0;
    if (uat_stats_total(&before))
        return -1;
    for (int i = 0; i < passes && !wrong; i++) {
        struct part all = {array, 0, BYTES, stamp};
        if (uat_run(read_all, &all, sizeof(all), &wrong, sizeof(wrong)))
            return -1;
    }
    if (uat_stats_total(&after) || wrong) {
        if (uat_rank() == 0)
            fprintf(stderr, "freeze: %lu bytes are wrong\n", (unsigned long)wrong);
        return -1;
    }
    return (int64_t)(after.global_bytes_fetched - before.global_bytes_fetched);
}

static int expect(bool good, const char *what, int64_t bytes)
{
    if (!good && uat_rank() == 0)
        fprintf(stderr, "freeze: %s: %ld bytes fetched\n", what, (long)bytes);
    return !good;
}

int main(int argc, char **argv)
{
    int passes = argc > 1 ? atoi(argv[1]) : 8, faults = 0;
    if (uat_init())
        return 1;
    unsigned char *array = uat_global_alloc(BYTES, UAT_CYCLIC, 0);
    if (!array)
        return 1;
    const int64_t most = (int64_t)BYTES * uat_size();
    write_all(array, 1);
    faults += uat_global_freeze(array) != 0;
    int64_t frozen = pass(array, 1, passes);
    faults += expect(frozen > 0 && frozen <= most, "each worker fetches a frozen array once at most", frozen);
    int64_t again = pass(array, 1, passes);
    faults += expect(again >= 0 && frozen + again <= most, "it is not dropped between runs", frozen + again);
    faults += uat_global_thaw(array) != 0;
    write_all(array, 2);
    int64_t thawed = pass(array, 2, passes);
    faults +=
        expect(thawed >= passes * (int64_t)BYTES / uat_size() / 2, "a thawed array is fetched in each pass", thawed);
    faults += uat_global_freeze(array) != 0;
    int64_t second = pass(array, 2, passes);
    faults += expect(second >= 0 && second <= most, "an array that is frozen again is fetched once more", second);
    faults += uat_global_thaw(array) != 0;
    write_all(array, 3);
    faults += pass(array, 3, 1) < 0;
    return uat_finalize() || faults != 0;
}
