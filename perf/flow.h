/* SPDX-License-Identifier: MIT */
/* The sequences of tasks that uat-flow measures. */
#ifndef UAT_PERF_FLOW_H
#define UAT_PERF_FLOW_H

#include <stdbool.h>

enum flow_kind { FLOW_NONE, FLOW_ONE_OWN, FLOW_ONE_CHAIN, FLOW_THREE_OWN, FLOW_THREE_CHAIN, FLOW_CHECKOUT, FLOW_KINDS };
enum { FLOW_TASKS = 1000 };

/* Run the sequence on threads of OpenMP. Returns false if it was not built, or has no such sequence. */
bool flow_openmp(int threads, enum flow_kind kind, long *data);

#endif
