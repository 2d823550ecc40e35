/* SPDX-License-Identifier: MIT */
/* The operations that uat-transfer measures. */
#include "perf/transfer_operations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "include/uat/global.h"
#include "include/uat/transfer.h"

enum { SPLIT_MAX = 65536, COPIED_BYTES = 16 << 20, LINE = 64 };

static size_t chunk, cache;  /* chunk: bytes of a rank's global memory; cache: bytes of its cache (0: none) */
static char *local, *copied; /* memory of this process */

int transfer_operations_open(size_t bytes_of_rank, size_t bytes_of_cache)
{
    chunk = bytes_of_rank;
    cache = bytes_of_cache;
    local = calloc(TRANSFER_WINDOW_MAX + 1, SPLIT_MAX);
    copied = malloc(COPIED_BYTES);
    if (!local || !copied)
        return -ENOMEM;
    memset(copied, 1, COPIED_BYTES);
    return 0;
}

void transfer_operations_close(void)
{
    free(local);
    free(copied);
}

static void checkout_hit(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        __asm__ volatile("" : "+r"(base)); /* hides from the compiler that `base` is the same each time */
        uat_global_checkout(base, bytes, UAT_READ);
        __asm__ volatile("" : : : "memory"); /* the access */
        uat_global_checkin(base, bytes, UAT_READ);
    }
}

/* Check out a different block each time, so that the cache has none of them. */
static void checkout_miss(char *base, size_t bytes, int window, int64_t count)
{
    static size_t at;

    for (int64_t i = 0; i < count; i++) {
        at += bytes > UAT_GLOBAL_BLOCK ? bytes : UAT_GLOBAL_BLOCK;
        if (at + bytes > chunk)
            at = 0;
        uat_global_checkout(base + at, bytes, UAT_READ);
        uat_global_checkin(base + at, bytes, UAT_READ);
    }
}

/* Check out two blocks alternately. They are one cache size apart, so each evicts the other. But the fetched bytes stay
 * in the CPU's caches. */
static void checkout_warm(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        char *p = base + (size_t)(i % 2) * cache;
        uat_global_checkout(p, bytes, UAT_READ);
        uat_global_checkin(p, bytes, UAT_READ);
    }
}

/* The yardstick for gets and checkouts: memcpy() with the same strides, within this process's memory. */
static void copy_cold(char *base, size_t bytes, int window, int64_t count)
{
    static size_t at;

    for (int64_t i = 0; i < count; i++) {
        at = (at + bytes) % (chunk - bytes);
        memcpy(copied + at % COPIED_BYTES, base + at, bytes);
    }
}

/* Load one word of each cache line. Any copy must do at least this. */
static void load_cold(char *base, size_t bytes, int window, int64_t count)
{
    static size_t at;

    for (int64_t i = 0; i < count; i++) {
        at = (at + bytes) % (chunk - bytes);
        uint64_t sum = 0;
        for (size_t k = 0; k < bytes; k += LINE)
            sum += *(const uint64_t *)(base + at + k);
        __asm__ volatile("" : : "r"(sum));
    }
}

static void copy_warm(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(copied, base + (size_t)(i % 2) * (chunk / 2), bytes);
}

/* Get. For a word the size is a constant, as it is in a program. */
static void get(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        __asm__ volatile("" : "+r"(base)); /* reload each time */
        bytes == 8 ? uat_global_get(local, base, 8) : uat_global_get(local, base, bytes);
        __asm__ volatile("" : : : "memory");
    }
}

static void put(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        __asm__ volatile("" : "+r"(base) : : "memory");
        bytes == 8 ? uat_global_put(base, local, 8) : uat_global_put(base, local, bytes);
        uat_global_release();
    }
}

/* uat_global_get_begin() with its arguments in the order of uat_global_put_begin(). */
static void get_begin(uat_global_transfer_t *t, void *global, const void *buffer, size_t bytes)
{
    uat_global_get_begin(t, (void *)(uintptr_t)buffer, global, bytes);
}

static void split(char *base, size_t bytes, int window, int64_t count,
                  void (*begin)(uat_global_transfer_t *, void *, const void *, size_t))
{
    uat_global_transfer_t transfer[TRANSFER_WINDOW_MAX];

    for (int64_t i = 0; i < count; i++) {
        int k = (int)(i % window);
        if (i >= window)
            uat_global_transfer_wait(&transfer[k]);
        begin(&transfer[k], base + (size_t)k * bytes, local + (size_t)k * bytes, bytes);
    }
    for (int64_t i = count < window ? 0 : count - window; i < count; i++)
        uat_global_transfer_wait(&transfer[i % window]);
}

