/* SPDX-License-Identifier: MIT */
/* The scheduler's side of flows: how an entry starts, and how it ends. */
#ifndef UAT_FLOW_ENTRY_H
#define UAT_FLOW_ENTRY_H

#include "runtime/flow/ledger.h"
#include "runtime/sched/alone.h"

/* Make a waiter's task ready on this worker. */
void uat_flow_wake(const struct uat_flow_waiter *waiter);

/* Forget whether looks at other workers have found entries. */
void uat_flow_look_anew(void);

/* How data-flow tasks start and end: `work` of this room's descriptor. */
extern const struct uat_work uat_flow_work __attribute__((visibility("hidden")));

#endif
