/* SPDX-License-Identifier: MIT */
/*
 * The ready entries of a worker. The owner pushes the entries into a ring. The owner and any worker without work take
 * the oldest entry first. Entries that do not fit wait in a private list. A slot has one word, the name of an entry. So
 * the ring can be long, and thieves reach every entry in the ring while the owner computes.
 *
 * A worker has two such rings. Entries that should preferably run on another host (home.h) go to the second ring, which
 * exists only if there is far memory. The owner takes from the first ring as long as it can. A thief looks at both
 * rings of its victims. If it sees an entry for its own host, it takes that entry.
 *
 *   Q1  Only atomics change claims. Only the owner's CPU writes bottom and slots. Both counts only grow.
 *   Q2  Entry i is stored in slot i mod UAT_FLOW_SLOTS before bottom > i, and stays there until claims > i. The owner
 *       overwrites a slot only when it has seen that claims is above the slot's last index.
 *   Q3  A worker takes entry t by CMP_SWAP(claims, t, t + 1), after it has seen bottom > t and then read the slot. If
 *       the swap wins, claims was t when the slot was read, so the slot held entry t (Q2).
 */
#ifndef UAT_FLOW_RING_H
#define UAT_FLOW_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/flow/ledger.h"
#include "runtime/sched/alone.h"
#include "transport/transport.h"

enum { UAT_FLOW_SLOTS = 256, UAT_FLOW_RINGS = 2 };

struct uat_flow_ring {
    _Alignas(64) struct uat_flow_ends {
        uint64_t claims; /* index of the next entry to take */
        uint64_t bottom; /* number of entries pushed */
    } ends[UAT_FLOW_RINGS];
    _Alignas(64) uint64_t slot[UAT_FLOW_RINGS][UAT_FLOW_SLOTS];
};

/* Reserve the rings in the segment. */
void uat_flow_ring_reserve(void);

/* Close the private lists. uat_flow_ring_reset() also empties the rings: no other worker may look at them meanwhile. */
void uat_flow_ring_close(void);
void uat_flow_ring_reset(void);

/* Add a ready entry. Ends the job if there is no memory. */
void uat_flow_ring_push(uint64_t name);

/* Move as many entries as possible from the private lists to the rings, where thieves reach them. */
void uat_flow_ring_offer(void);

/* Is an entry ready here? */
bool uat_flow_ring_any(void);

/* Copy the names of all entries that are ready here, the oldest of each ring first. No other worker may take an entry
 * during the call. Returns the number of names. names: room for all names, or NULL. */
size_t uat_flow_ring_copy(uint64_t *names);

/* Take the oldest entry from the first of this worker's rings that is not empty. Returns its name, or 0. */
uint64_t uat_flow_ring_take(void);

/* Try once to take an entry of another worker. Returns its name, or 0. */
uint64_t uat_flow_ring_steal(void);

/* The scheduler's side of flows: how an entry starts, and how it ends. */

/* Make a waiter's task ready on this worker. */
void uat_flow_wake(const struct uat_flow_waiter *waiter);

/* Forget whether looks at other workers have found entries. */
void uat_flow_look_anew(void);

/* How data-flow tasks start and end: `work` of this room's descriptor. */
extern const struct uat_work uat_flow_work __attribute__((visibility("hidden")));

#endif
