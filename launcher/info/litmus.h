/* SPDX-License-Identifier: MIT */
/* Tests of what the protocols need from a device: order of operations, wholeness of words, atomicity. */
#ifndef UAT_INFO_LITMUS_H
#define UAT_INFO_LITMUS_H

#include <stdbool.h>
#include <stdint.h>

enum { LITMUS_TESTS = 8 };

struct litmus_result {
    const char *name, *meaning;
    bool demonstration; /* what the rules forbid the runtime: violations are expected, and no failure */
    uint64_t trials, violations;
};

struct litmus {
    int rank;          /* 0 or 1: of the two processes that a launcher has started, one is to print this */
    char hosts[2][64]; /* where they were; equal for two processes of one host */
    struct litmus_result results[LITMUS_TESTS];
};

/* Run all tests, so many trials each, between two processes: those of a launcher, else this one and a child. 0, or a
 * negative errno when they could not be run. */
int litmus_run(uint64_t trials, struct litmus *out);

#endif
