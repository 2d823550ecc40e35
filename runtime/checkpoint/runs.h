/* SPDX-License-Identifier: MIT */
/* The results of runs that are over. A restarted job does not execute these runs again: uat_run() returns their
 * results. */
#ifndef UAT_CHECKPOINT_RUNS_H
#define UAT_CHECKPOINT_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/segment/sections.h"

/* How a run has ended. */
struct uat_run_record {
    uint64_t failed; /* 1: the bytes are a struct uat_failure */
    uint64_t size;
    uint64_t packed; /* bytes of the content of a packed result, which follow the result (runtime/pack.c) */
    char bytes[];
};

/* Keep a copy of the result of the run that has just ended. Returns 0 or -ENOMEM. */
int uat_runs_add(const void *bytes, size_t size, bool failed);

/* Keep the content of the last run's packed result, too. Returns 0 or -ENOMEM. */
int uat_runs_add_packed(const void *bytes, size_t size);

/* The number of results that are kept, and result number i. */
size_t uat_runs_count(void);
const struct uat_run_record *uat_runs_get(size_t i);

void uat_runs_save(struct uat_sections_out *out);
/* Take a run from its section. Returns whether the section is sound. */
bool uat_runs_restore(const struct uat_section *section);
/* Forget all results but the first `count`. */
void uat_runs_cut(size_t count);

#endif
