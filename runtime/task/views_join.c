/* SPDX-License-Identifier: MIT */
/* The joiner takes the views that children have left, in blocks or in slots (V4). */
#include "asm/switch.h"
#include "runtime/task/views.h"
#include "runtime/task/views_left.h"

/* Make the combined views of a list the views of the running strand, which has none yet. */
static void add_list(uint64_t list)
{
    if (uat_views_in_slots(list))
        uat_views_add_slots(list);
    else
        uat_views_add_blocks(list);
}

void uat_views_take_left(uint64_t list)
{
    size_t size = uat_views_bytes;
    uat_views_check_stack(size);
    _Alignas(UAT_VIEWS_ALIGN) char own[size + 1]; /* C has no arrays of zero bytes */
    uat_views_put_aside(own);
    add_list(list);
    uat_views_add(own, size);
}

static __attribute__((noinline)) void join_with_views(uat_task_t *t)
{
    size_t size = uat_views_bytes;
    uat_views_check_stack(size);
    _Alignas(UAT_VIEWS_ALIGN) char own[size];
    uat_views_put_aside(own);
    uat_join_suspend(t);
    if (t->size) /* uat_join_settle() of join.c has set it */
        add_list(t->size);
    uat_views_add(own, size);
}

void uat_join_wait(uat_task_t *t)
{
    if (uat_views_bytes != 0) {
        join_with_views(t);
        return;
    }
    uat_join_suspend(t);
    if (t->size)
        add_list(t->size);
}
