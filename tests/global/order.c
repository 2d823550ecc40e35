/* SPDX-License-Identifier: MIT */
/*
 * Description: random race-free programs over a global array read what their sequential execution would read. A task
 * owns a range of bytes with arbitrary bounds. It checks and rewrites the range. It keeps a part that its children may
 * read, gives the rest to the children, and checks all that they wrote. The value of every byte shows when the byte was
 * written. Accesses are checkouts of all kinds, and blocking or split-phase gets and puts, of random sizes.
 *
 * usage: order RUNS SEED [KIB]
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/global.h"
#include "uat/transfer.h"

enum { CHILDREN_MAX = 5, DEPTH = 5, SMALL = 4096, LOCAL = 6000, TRANSFERS = 4 };

struct range {
    size_t from, to;
    uint64_t stamp; /* the stamp of all its bytes */
};

struct arg {
    struct range own, shared;
    uint64_t seed;
    int depth;
};

static unsigned char *array;
static size_t bytes;

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = mix(*seed + 0x9e3779b97f4a7c15u);
    return *seed % below;
}

static unsigned char value(size_t i, uint64_t stamp)
{
    return (unsigned char)mix(i * 1000003 + stamp * 0x9e3779b97f4a7c15u);
}

/* The amount that a task at this depth adds to the stamp of its range. */
static uint64_t steps(int depth)
{
    return 1 + 2 * (uint64_t)depth;
}

static void compare(const unsigned char *seen, size_t from, size_t n, uint64_t stamp)
{
    for (size_t i = 0; i < n; i++)
        if (seen[i] != value(from + i, stamp)) {
            uint64_t was = stamp;
            while (was > 0 && seen[i] != value(from + i, was))
                was--;
            fprintf(stderr, "order: rank %d: byte %zu of [%zu, %zu) is not of stamp %lu, rather of %lu\n", uat_rank(),
                    from + i, from, from + n, (unsigned long)stamp, (unsigned long)was);
            fflush(stderr);
            abort();
        }
}

static void fill(unsigned char *to, size_t from, size_t n, uint64_t stamp)
{
    for (size_t i = 0; i < n; i++)
        to[i] = value(from + i, stamp);
}

/* Read n bytes with several gets in flight at a time, and check them. */
static void get_split(size_t from, size_t n, uint64_t stamp)
{
    unsigned char local[LOCAL];
    uat_global_transfer_t t[TRANSFERS];
    size_t piece = n / TRANSFERS + 1;
    int count = 0;
    for (size_t at = 0; at < n; at += piece, count++)
        uat_global_get_begin(&t[count], local + at, array + from + at, n - at < piece ? n - at : piece);
    while (count-- > 0)
        uat_global_transfer_wait(&t[count]);
    compare(local, from, n, stamp);
}

static void put_split(size_t from, size_t n, uint64_t stamp)
{
    unsigned char local[LOCAL];
    uat_global_transfer_t t[TRANSFERS];
    size_t piece = n / TRANSFERS + 1;
    int count = 0;
    fill(local, from, n, stamp);
    for (size_t at = 0; at < n; at += piece, count++)
        uat_global_put_begin(&t[count], array + from + at, local + at, n - at < piece ? n - at : piece);
    while (count-- > 0)
        uat_global_transfer_wait(&t[count]);
}

static void check_piece(uint64_t *seed, size_t from, size_t n, uint64_t stamp)
{
    unsigned char local[LOCAL];
    uint64_t way = draw(seed, 8);
    if (way == 0 && n <= LOCAL) {
        uat_global_get(local, array + from, n);
        compare(local, from, n, stamp);
    } else if (way == 1 && n <= LOCAL) {
        get_split(from, n, stamp);
    } else {
        if (way == 2)
            uat_global_prefetch(array + from, n);
        compare(uat_global_checkout(array + from, n, UAT_READ), from, n, stamp);
        uat_global_checkin(array + from, n, UAT_READ);
    }
}

static void write_piece(uint64_t *seed, size_t from, size_t n, uint64_t stamp)
{
    unsigned char local[LOCAL], *q;
    uint64_t way = draw(seed, 8);
    if (way == 0 && n <= LOCAL) {
        fill(local, from, n, stamp);
        uat_global_put(array + from, local, n);
    } else if (way == 1 && n <= LOCAL) {
        put_split(from, n, stamp);
    } else if (way < 5) {
        fill(uat_global_checkout(array + from, n, UAT_WRITE), from, n, stamp);
        uat_global_checkin(array + from, n, UAT_WRITE);
    } else {
        q = uat_global_checkout(array + from, n, UAT_READ_WRITE);
        compare(q, from, n, stamp - 1);
        fill(q, from, n, stamp);
        uat_global_checkin(array + from, n, UAT_READ_WRITE);
    }
}

/* Apply `act` to the range, in small or large pieces. */
static void each_piece(uint64_t *seed, struct range r, void (*act)(uint64_t *, size_t, size_t, uint64_t))
{
    while (r.from < r.to) {
        uint64_t kind = draw(seed, 8);
        size_t n = 1 + (size_t)draw(seed, kind == 0 ? 16 : kind < 4 ? SMALL : 20000);
        if (n > r.to - r.from)
            n = r.to - r.from;
        act(seed, r.from, n, r.stamp);
        r.from += n;
    }
}

static void check(uint64_t *seed, struct range r)
{
    each_piece(seed, r, check_piece);
}

