/* SPDX-License-Identifier: MIT */
#ifndef UAT_RACES_SPAWN_H
#define UAT_RACES_SPAWN_H

#include "include/uat.h"
#include "races/order.h"

/* Spawn the new child c of the running task, by uat_spawn() with these arguments. */
void uat_races_spawn_child(struct uat_races_task *c, uat_task_t *t, uat_fn *fn, const void *arg, size_t n, void *result,
                           size_t result_size);

/* The running task has the new child c, which is not joined yet. */
void uat_races_child_add(struct uat_races_task *me, struct uat_races_task *c);

/* The running task has joined the child with this handle, or all children of this group or flow. */
void uat_races_joined(const void *handle, enum uat_races_join_kind kind);

/* The body of task t returns. Reports children that are not joined. */
void uat_races_task_ends(struct uat_races_task *t);

#endif
