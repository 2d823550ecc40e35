/* SPDX-License-Identifier: MIT */
/* The descriptor of what surrounds a task: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/task/keeper.h"
#include "runtime/task/stacks.h"
#include "runtime/task/views.h"
#include "runtime/task/views_left.h"
#include "runtime/task/worker.h"

static void reserve(void)
{
    uat_keeper_reserve();
    uat_stacks_reserve();
    uat_views_left_reserve();
}

/* The events of tasks are counted in uat_task_counts, whose other members are 0. */
static void add_task_counts(uat_stats_detail_t *s)
{
    uint64_t *to = (uint64_t *)s;
    const uint64_t *from = (const uint64_t *)&uat_task_counts;
    for (size_t i = 0; i < sizeof(*s) / sizeof(*to); i++)
        to[i] += from[i];
}

static void count(uat_stats_detail_t *s)
{
    s->tasks = uat_worker.tasks;
    s->pages_touched = uat_stacks ? uat_stacks->pages() : 0;
    add_task_counts(s);
}

/* Outside of runs the words of a task are as after the start: no task has failed, and no strand has views. Of the
 * worker's words only the counter is this room's: the deque, with its words, belongs to the scheduler. uat_views_seen
 * says something about the program, and stays; so do the modes and the C++ exceptions that a run notes as it begins. */
static void reset(void)
{
    uat_worker.tasks = 0;
    uat_task_counts = (uat_stats_detail_t){0};
    uat_views_reset();
}

const struct uat_room uat_task_room = {.name = "task", .reserve = reserve, .count = count, .reset = reset};
