/* SPDX-License-Identifier: MIT */
/*
 * Description: the statistics of global memory are exact: hits, misses, bytes fetched and written, releases, and
 * releases that waited. Only rank 0 works; the counts of each step are known. Rank 0 prints its numbers of misses and
 * releases. run-counts compares these numbers with the timeline.
 */
#include <stdio.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"
#include "uat/transfer.h"

static uat_stats_detail_t before;
static int faults;

/* Check that the counters have risen by these numbers since the last call. */
static void expect(int line, uint64_t hits, uint64_t misses, uint64_t fetched, uint64_t written, uint64_t releases,
                   uint64_t waited)
{
    uat_stats_detail_t s;
    uat_stats_detail(&s);
    const uint64_t wanted[] = {hits, misses, fetched, written, releases, waited};
    const uint64_t seen[] = {s.global_hits - before.global_hits,
                             s.global_misses - before.global_misses,
                             s.global_bytes_fetched - before.global_bytes_fetched,
                             s.global_bytes_written - before.global_bytes_written,
                             s.global_releases - before.global_releases,
                             s.global_releases_waited - before.global_releases_waited};
    static const char *const names[] = {"hits", "misses", "fetched", "written", "releases", "waited"};
    for (int i = 0; i < 6; i++)
        if (wanted[i] != seen[i]) {
            fprintf(stderr, "counts: line %d: %s: %lu, not %lu\n", line, names[i], (unsigned long)seen[i],
                    (unsigned long)wanted[i]);
            faults++;
        }
    before = s;
}

static void access_range(char *p, size_t bytes, enum uat_access access)
{
    char *q = uat_global_checkout(p, bytes, access);
    if (access & UAT_WRITE)
        memset(q, 1, bytes);
    uat_global_checkin(p, bytes, access);
}

static void work(char *near, char *far, char *both)
{
    char local[5000] = {0};
    uat_global_transfer_t t;
    uat_stats_detail(&before);
    access_range(near, 10000, UAT_READ_WRITE);
    uat_global_release();
    expect(__LINE__, 0, 0, 0, 0, 0, 0); /* near accesses are not counted */
    access_range(far, 4096, UAT_READ);
    expect(__LINE__, 0, 1, 4096, 0, 0, 0);
    access_range(far + 100, 50, UAT_READ);
    expect(__LINE__, 1, 0, 0, 0, 0, 0);
    access_range(far + 4096, 4096, UAT_WRITE);
    expect(__LINE__, 0, 1, 0, 0, 0, 0); /* a part that is written as a whole is not fetched */
    uat_global_release();
    expect(__LINE__, 0, 0, 0, 4096, 1, 1);
    access_range(far + 8192 + 10, 20, UAT_WRITE);
    expect(__LINE__, 0, 1, 4096, 0, 0, 0); /* a part that is written incompletely is fetched */
    uat_global_release();
    uat_global_release();
    expect(__LINE__, 0, 0, 0, 20, 1, 1); /* the second release had no bytes to write */
    uat_global_prefetch(far + 5 * 4096, 4096);
    expect(__LINE__, 0, 0, 4096, 0, 0, 0);
    access_range(far + 5 * 4096, 4096, UAT_READ);
    expect(__LINE__, 0, 1, 0, 0, 0, 0);
    access_range(far + 100, 12000, UAT_READ);
    expect(__LINE__, 1, 0, 0, 0, 0, 0); /* hits three valid parts, although other parts were used last */
    uat_global_get(local, far, 5000);
    uat_global_get_begin(&t, local, far, 8);
    uat_global_transfer_wait(&t);
    expect(__LINE__, 0, 0, 5008, 0, 0, 0);
    uat_global_put(far, local, 5000);
    uat_global_put_begin(&t, far + 9000, local, 100);
    uat_global_transfer_wait(&t);
    expect(__LINE__, 0, 0, 0, 5100, 0, 0);
    uat_global_release();
    expect(__LINE__, 0, 0, 0, 0, 1, 1);
    uat_atomic_add((uat_atomic_t *)(far + 16384), 1);
    uat_global_release();
    expect(__LINE__, 0, 0, 0, 0, 1, 1);
    access_range(both, 200, UAT_READ_WRITE); /* 100 bytes of the range are far */
    expect(__LINE__, 0, 1, 100, 100, 0, 0);
}

/* Called after an acquire. A prefetch of one part of a block must not make the block's other parts valid again. */
static void work_anew(char *far)
{
    uat_stats_detail(&before);
    uat_global_prefetch(far + 5 * 4096, 4096);
    expect(__LINE__, 0, 0, 4096, 0, 0, 0);
    access_range(far, 4096, UAT_READ);
    expect(__LINE__, 0, 1, 4096, 0, 0, 0);
}

int main(void)
{
    if (uat_init())
        return 1;
    char *array = uat_global_alloc(2 * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0);
    if (!array || uat_size() != 2)
        return 1;
    if (uat_rank() == 0)
        work(array, array + UAT_GLOBAL_BLOCK, array + UAT_GLOBAL_BLOCK - 100);
    if (uat_barrier())
        return 1;
    if (uat_rank() == 0) {
        work_anew(array + UAT_GLOBAL_BLOCK);
        uat_global_release();
        uat_stats_detail_t s;
        uat_stats_detail(&s);
        printf("%lu misses, %lu releases\n", (unsigned long)s.global_misses, (unsigned long)s.global_releases);
    }
    return uat_barrier() || uat_finalize() || faults;
}
