/* SPDX-License-Identifier: MIT */
/* How the unroller orders a new entry after the entries that it conflicts with. */
#ifndef UAT_FLOW_UNROLL_H
#define UAT_FLOW_UNROLL_H

#include "runtime/flow/state.h"

/* Fill in an entry that no other worker knows. note: its notes, or a copy of them. fn, arg, size: its body; NULL, NULL
 * and 0 if the entry only joins others. */
void uat_flow_write_entry(const uat_flow_t *flow, const struct uat_flow_note *note, uat_fn *fn, const void *arg,
                          size_t size);

/* Set use[0..n) from the accesses of a task. Returns whether the task needs a mutex if it becomes an entry: see
 * uat_flow_write_guarded(). */
bool uat_flow_uses(const uat_flow_t *flow, const uat_flow_access_t *access, size_t n, struct uat_flow_use *use);

/* Register the entry with all entries under way that conflict with one of the uses, and put the uses into the map.
 * name: the entry's name, with the bits that uat_flow_home_of() returned. Returns true if nothing is left to wait
 * for. Otherwise the worker that ends the last conflicting entry makes this entry ready, and may have done so already.
 */
bool uat_flow_order(uat_flow_t *flow, uint64_t id, uint64_t name, struct uat_flow_use *use, size_t n);

/* Put a use of an entry into the map. */
void uat_flow_map(uat_flow_t *flow, uint64_t id, struct uat_flow_use *use);

/* Register the entry as above, but leave the map and `left` as they are. Returns the number of registrations with
 * entries that had not ended. The caller adds this number to `left` (F4). name: the entry's name, with UAT_FLOW_JOINS
 * and UAT_FLOW_WAKES. */
uint64_t uat_flow_follow(uat_flow_t *flow, uint64_t id, uint64_t name, struct uat_flow_use *use);

/* Entries of tasks of which only one at a time may access a datum (UAT_FLOW_ANY) or add to it (UAT_FLOW_ADD), in any
 * order. */

/* Does what uat_flow_write_entry() does, for a task that needs a mutex. size: at most UAT_FLOW_ARGUMENT_MAX. In the
 * entry's copy of the argument, the mutex of an access with UAT_FLOW_ADD is stored at offset access->pitch. */
void uat_flow_write_guarded(uat_flow_t *flow, uint64_t id, uat_fn *fn, const void *arg, size_t size,
                            const uat_flow_access_t *access, struct uat_flow_use *use, size_t n);

/* Checks under UAT_TORTURE=order and fence: may a data-flow task access these bytes? */

/* Does what uat_flow_write_entry() does. Under UAT_TORTURE=order and fence, the entry also gets the accesses, if it has
 * room for them. */
void uat_flow_write_task(const uat_flow_t *flow, const struct uat_flow_note *note, uat_fn *fn, const void *arg,
                         size_t size, const uat_flow_access_t *access, size_t n);

/* Ends the job if the running task is a data-flow task that may not spawn a task with these accesses. */
void uat_flow_check_nested(const uat_flow_access_t *access, size_t n);

/* Ends the job if the running task is a data-flow task that may not check these bytes out. */
void uat_flow_watch(uintptr_t at, size_t bytes, bool writes);

#endif
