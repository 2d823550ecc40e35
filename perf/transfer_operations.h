/* SPDX-License-Identifier: MIT */
/* The operations that uat-transfer measures. */
#ifndef UAT_PERF_TRANSFER_OPERATIONS_H
#define UAT_PERF_TRANSFER_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRANSFER_WINDOW_MAX = 64, /* operations under way */
    TRANSFER_OPERATIONS = 16
};

/* `count` operations of `bytes` at base, `window` of them at a time. */
typedef void transfer_fn(char *base, size_t bytes, int window, int64_t count);

enum transfer_where { TRANSFER_BOTH, TRANSFER_FAR, TRANSFER_NEAR };

struct transfer_operation {
    const char *name;
    transfer_fn *act;
    size_t least, most, times; /* bytes: from, to, and how many times more at each step */
    int window;                /* from 1 to it */
    enum transfer_where where;
    bool single; /* each operation by itself, where it is far */
    bool sweeps; /* one is all of the memory */
    bool cheap;  /* ten times as many in a series */
};

extern const struct transfer_operation transfer_operations[TRANSFER_OPERATIONS];

/*
 * Before the first one. bytes_of_rank: at the base that operations get; at least twice the cache, and the window times
 * the bytes of each operation. bytes_of_cache: of far memory; 0 in a job without far memory. Returns 0 or -ENOMEM.
 */
int transfer_operations_open(size_t bytes_of_rank, size_t bytes_of_cache);

/* After the last one. */
void transfer_operations_close(void);

#endif
