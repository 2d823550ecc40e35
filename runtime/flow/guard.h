/* SPDX-License-Identifier: MIT */
/* Entries of tasks of which only one at a time may access a datum (UAT_FLOW_ANY) or add to it (UAT_FLOW_ADD), in any
 * order. */
#ifndef UAT_FLOW_GUARD_H
#define UAT_FLOW_GUARD_H

#include "runtime/flow/state.h"

/* Does a task with these accesses need a mutex if it becomes an entry? */
bool uat_flow_is_guarded(const uat_flow_t *flow, const uat_flow_access_t *access, size_t n);

/* Does what uat_flow_write_entry() does, for a task that needs a mutex. size: at most UAT_FLOW_ARGUMENT_MAX. In the
 * entry's copy of the argument, the mutex of an access with UAT_FLOW_ADD is stored at offset access->pitch. */
void uat_flow_write_guarded(uat_flow_t *flow, uint64_t id, uat_fn *fn, const void *arg, size_t size,
                            const uat_flow_access_t *access, size_t n);

#endif
