/* SPDX-License-Identifier: MIT */
/* A flat loop of children that write to global memory: what publications cost that must wait for a release. */
#include "include/uat/global.h"
#include "perf/transfer.h"

/* Where the loop writes. The same in all workers. */
static char *memory;
static size_t room; /* bytes at each rank */

/* A child: writes 8 bytes that are far from wherever it runs, or near. */
UAT_TASK_VOID(touch, int64_t, i, int, far)
{
    char *p = memory + room * (size_t)((uat_rank() + (far ? uat_size() / 2 : 0)) % uat_size()) + (size_t)i * 8 % room;

    *(int64_t *)uat_checkout(p, 8, UAT_WRITE) = i;
    uat_checkin(p, 8, UAT_WRITE);
}

UAT_TASK_VOID(flat, int64_t, n, int, far)
{
    for (int64_t i = 0; i < n; i++) {
        touch_task task;
        touch_spawn(&task, i, far);
        touch_join(&task);
    }
}

int transfer_flat_loop(char *array, size_t chunk, int64_t count, bool far)
{
    memory = array;
    room = chunk;
    return flat_run(count, far);
}
