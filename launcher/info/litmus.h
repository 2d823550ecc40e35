/* SPDX-License-Identifier: MIT */
/* Tests of the properties that the protocols need from a device: order of operations, whole words, atomicity. */
#ifndef UAT_INFO_LITMUS_H
#define UAT_INFO_LITMUS_H

#include "launcher/info/litmus_test.h"

struct litmus {
    int rank;          /* 0 or 1; of two processes that a launcher has started, only rank 0 prints the results */
    char hosts[2][64]; /* the hosts of the processes; equal if both run on one host */
    struct litmus_result results[LITMUS_TESTS];
};

/* Run all tests between two processes, `trials` trials of each test. The two processes are those that a launcher has
 * started. Without a launcher they are this process and a child. Returns 0, or a negative errno if the tests could not
 * run. */
int litmus_run(uint64_t trials, struct litmus *out);

#endif
