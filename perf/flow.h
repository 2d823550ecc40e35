/* SPDX-License-Identifier: MIT */
/* The sequences of tasks that uat-flow and its rivals measure. */
#ifndef UAT_PERF_FLOW_H
#define UAT_PERF_FLOW_H

enum flow_kind { FLOW_NONE, FLOW_ONE_OWN, FLOW_ONE_CHAIN, FLOW_THREE_OWN, FLOW_THREE_CHAIN, FLOW_CHECKOUT, FLOW_KINDS };
enum { FLOW_TASKS = 1000 };

#endif
