/* SPDX-License-Identifier: MIT */
/* The common part of uat-threads and its rivals: sizes, and computations without threads. */
#ifndef UAT_PERF_THREADS_H
#define UAT_PERF_THREADS_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    THREADS_ROOM = 16,      /* items in the buffer of condvar */
    THREADS_YIELDS = 1000,  /* sysbench --thread-yields, per thread */
    THREADS_LOCKS = 8,      /* sysbench --thread-locks */
    THREADS_LOCKED = 5000,  /* sysbench's default for --mutex-locks is 50000; --mutex-loops is 0 here */
    THREADS_MUTEXES = 4096, /* sysbench --mutex-num */
    THREADS_CUT = 1000      /* a part of fewer elements gets no thread */
};

/* The mutex that thread `self` locks in turn i. */
static inline int64_t threads_mutex(uint64_t self, int64_t i, int64_t mutexes)
{
    if (mutexes == THREADS_LOCKS)
        return i % mutexes;
    return (int64_t)(((uint64_t)i * 16 + self) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % mutexes;
}

/* Number of calls to compute the Fibonacci number n. */
static inline int64_t threads_fib_calls(int64_t n)
{
    int64_t calls = 1, before = 1;
    for (int64_t i = 2; i <= n; i++) {
        int64_t next = calls + before + 1;
        before = calls;
        calls = next;
    }
    return calls;
}

/* Nanoseconds since some point in the past. */
static inline double threads_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Resident bytes of this process. */
static inline double threads_resident(void)
{
    long pages = 0, skipped;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &skipped, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static inline void threads_fill(int32_t *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = (int32_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 33);
}

static inline int threads_sorted(const int32_t *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (a[i - 1] > a[i])
            return 0;
    return 1;
}

/* Hoare's partition: no element of [from, result) is greater than one of [result, to). Neither part is empty. */
static inline int64_t threads_partition(int32_t *a, int64_t from, int64_t to)
{
    int32_t pivot = a[from + (to - from - 1) / 2];
    for (int64_t i = from - 1, j = to;;) {
        do
            i++;
        while (a[i] < pivot);
        do
            j--;
        while (a[j] > pivot);
        if (i >= j)
            return j + 1;
        int32_t t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
}

static inline void threads_sort_little(int32_t *a, int64_t from, int64_t to)
{
    while (to - from > 1) {
        int64_t middle = threads_partition(a, from, to);
        threads_sort_little(a, from, middle);
        from = middle;
    }
}

#endif