static void get_split(char *base, size_t bytes, int window, int64_t count)
{
    split(base, bytes, window, count, get_begin);
}

/* A window of puts to different places, then a release. */
static void put_split(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i += window) {
        split(base, bytes, window, window, uat_global_put_begin);
        uat_global_release();
    }
}

static void fetch_add(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        uat_atomic_fetch_add((uat_atomic_t *)base, 1);
}

/* The yardstick: an atomic instruction of the CPU on this process's memory. */
static void plain_add(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        __atomic_fetch_add((uint64_t *)copied, 1, __ATOMIC_ACQ_REL); /* no other thread uses the word */
}

static void cmp_swap(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        uat_atomic_cmp_swap((uat_atomic_t *)base, (uint64_t)i, (uint64_t)i + 1);
}

static void load(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        uat_atomic_load((const uat_atomic_t *)base);
}

/* Additions that do not wait. After every `window` additions there is a release. */
static void add(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uat_atomic_add((uat_atomic_t *)base + i % window, 1);
        if ((i + 1) % window == 0)
            uat_global_release();
    }
    uat_global_release();
}

/* Read all of the memory once. */
static void sweep_read(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (size_t at = 0; at + bytes <= chunk; at += bytes) {
            const uint64_t *q = uat_global_checkout(base + at, bytes, UAT_READ);
            uint64_t sum = 0;
            for (size_t k = 0; k < bytes / 8; k++)
                sum += q[k];
            __asm__ volatile("" : : "r"(sum));
            uat_global_checkin(base + at, bytes, UAT_READ);
        }
}

static void sweep_write(char *base, size_t bytes, int window, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        for (size_t at = 0; at + bytes <= chunk; at += bytes) {
            memset(uat_global_checkout(base + at, bytes, UAT_WRITE), (int)at, bytes);
            uat_global_checkin(base + at, bytes, UAT_WRITE);
        }
        uat_global_release();
    }
}

const struct transfer_operation transfer_operations[TRANSFER_OPERATIONS] = {
    {"checkout, hit", checkout_hit, 64, 65536, 32, 1, TRANSFER_BOTH, false, false, true},
    {"checkout, miss", checkout_miss, 4096, 1 << 20, 4, 1, TRANSFER_FAR, true, false, false},
    {"miss, warm", checkout_warm, UAT_GLOBAL_BLOCK, UAT_GLOBAL_BLOCK, 2, 1, TRANSFER_FAR, false, false, false},
    {"memcpy", copy_cold, UAT_GLOBAL_BLOCK, UAT_GLOBAL_BLOCK, 2, 1, TRANSFER_NEAR, false, false, false},
    {"memcpy, warm", copy_warm, UAT_GLOBAL_BLOCK, UAT_GLOBAL_BLOCK, 2, 1, TRANSFER_NEAR, false, false, false},
    {"get", get, 8, 1 << 20, 4, 1, TRANSFER_BOTH, true, false, false},
    {"put, release", put, 8, 1 << 20, 4, 1, TRANSFER_BOTH, true, false, false},
    {"get, split", get_split, 8, SPLIT_MAX, 8, TRANSFER_WINDOW_MAX, TRANSFER_BOTH, false, false, false},
    {"put, split", put_split, 8, SPLIT_MAX, 8, TRANSFER_WINDOW_MAX, TRANSFER_BOTH, false, false, false},
    {"fetch_add", fetch_add, 8, 8, 2, 1, TRANSFER_BOTH, true, false, false},
    {"lock add", plain_add, 8, 8, 2, 1, TRANSFER_NEAR, false, false, true},
    {"cmp_swap", cmp_swap, 8, 8, 2, 1, TRANSFER_BOTH, true, false, false},
    {"load", load, 8, 8, 2, 1, TRANSFER_BOTH, true, false, false},
    {"add, release", add, 8, 8, 2, TRANSFER_WINDOW_MAX, TRANSFER_BOTH, false, false, false},
    {"sweep, read", sweep_read, 4096, 1 << 18, 8, 1, TRANSFER_BOTH, false, true, false},
    {"sweep, write", sweep_write, 4096, 1 << 18, 8, 1, TRANSFER_BOTH, false, true, false},
    {"load of lines", load_cold, UAT_GLOBAL_BLOCK, UAT_GLOBAL_BLOCK, 2, 1, TRANSFER_NEAR, false, false, false},
};
