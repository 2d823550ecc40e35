/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's side of the join of a child and a spawner that have parted. It is a greedy join (Shiina and Taura,
 * Cluster'22) over a join record, with hardware FETCH_ADD. Model: tests/model/join.pml.
 *
 *   Child's end   { WRITE result; FETCH_ADD(state, 1); READ waiter }
 *   joiner        evacuate, { WRITE waiter; FETCH_ADD(state, 1); READ result }
 *                 if asks_first() says so, READ state before; if odd, only { FETCH_ADD(state, 1); READ result }
 *
 * The side that finds an even old value arrived first: a child is done, and a joiner waits. The side that finds an odd
 * old value arrived second: a child resumes the joiner, and a joiner continues.
 *
 * A child that has failed (uat/detail/failure.h) also adds UAT_RECORD_FAILED. It WRITEs its failure in place of the
 * result. The second of the two to arrive subtracts UAT_RECORD_FAILED again. A joiner READs the failure in the same
 * chain.
 */
#ifndef UAT_JOIN_H
#define UAT_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat.h"
#include "runtime/segment/record.h"

/*
 * End the task whose segment begins at base, after it parted from its spawner. Returns the stack pointer of the joiner
 * that continues here, or 0 if the joiner has not arrived yet.
 */
uintptr_t uat_join_child_ended(uintptr_t base);

/* Join on behalf of the task that waits at sp and whose segment begins at base. Returns sp if it can continue, or 0 if
 * it was evacuated. */
uintptr_t uat_join_wait_at(uintptr_t sp, uintptr_t base);

/*
 * Join the running task's child without waiting for it: when the child ends, its worker calls
 * uat_alone_child_ended(entry). Returns false if the child has ended already; in that case it is joined as
 * usual. This is for children without a result.
 */
bool uat_join_defer(uat_task_t *task, uint64_t entry);

/* For the stack mode's function resume(): check a waiter that was READ from a record of this rank, because peers may
 * have written it. */
void uat_join_check_waiter(const struct uat_waiter *waiter, int rank);

/* For the stack mode's function resume(): let the task at base continue. It has its child's result, or all children of
 * its group have ended. name: the record's. */
void uat_join_settle(uat_task_t *task, uint64_t name, uintptr_t base);

#endif
