/* SPDX-License-Identifier: MIT */
/*
 * The random accesses of uat-irregular with OpenSHMEM: an atomic operation or a nonblocking get for each word. Checks
 * the table as uat-irregular does. usage: oshrun -n PES rival-irregular-shmem KERNEL WORDS UPDATES WINDOW, with WORDS
 * and UPDATES of each PE as logarithms to the base 2.
 *
 * The job ends by shmem_global_exit(), because shmem_finalize() of Open MPI 4.1.4 with UCX ends in a segmentation
 * fault.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <shmem.h>

#include "perf/irregular.h"

static enum uat_irregular_kernel kernel;
static int words_log, updates_log, window;
static uint64_t *table, *value; /* value: of a window */
static uint64_t errors;

static uint64_t mask(void)
{
    return ((uint64_t)shmem_n_pes() << words_log) - 1;
}

static uint64_t initial_word(uint64_t i)
{
    return kernel == UAT_HISTOGRAM ? 0 : kernel == UAT_GATHER ? uat_gather_word(i) : i;
}

/* Read the words of `count` numbers from x on, and compare them. */
static void gather(uint64_t x, int64_t count)
{
    uint64_t number = x, in_part = ((uint64_t)1 << words_log) - 1;

    for (int64_t i = 0; i < count; i++, number = uat_random_next(number)) {
        uint64_t index = number & mask();
        shmem_getmem_nbi(&value[i], table + (index & in_part), sizeof(*value), (int)(index >> words_log));
    }
    shmem_quiet();
    for (int64_t i = 0; i < count; i++, x = uat_random_next(x))
        errors += value[i] != uat_gather_word(x & mask());
}

/* All updates of this PE. addend: what the histogram adds. */
static void update(uint64_t addend)
{
    int64_t left = (int64_t)1 << updates_log;
    uint64_t in_part = ((uint64_t)1 << words_log) - 1;

    for (uint64_t x = uat_random_at((uint64_t)shmem_my_pe() << updates_log); left > 0; left -= window) {
        int64_t count = left < window ? left : window;
        if (kernel == UAT_GATHER)
            gather(x, count);
        for (int64_t i = 0; i < count; i++, x = uat_random_next(x)) {
            uint64_t index = x & mask();
            if (kernel == UAT_HISTOGRAM)
                shmem_ulong_atomic_add(table + (index & in_part), addend, (int)(index >> words_log));
            else if (kernel == UAT_GUPS)
                shmem_ulong_atomic_xor(table + (index & in_part), x, (int)(index >> words_log));
        }
    }
    shmem_quiet();
    shmem_barrier_all();
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Take the updates back. Returns the number of words of all PEs that are wrong. */
static uint64_t count_errors(void)
{
    uint64_t first = (uint64_t)shmem_my_pe() << words_log;
    uint64_t *sum = shmem_malloc(sizeof(*sum));

    *sum = 0;
    update(UINT64_MAX);
    for (uint64_t i = 0; i < (uint64_t)1 << words_log; i++)
        errors += table[i] != initial_word(first + i);
    shmem_ulong_atomic_add(sum, errors, 0);
    shmem_barrier_all();
    return shmem_ulong_atomic_fetch(sum, 0);
}

static bool read_arguments(int argc, char **argv)
{
    if (argc == 5) {
        kernel = (enum uat_irregular_kernel)atoi(argv[1]);
        words_log = atoi(argv[2]);
        updates_log = atoi(argv[3]);
        window = atoi(argv[4]);
    }
    return argc == 5 && kernel < UAT_IRREGULAR_KERNELS && words_log > 0 && words_log <= 30 && updates_log >= 0 &&
           updates_log <= 34 && window > 0;
}

int main(int argc, char **argv)
{
    if (!read_arguments(argc, argv)) {
        fprintf(stderr, "usage: %s KERNEL WORDS UPDATES WINDOW\n", argv[0]);
        return 2;
    }
    shmem_init();
    table = shmem_malloc(sizeof(*table) << words_log);
    value = calloc((size_t)window, sizeof(*value));
    if (!table || !value)
        shmem_global_exit(1);
    for (uint64_t i = 0; i < (uint64_t)1 << words_log; i++)
        table[i] = initial_word(((uint64_t)shmem_my_pe() << words_log) + i);
    shmem_barrier_all();
    double begin = seconds_now();
    update(1);
    double seconds = seconds_now() - begin;
    uint64_t wrong = count_errors(), updates = (uint64_t)shmem_n_pes() << updates_log;
    if (shmem_my_pe() == 0 && wrong > 0)
        fprintf(stderr, "%s: %" PRIu64 " words are wrong\n", argv[0], wrong);
    if (shmem_my_pe() == 0 && wrong == 0)
        printf("{\"updates\": %" PRIu64 ", \"seconds\": %.9f, \"updates_per_second\": %.0f}\n", updates, seconds,
               (double)updates / seconds);
    fflush(stdout);
    shmem_barrier_all();
    shmem_global_exit(wrong > 0);
}
