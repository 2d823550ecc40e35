/* SPDX-License-Identifier: MIT */
/* Is a team worth its cost for a loop? A guess from the loop's earlier runs on this worker. A wrong guess costs only
 * time. */
#ifndef UAT_TEAM_WORTH_H
#define UAT_TEAM_WORTH_H

#include <stdbool.h>
#include <stdint.h>

/* Should a team run `count` iterations of this body? */
bool uat_team_is_worth(const void *body, int64_t count);

/* A team has run `count` iterations in `ns` nanoseconds. */
void uat_team_took(const void *body, int64_t count, uint64_t ns);

/* The root's worker had to run a part of a busy worker. */
void uat_team_was_busy(const void *body);

/* Forget all loops. */
void uat_team_forget(void);

#endif
