/* SPDX-License-Identifier: MIT */
/*
 * Torture: copy words in the orders that O2 permits. A network adapter may move the words of one WRITE, or of several
 * READs, in any order. A CPU moves them in program order, which hides bugs in code that depends on program order.
 */
#ifndef UAT_SHM_SHUFFLE_H
#define UAT_SHM_SHUFFLE_H

#include <stdint.h>

#include "transport/words.h"

enum {
    UAT_SHUFFLE_COPIES = 8,    /* maximum number of READs executed together: a whole chain */
    UAT_SHUFFLE_UNITS = 4096,  /* maximum number of units permuted */
    UAT_SHUFFLE_WORDWISE = 512 /* a unit is one word for up to this number of words; otherwise a unit is 8 or more
                                * neighbouring words */
};

struct uat_shuffle_copy {
    uat_word *to;
    const uat_word *from;
    uint64_t words;
};

struct uat_shuffle {
    uint64_t random; /* xorshift state, never 0 */
    struct {
        uint64_t first; /* the unit's first word in the copy */
        uint32_t copy;  /* number of the copy */
    } units[UAT_SHUFFLE_UNITS + UAT_SHUFFLE_COPIES];
};

void uat_shuffle_init(struct uat_shuffle *s, uint64_t seed, int rank);

/* A random number below `below`. */
uint64_t uat_shuffle_random(struct uat_shuffle *s, uint64_t below);

/* Usually do nothing, sometimes pause briefly, rarely yield the core. */
void uat_shuffle_delay(struct uat_shuffle *s);

/* Execute n copies, with all their words in random order. */
void uat_shuffle_copies(struct uat_shuffle *s, const struct uat_shuffle_copy *copies, int n);

#endif
