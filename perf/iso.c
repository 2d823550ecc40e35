/* SPDX-License-Identifier: MIT */
/*
 * Measures, in real time, what the migration of a stack costs with iso-address (HPDC'15, section 4). With iso-address
 * each stack has its own address range in the whole job. These ranges cannot be registered, so a thief copies the stack
 * from a buffer. Either the thief has touched the target pages before (USED), or it has not (FRESH). For comparison,
 * the program also measures a copy of uni-address (COPY): uni-address suspends or resumes a task by one copy within
 * resident memory. The kinds take turns in each round.
 *
 * UAT_STACKS=iso runs programs in this way. This program measures the copies alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "perf/bench.h"
#include "perf/report.h"

enum { SLOT = 16384 /* bytes reserved per stack */ };
enum { FRESH, USED, COPY, KINDS };

static const char *const names[KINDS] = {[FRESH] = "fresh", [USED] = "used", [COPY] = "copy"};
static int64_t bytes = 3055, rounds = 2000;

static struct {
    char *slots;             /* one slot per round; a slot is untouched until its round's FRESH copy */
    char *buffer, *resident; /* one stack each */
    uint64_t *ns[KINDS];
    long faults[KINDS];
} iso;

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static long faults(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
}

/* Copy the stack to the top of a slot or of the resident stack, as a thief does. */
static void copy_once(int kind, int64_t round)
{
    char *to = kind == COPY ? iso.resident : iso.slots + round * SLOT;
    long before = faults();
    uint64_t begin = uat_time_ns();
    memcpy(to + SLOT - bytes, iso.buffer, (size_t)bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
    iso.ns[kind][round] = uat_time_ns() - begin;
    iso.faults[kind] += faults() - before;
}

static void *map(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* The largest k such that this process can reserve 2^k bytes of addresses. */
static int largest_reservation(void)
{
    int bits = 30;
    for (void *p; (p = map((size_t)1 << (bits + 1))) && bits < 60; bits++)
        munmap(p, (size_t)1 << (bits + 1));
    return bits;
}

static int open_places(void)
{
    bool here = true;
    iso.slots = map((size_t)rounds * SLOT);
    iso.buffer = calloc(1, SLOT);
    iso.resident = calloc(1, SLOT);
    for (int k = 0; k < KINDS; k++)
        here &= (iso.ns[k] = calloc((size_t)rounds, sizeof(uint64_t))) != NULL;
    if (!here || !iso.slots || !iso.buffer || !iso.resident)
        return -ENOMEM;
    madvise(iso.slots, (size_t)rounds * SLOT, MADV_NOHUGEPAGE); /* no page of 2 MiB may contain several slots */
    memset(iso.buffer, 1, SLOT);
    memset(iso.resident, 1, SLOT);
    return 0;
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    char name[32];
    if (uat_rank() != 0)
        return 0;
    int rc = open_places();
    if (rc)
        return rc;
    for (int64_t i = 0; i < rounds; i++)
        for (int k = 0; k < KINDS; k++)
            copy_once(k, i);
    uat_report_begin(bench, settings);
    uat_report_count("bytes", (uint64_t)bytes);
    for (int k = 0; k < KINDS; k++) {
        qsort(iso.ns[k], (size_t)rounds, sizeof(uint64_t), compare);
        snprintf(name, sizeof(name), "%s_ns", names[k]);
        uat_report_real(name, (double)iso.ns[k][rounds / 2]);
        snprintf(name, sizeof(name), "%s_faults", names[k]);
        uat_report_real(name, (double)iso.faults[k] / (double)rounds);
        uat_report_line(names[k], "%llu ns, %.2f page faults", (unsigned long long)iso.ns[k][rounds / 2],
                        (double)iso.faults[k] / (double)rounds);
    }
    uat_report_count("reservable_bits", (uint64_t)largest_reservation());
    uat_report_line("reservable", "2^%d bytes", largest_reservation());
    uat_report_end();
    return 0;
}

static const struct uat_bench_option options[] = {
    {"--stack", "BYTES", "bytes of a stack that migrates", &bytes, NULL, 8, SLOT - 64},
    {"--rounds", "N", "stacks that migrate", &rounds, NULL, 10, 1e6},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-iso",
    .purpose = "Copy stacks to pages that were touched before or not, as migrations by iso-address do.",
    .options = options,
    .measure = measure,
};
