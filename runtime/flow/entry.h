/* SPDX-License-Identifier: MIT */
/* The scheduler's side of flows: how an entry starts, and how it ends. */
#ifndef UAT_FLOW_ENTRY_H
#define UAT_FLOW_ENTRY_H

#include "runtime/flow/ledger.h"

/* Make a waiter's task ready on this worker. */
void uat_flow_wake(const struct uat_flow_waiter *waiter);

/* Give the scheduler its functions to start and end data-flow tasks. */
void uat_flow_open(void);

#endif