/* Rewrite the range from r.stamp to stamp. */
static void rewrite(uint64_t *seed, struct range r, uint64_t stamp)
{
    for (; r.stamp < stamp;) {
        r.stamp++;
        each_piece(seed, r, write_piece);
    }
}

static void work(uint64_t *seed)
{
    for (uint64_t n = draw(seed, 8) == 0 ? draw(seed, 20000) : draw(seed, 200); n > 0; n--)
        __asm__ volatile("");
}

static void tree(void *arg, void *result);

/* Give the range `own` to children, which may read `shared`. Join them in an order that begins at a random child. The
 * caller checks what they wrote. */
static void divide(uint64_t *seed, struct range own, struct range shared, int depth)
{
    uat_task_t task[CHILDREN_MAX];
    int n = 1 + (int)draw(seed, CHILDREN_MAX);
    size_t at = own.from;
    for (int i = 0; i < n; i++) {
        size_t to = i == n - 1 ? own.to : at + (size_t)draw(seed, own.to - at + 1);
        struct arg child = {{at, to, own.stamp}, shared, mix(*seed ^ draw(seed, 1 << 30)), depth - 1};
        uat_spawn(&task[i], tree, &child, sizeof(child), NULL, 0);
        at = to;
        work(seed);
        if (draw(seed, 4) == 0)
            check(seed, shared);
    }
    int first = (int)draw(seed, (uint64_t)n);
    for (int i = 0; i < n; i++)
        uat_join(&task[(first + i) % n]);
}

static void tree(void *arg, void *result)
{
    struct arg a = *(struct arg *)arg;
    uint64_t seed = a.seed;
    check(&seed, a.shared);
    if (draw(&seed, 2))
        check(&seed, a.own);
    if (a.depth == 0 || a.own.to - a.own.from < 4) {
        rewrite(&seed, a.own, a.own.stamp + steps(a.depth));
        return;
    }
    rewrite(&seed, a.own, a.own.stamp + 1);
    a.own.stamp++;
    size_t kept = (size_t)draw(&seed, (a.own.to - a.own.from) / 4 + 1);
    struct range shared = {a.own.from, a.own.from + kept, a.own.stamp}, rest = {shared.to, a.own.to, a.own.stamp};
    divide(&seed, rest, shared, a.depth);
    rewrite(&seed, shared, shared.stamp + steps(a.depth - 1));
    a.own.stamp += steps(a.depth - 1);
    if (draw(&seed, 2))
        check(&seed, a.own);
    rewrite(&seed, a.own, a.own.stamp + 1);
}

/* Between two runs, rewrite the share of the rank that is `shift` ranks after this one. */
static void rewrite_share(uint64_t *seed, uint64_t stamp, int shift)
{
    size_t n = (size_t)uat_size(), i = ((size_t)uat_rank() + (size_t)shift) % n;
    rewrite(seed, (struct range){bytes * i / n, bytes * (i + 1) / n, stamp}, stamp + 1);
}

static int one_run(uint64_t seed, uint64_t *stamp)
{
    struct arg a = {{0, bytes, *stamp + 1}, {0, 0, 0}, mix(seed), DEPTH};
    uint64_t own = mix(seed + 7919 * (uint64_t)uat_rank());
    rewrite_share(&own, *stamp, 0);
    int rc = uat_run(tree, &a, sizeof(a), NULL, 0);
    *stamp += 1 + steps(DEPTH);
    if (!rc) {
        rewrite_share(&own, (*stamp)++, 1);
        rc = uat_barrier();
    }
    if (!rc && draw(&own, 2))
        check(&own, (struct range){0, bytes, *stamp});
    return rc ? rc : uat_barrier();
}

int main(int argc, char **argv)
{
    unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 10, seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    uint64_t stamp = 1, own = seed;
    bytes = (argc > 3 ? strtoul(argv[3], NULL, 10) : 300) << 10;
    if (uat_init())
        return 1;
    array = uat_global_alloc(bytes, seed % 2 ? UAT_CYCLIC : UAT_BLOCKED, 0);
    if (!array)
        return 1;
    size_t n = (size_t)uat_size(), i = (size_t)uat_rank(), from = bytes * i / n, to = bytes * (i + 1) / n;
    for (size_t at = from; at < to; at += SMALL) {
        size_t m = to - at < SMALL ? to - at : SMALL;
        fill(uat_global_checkout(array + at, m, UAT_WRITE), at, m, stamp);
        uat_global_checkin(array + at, m, UAT_WRITE);
    }
    uat_barrier();
    check(&own, (struct range){0, bytes, stamp});
    uat_barrier();
    for (unsigned long r = 0; r < runs; r++)
        if (one_run(seed * 1000003 + r, &stamp))
            return 1;
    uat_stats_detail_t s;
    if (uat_global_free(array) || uat_stats_detail_total(&s))
        return 1;
    if (uat_rank() == 0)
        printf("%lu runs, %lu tasks, %lu steals, %lu joins second, %lu resumes away, %lu misses, %lu hits, %lu bytes "
               "fetched, %lu "
               "written, %lu releases, %lu withheld\n",
               runs, s.tasks, s.steals, s.joins_second, s.resumes_away, s.global_misses, s.global_hits,
               s.global_bytes_fetched, s.global_bytes_written, s.global_releases, s.publications_unreleased);
    return uat_finalize() != 0;
}
