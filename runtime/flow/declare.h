/* SPDX-License-Identifier: MIT */
/* Checks under UAT_TORTURE=order and fence: may a data-flow task access these bytes? */
#ifndef UAT_FLOW_DECLARE_H
#define UAT_FLOW_DECLARE_H

#include "runtime/flow/state.h"

/* Does what uat_flow_write_entry() does. Under UAT_TORTURE=order and fence, the entry also gets the accesses, if it has
 * room for them. */
void uat_flow_write_task(uat_flow_t *flow, uint64_t id, uat_fn *fn, const void *arg, size_t size,
                         const uat_flow_access_t *access, size_t n);

/* Ends the job if the running task is a data-flow task that may not spawn a task with these accesses. */
void uat_flow_check_nested(const uat_flow_access_t *access, size_t n);

/* Ends the job if the running task is a data-flow task that may not check these bytes out. */
void uat_flow_watch(uintptr_t at, size_t bytes, bool writes);

#endif
