/* SPDX-License-Identifier: MIT */
/*
 * Description: a task waits for its group and continues on the same worker, where the last child has ended. It sees
 * what another child wrote on another host meanwhile. The worker has an old copy of these bytes, which the last child
 * has read there. Run it with three workers on three hosts, in virtual time.
 */
#include <stdio.h>

#include "uat.h"
#include "uat/global.h"

enum { WAITS_NS = 1000000, WRITE_NS = 5000000, END_NS = 20000000 };

static long *word; /* on rank 1's host */

UAT_TASK_VOID(writes, int, unused)
{
    long one = 1;
    (void)unused;
    uat_sim_work(WRITE_NS);
    uat_global_put(word, &one, sizeof(one));
}

static long look(void)
{
    const long *copy = uat_global_checkout(word, sizeof(*copy), UAT_READ);
    long value = *copy;
    uat_global_checkin(word, sizeof(*copy), UAT_READ);
    return value;
}

/* Read the word on the waiting task's worker, and end there after the write. */
UAT_TASK_VOID(reads, int, home)
{
    uat_sim_work(WAITS_NS); /* until the task waits there */
    uat_migrate(home);
    if (look() != 0)
        fprintf(stderr, "group-wait: the write came too early, and nothing was tried\n");
    uat_sim_work(END_NS);
}

UAT_TASK(int, root, int, unused)
{
    uat_group_t group;
    int rank = uat_rank();
    (void)unused;
    uat_group_begin(&group);
    writes_group_spawn_on(&group, 1, 0);
    reads_group_spawn_on(&group, 2, rank);
    uat_migrate(rank); /* a thief may have taken the task meanwhile */
    uat_group_wait(&group);
    if (uat_rank() != rank)
        fprintf(stderr, "group-wait: the task has moved, and nothing was tried\n");
    return uat_rank() == rank && look() == 1;
}

int main(void)
{
    int right = 0;
    if (uat_init() < 0)
        return 2;
    long *array = uat_global_alloc(3 * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0);
    if (!array)
        return 2;
    word = array + UAT_GLOBAL_BLOCK / sizeof(long);
    if (uat_global_home(word) != 1 || root_run(&right, 0))
        return 2;
    return uat_finalize() < 0 || !right;
}
