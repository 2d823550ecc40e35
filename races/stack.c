/* SPDX-License-Identifier: MIT */
#include "races/stack.h"

#include "races/report.h"
#include "races/shadow.h"
#include "races/start.h"
#include "runtime/segment/segment.h"

extern void *__libc_stack_end; /* the end of main()'s frames: arguments and environment are above */

static uintptr_t main_low; /* of main()'s frames, while a run is under way */

void uat_races_stack_of_main(uintptr_t sp)
{
    main_low = sp;
}

static void report_main(uintptr_t a, unsigned access, uintptr_t site)
{
    const struct uat_races_task *me = uat_races_running, *root = me;
    while (root->parent != &uat_races_outside)
        root = root->parent;
    const struct uat_races_place second = {access & UAT_RACES_WRITE ? "written by" : "read by", uat_races_short(site),
                                           me};
    const struct uat_races_place first = {"the run was started by", uat_races_short(root->site), &uat_races_outside};
    uat_races_report("STACK: a task uses a variable of main(), of which each process has its own", a, &second, &first,
                     "pass values as arguments of the run and as its result, or use global memory");
}

/* The running task's own frames, or the buffer of a result. */
static void check_result(uintptr_t a, size_t n, unsigned access, uintptr_t site)
{
    struct uat_races_task *me = uat_races_running;
    for (const struct uat_races_task *c = me->children; c; c = c->next)
        if (a < c->end && a + n > c->result) {
            const struct uat_races_place second = {access & UAT_RACES_WRITE ? "written by" : "read by",
                                                   uat_races_short(site), me};
            const struct uat_races_place first = {"the child was spawned by", uat_races_short(c->site), me};
            uat_races_report("STACK: the buffer of a result is used before the join of the child", a, &second, &first,
                             "join the child first");
        }
}

static __attribute__((noinline)) void check_stack(uintptr_t a, size_t n, unsigned access, uintptr_t site)
{
    const struct uat_races_task *me = uat_races_running, *owner = me;
    if (a < me->base) {
        check_result(a, n, access, site);
        return;
    }
    while (owner->base <= a)
        owner = owner->parent;
    const struct uat_races_place second = {access & UAT_RACES_WRITE ? "written by" : "read by", uat_races_short(site),
                                           me};
    const struct uat_races_place first = {"in the frame of a task spawned by", uat_races_short(owner->site),
                                          owner->parent};
    uat_races_report("STACK: a task uses the frame of another task, which may be on another worker", a, &second, &first,
                     "pass values as arguments, and results by the handle's result; or use global memory");
}

void uat_races_memory(uintptr_t a, size_t n, unsigned access, uintptr_t site)
{
    const struct uat_races_task *me = uat_races_running;
    if (!uat_races_active || n == 0)
        return;
    if (a - uat_segment.low < uat_segment.high - uat_segment.low) {
        if (me != &uat_races_outside && (a >= me->base || (a < me->high && a + n > me->low)))
            check_stack(a, n, access, site);
        return;
    }
    uintptr_t sp = me == &uat_races_outside ? (uintptr_t)__builtin_frame_address(0) : main_low;
    if (a - sp < (uintptr_t)__libc_stack_end - sp) {
        if (me != &uat_races_outside)
            report_main(a, access, site);
        return;
    }
    if (!uat_races_initializing)
        uat_races_access(a, n, access, site);
}
