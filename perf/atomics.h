/* SPDX-License-Identifier: MIT */
/* The matrix of uat-atomics: operations, the places that they change, and who changes them. */
#ifndef UAT_PERF_ATOMICS_H
#define UAT_PERF_ATOMICS_H

#include <stdint.h>

struct uat_bench;
struct uat_bench_settings;

enum { MATRIX_WINDOW_MAX = 64, MATRIX_TARGETS_MAX = 1024 };

enum matrix_operation {
    MATRIX_READ_8,
    MATRIX_READ_64,
    MATRIX_WRITE_8,
    MATRIX_WRITE_64,
    MATRIX_FETCH_ADD,
    MATRIX_CMP_SWAP_WON,    /* expects the value that this worker saw last */
    MATRIX_CMP_SWAP_LOST,   /* expects a value that no word has */
    MATRIX_CMP_SWAP_READ,   /* { CMP_SWAP; READ of 64 bytes }: a claim */
    MATRIX_WRITE_FETCH_ADD, /* { WRITE of 64 bytes; FETCH_ADD }: an unlock, or the end of a task */
    MATRIX_OPERATIONS,
    MATRIX_READ_BULK = MATRIX_OPERATIONS /* a READ of 64 KiB, which shows the bandwidth */
};

/* The words that an operation picks from. Between two words of a place lie: */
enum matrix_place {
    MATRIX_WORD,          /* (one word) */
    MATRIX_LINE,          /* 8 bytes: 8 words of one line */
    MATRIX_LINES,         /* 64 bytes */
    MATRIX_PAGES,         /* 4096 bytes: the low 12 bits of all addresses are equal */
    MATRIX_PAGES_SHIFTED, /* 4160 bytes */
    MATRIX_RANDOM,        /* a random word of 1 MiB */
    MATRIX_PLACES
};

enum matrix_path {
    MATRIX_OWN,  /* rank 0 on its own memory */
    MATRIX_NEAR, /* other workers of rank 0's host */
    MATRIX_FAR,  /* workers of other hosts */
    MATRIX_PATHS
};

/* One cell. Rank 0 has the memory, except with several targets. */
struct matrix_cell {
    enum matrix_operation operation;
    enum matrix_place place;
    enum matrix_path path;
    int initiators, window; /* window: chains of an initiator in flight at a time */
    int batch;              /* operations of a chain; 1, or up to 8 for READs, WRITEs and FETCH_ADDs alone */
    int targets; /* above 0: the workers of the last host READ from one worker of each of this number of others, in
                             * turn, so each of them uses this number of queue pairs */
    double per_second;
    double p50, p99; /* ns from the post to the completion */
    double success;  /* share of the atomics that changed their word; 1 without atomics */
};

struct matrix_job {
    int *host; /* of each rank */
    int members[MATRIX_PATHS];
    int last_host, last_members; /* last_members: workers of the last host */
    int others;                  /* number of other hosts */
    uint64_t nanoseconds;        /* duration of a cell */
};

/* Find the hosts. Collective. Returns 0, or a negative errno after reporting the error; then there is nothing to close.
 */
int matrix_open(struct matrix_job *job);
void matrix_close(struct matrix_job *job);

/* Measure the cell, and check that no atomic was lost. Sets the cell's results on rank 0. Collective. Returns 0 or a
 * negative errno after reporting the error. */
int matrix_run(const struct matrix_job *job, struct matrix_cell *cell);

/* Measure the matrix of this size, 1 to 3, and report it. Collective. Returns 0 or a negative errno. */
int matrix_measure(const struct uat_bench *bench, const struct uat_bench_settings *settings, int size, int window,
                   uint64_t nanoseconds);

extern const char *const matrix_operations[MATRIX_OPERATIONS + 1], *const matrix_places[MATRIX_PLACES],
                                                                       *const matrix_paths[MATRIX_PATHS];

#endif
