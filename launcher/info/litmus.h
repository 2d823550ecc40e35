/* SPDX-License-Identifier: MIT */
/* Tests of what the protocols need from a device: order of operations, wholeness of words, atomicity. */
#ifndef UAT_INFO_LITMUS_H
#define UAT_INFO_LITMUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"

enum { LITMUS_TESTS = 8 };

struct litmus_result {
    const char *name, *meaning;
    bool demonstration; /* what the rules forbid the runtime: violations are expected, and no failure */
    uint64_t trials, violations;
};

/* Run all tests, so many trials each. 0, or a negative errno when they could not be run. */
int litmus_run(const struct uat_options *options, uint64_t trials, struct litmus_result results[LITMUS_TESTS]);

#endif
