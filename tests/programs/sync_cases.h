/* SPDX-License-Identifier: MIT */
/* What the files of `sync` share: the cases of its other files. */
#ifndef UAT_TEST_SYNC_CASES_H
#define UAT_TEST_SYNC_CASES_H

#include "tests/programs/rounds.h"
#include "uat/sync.h"

/* Cases of sync_channels.c, for run_rounds(). */
int sync_channels(int *errors, int unused);
int sync_pipeline(int *errors, int unused);
int sync_names(int *errors, int unused);
/* Cases of sync_locks.c. */
int sync_shared(int *errors, int unused);
int sync_order(int *errors, int unused);
int sync_once(int *errors, int unused);
int sync_critical(int *errors, int unused);
/* Cases of sync_limits.c. */
int sync_sleeps(int *errors, int unused);
int sync_limits(int *errors, int unused);
int sync_tokens(int *errors, int unused);

struct big {
    uint64_t words[30];
};

static inline struct big make_big(uint64_t seed)
{
    struct big b;
    for (uint64_t i = 0; i < 30; i++)
        b.words[i] = seed * 1000 + i;
    return b;
}

static inline int is_big(const struct big *b, uint64_t seed)
{
    for (uint64_t i = 0; i < 30; i++)
        if (b->words[i] != seed * 1000 + i)
            return 0;
    return 1;
}

static inline void work(void)
{
    for (volatile int i = 0; i < 300; i++)
        ;
}

#endif
