/* SPDX-License-Identifier: MIT */
#include "runtime/sched/stop.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "deque/inbox.h"
#include "deque/ready.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/deadlock.h"
#include "runtime/sched/park.h"
#include "runtime/sched/sleep.h"

static void save_tasks(struct uat_sections_out *out, const struct uat_ready *ready, bool only_here)
{
    size_t count = uat_ready_count(ready);
    if (count == 0)
        return;
    struct uat_ready_task *tasks = malloc(count * sizeof(*tasks));
    if (!tasks)
        uat_park_no_memory();
    uat_ready_copy(ready, tasks);
    uat_sections_add(out, UAT_SECTION_READY, only_here, tasks, count * sizeof(*tasks));
    free(tasks);
}

/* Save the sleeping tasks, with the time that each has left. */
static void save_sleepers(struct uat_sections_out *out)
{
    const struct uat_sleepers *s = &uat_sleepers;
    uint64_t now = uat_clock_ns();
    struct uat_sleeper *left = s->count > 0 ? malloc(s->count * sizeof(*left)) : NULL;
    if (s->count == 0)
        return;
    if (!left)
        uat_park_no_memory();
    for (size_t i = 0; i < s->count; i++)
        left[i] = (struct uat_sleeper){s->heap[i].due > now ? s->heap[i].due - now : 0, s->heap[i].task};
    uat_sections_add(out, UAT_SECTION_SLEEP, 0, left, s->count * sizeof(*left));
    free(left);
}

void uat_waiting_save(struct uat_sections_out *out, int rank)
{
    if (rank != uat_self.rank) /* a ghost's tasks are among the keeper's since the restart */
        return;
    uat_check(uat_inbox_settle(&uat_parking.inbox));
    save_tasks(out, &uat_parking.ready, false);
    save_tasks(out, &uat_parking.inbox.tasks, true);
    save_sleepers(out);
    uat_sections_add(out, UAT_SECTION_WAITS, 0, uat_deadlock_waits.at, uat_deadlock_waits.size);
}

static bool add_waits(const struct uat_section *section)
{
    uint64_t waits[UAT_PARK_KINDS] = {0};
    if (section->whole != sizeof(waits))
        return false;
    memcpy(waits, uat_section_bytes(section), section->bytes);
    for (int kind = 0; kind < UAT_PARK_KINDS; kind++)
        ((uint64_t *)uat_deadlock_waits.at)[kind] += waits[kind];
    return true;
}

static bool push(const struct uat_ready_task *task, struct uat_ready *ready)
{
    if (!uat_park_is_whole(task))
        return false;
    if (uat_ready_push(ready, task))
        uat_park_no_memory();
    return true;
}

static bool add_tasks(const struct uat_section *section)
{
    size_t count = section->whole / sizeof(struct uat_ready_task);
    struct uat_ready *ready = section->address ? &uat_parking.inbox.tasks : &uat_parking.ready;
    struct uat_ready_task *tasks = section->whole % sizeof(*tasks) == 0 ? malloc(section->whole + 1) : NULL;
    if (!tasks)
        return false;
    uat_section_put(section, (char *)tasks);
    uat_parking.seen = true;
    uat_notice_begin(uat_stall_notice()); /* K8 */
    size_t pushed = 0;
    while (pushed < count && push(&tasks[pushed], ready))
        pushed++;
    free(tasks);
    return pushed == count;
}

/* The tasks sleep for the time that they had left. */
static bool add_sleepers(const struct uat_section *section)
{
    size_t count = section->whole / sizeof(struct uat_sleeper), added = 0;
    struct uat_sleeper *left = section->whole % sizeof(*left) == 0 ? malloc(section->whole + 1) : NULL;
    if (!left)
        return false;
    uat_section_put(section, (char *)left);
    uat_notice_begin(uat_stall_notice()); /* K8, W1 */
    for (; added < count && uat_park_is_whole(&left[added].task); added++) {
        left[added].due = uat_sleep_due(left[added].due);
        uat_sleep_add(&left[added]);
    }
    free(left);
    return added == count;
}

bool uat_waiting_restore(int rank, const struct uat_section *section)
{
    (void)rank;
    if (section->kind == UAT_SECTION_SLEEP)
        return add_sleepers(section);
    return section->kind == UAT_SECTION_WAITS ? add_waits(section) : add_tasks(section);
}
