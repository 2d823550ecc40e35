/* SPDX-License-Identifier: MIT */
/*
 * Work and span, as Cilkview computes them (He, Leiserson, Leiserson, "The Cilkview Scalability Analyzer", SPAA'10):
 * the arithmetic, without clock and runtime. A strand here is the account of one running task. It is in the task's own
 * frames and migrates with them, so any number of workers may run the program.
 *
 *  P1 The span of a task at a point is the longest chain of times from the run's start to this point. A child begins
 *     with its spawner's span at the spawn. So joins may come in any order, and a wait for an event is a join, too.
 *  P2 A join takes the longer one of the task's span and the child's. Work and tasks are summed.
 *  P3 The burdened span adds `burden`, the time of a steal, to a continuation after each spawn, and to the end of a
 *     child before its join. If it is shorter to run the child before the continuation, as one worker does, then the
 *     join takes that time instead. This needs that no older child was joined since the spawn.
 *  P4 Waits that leave the processor, and calls that end waits, are no work, but take time on the worker. The burdened
 *     span of their task has it, and so has the time in which one worker runs a child (P3).
 */
#ifndef UAT_PROFILE_STRAND_H
#define UAT_PROFILE_STRAND_H

#ifndef UAT_PROFILE
#define UAT_PROFILE
#endif
#include "include/uat/detail/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct uat_strand {
    double since;                    /* the clock at the start of the present stretch, in ns */
    uint64_t from;                   /* the code address at this start */
    uint64_t name;                   /* the task's name, a key of profile/names.h */
    double own;                      /* ns of the task itself */
    double begin_ns, begin_burdened; /* both spans at the task's start */
    uint64_t outstanding;            /* children not joined, groups not counted */
    bool unordered;                  /* children were not joined in the order of P3 */
    struct uat_profile_totals totals;
};

/* ns that P3 adds. */
extern double uat_strand_burden;

/* Begin a task with this name and its spawner's span and burdened span. */
void uat_strand_begin(struct uat_strand *s, uint64_t name, const struct uat_profile_span *span, double burdened);

/* The task has run for ns, until the code address `to`. */
void uat_strand_run(struct uat_strand *s, double ns, uint64_t to);

/* The task has spawned a child. The handle gets what the join needs. */
void uat_strand_spawned(struct uat_strand *s, struct uat_profile_child *child);

/* The task joins the child. */
void uat_strand_join(struct uat_strand *s, const struct uat_profile_child *child);

/* The task has spawned a child of a group. */
void uat_strand_spawned_in_group(struct uat_strand *s, struct uat_profile_group *group);

/* The task has waited for all children of a group. sum: combined by uat_totals_combine(). */
void uat_strand_join_group(struct uat_strand *s, struct uat_profile_group *group, const struct uat_profile_totals *sum);

/* A call of P4 has taken ns. */
void uat_strand_called(struct uat_strand *s, double ns);

/* The task goes on after an event to which this span led. */
void uat_strand_after(struct uat_strand *s, const struct uat_profile_span *span, double burdened);

/* *left and *right are children of one group: the sums of work, the longer spans. */
void uat_totals_combine(struct uat_profile_totals *left, const struct uat_profile_totals *right);

#endif
