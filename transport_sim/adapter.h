/* SPDX-License-Identifier: MIT */
/*
 * The units of a host's adapter: the locks of its words, its unit of atomics, and its cache of queue pairs.
 *
 * An atomic holds the lock of its word until the adapter has read the word from memory and written it back. The low 12
 * bits of the address choose the lock (Ziegler et al., SIGMOD 2023), so atomics on different words may share a lock.
 * Atomics with different locks follow each other at the rate of the adapter's unit of atomics.
 */
#ifndef UAT_SIM_ADAPTER_H
#define UAT_SIM_ADAPTER_H

#include "transport_sim/world.h"

/* Fair: an atomic that could start at `time` waits until the lock of the word at `address` and the unit of atomics of
 * the adapter of `target`'s host are free. Returns the time at which it starts, and occupies both. */
uint64_t uat_sim_adapter_atomic(int target, uint64_t address, uint64_t time);

/* Fair: a request that could start at `time` waits until the adapter of `rank`'s host holds the queue pair by which
 * `initiator` reaches `target`'s host. bulk: the queue pair of global memory. Returns the time at which it starts. */
uint64_t uat_sim_adapter_pair(int rank, int initiator, int target, bool bulk, uint64_t time);

/* Time in ns for which the adapter's port is occupied by a request, without its bytes. */
static inline uint64_t sim_adapter_gap(enum uat_opcode code)
{
    const struct sim_network *n = &uat_sim.world->settings.network;
    return code == UAT_OP_WRITE ? n->write_gap : n->gap;
}

#endif
