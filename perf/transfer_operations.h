/* SPDX-License-Identifier: MIT */
/* The operations that uat-transfer measures. */
#ifndef UAT_PERF_TRANSFER_OPERATIONS_H
#define UAT_PERF_TRANSFER_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRANSFER_WINDOW_MAX = 64, /* maximum operations in flight */
    TRANSFER_OPERATIONS = 17
};

/* Does `count` operations of `bytes` bytes at `base`, with `window` operations at a time. */
typedef void transfer_fn(char *base, size_t bytes, int window, int64_t count);

enum transfer_where { TRANSFER_BOTH, TRANSFER_FAR, TRANSFER_NEAR };

struct transfer_operation {
    const char *name;
    transfer_fn *act;
    size_t least, most, times; /* least, most: the first and the last size in bytes; times: the factor between sizes */
    int window;                /* maximum window; windows start at 1 */
    enum transfer_where where;
    bool single; /* each far operation is timed by itself */
    bool sweeps; /* one operation covers all of the memory */
    bool cheap;  /* a series has ten times as many operations */
};

extern const struct transfer_operation transfer_operations[TRANSFER_OPERATIONS];

/*
 * Call this before the first operation. bytes_of_rank: bytes from `base` on that operations may use. It must be at
 * least twice bytes_of_cache, and at least `window` times the bytes of any operation. bytes_of_cache: size of the cache
 * of far memory; 0 in a job without far memory. Returns 0 or -ENOMEM.
 */
int transfer_operations_open(size_t bytes_of_rank, size_t bytes_of_cache);

/* Call this after the last operation. */
void transfer_operations_close(void);

#endif
