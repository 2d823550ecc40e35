/* SPDX-License-Identifier: MIT */
/* How the unroller orders a new entry after the entries that it conflicts with. */
#ifndef UAT_FLOW_UNROLL_H
#define UAT_FLOW_UNROLL_H

#include "runtime/flow/state.h"

/* Fill in an entry that no other worker knows. fn, arg, size: its body; NULL, NULL and 0 if the entry only joins
 * others. */
void uat_flow_write_entry(struct uat_flow_state *s, uint64_t id, uat_fn *fn, const void *arg, size_t size);

/* Bytes of the datum; 0 for a block of a matrix, because other data lie between its rows. */
static inline uint64_t uat_flow_bytes_of(const uat_flow_access_t *access)
{
    return access->rows > 1 ? 0 : access->bytes;
}

/* The mode in which the flow orders the access: UAT_FLOW_IN, UAT_FLOW_INOUT, UAT_FLOW_ANY or UAT_FLOW_ADD. */
static inline enum uat_flow_mode uat_flow_mode_of(const uat_flow_t *flow, const uat_flow_access_t *access)
{
    enum uat_flow_mode mode = access->mode & ~(unsigned)UAT_FLOW_BELOW;
    if (mode == UAT_FLOW_IN || (!flow->ordered && (mode == UAT_FLOW_ANY || mode == UAT_FLOW_ADD)))
        return mode;
    return UAT_FLOW_INOUT;
}

/* Register the entry with all entries under way that conflict with one of the accesses, and put the accesses into the
 * map. name: the entry's name, with the bits that uat_flow_home_of() returned. Returns true if nothing is left to wait
 * for. Otherwise the worker that ends the last conflicting entry makes this entry ready, and may have done so already.
 */
bool uat_flow_order(uat_flow_t *flow, uint64_t id, uint64_t name, const uat_flow_access_t *access, size_t n);

/* Put the accesses of an entry into the map. */
void uat_flow_map(uat_flow_t *flow, uint64_t id, const uat_flow_access_t *access, size_t n);

/* Register the entry as above, but leave the map and `left` as they are. Returns the number of registrations with
 * entries that had not ended. The caller adds this number to `left` (F4). name: the entry's name, with UAT_FLOW_JOINS
 * and UAT_FLOW_WAKES. */
uint64_t uat_flow_follow(uat_flow_t *flow, uint64_t id, uint64_t name, const uat_flow_access_t *access);

#endif
