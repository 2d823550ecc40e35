/* SPDX-License-Identifier: MIT */
/* A flat loop of children that write to global memory: the cost of publications that must wait for a release. */
#include "include/uat/global.h"
#include "perf/transfer.h"

/* The memory that the loop writes to. All workers have the same values. */
static char *memory;
static size_t room; /* bytes at each rank */

/* A child. It writes 8 bytes of memory. For the worker that runs the child, this memory is far or near. */
UAT_TASK_VOID(touch, int64_t, i, int, far)
{
    char *p = memory + room * (size_t)((uat_rank() + (far ? uat_size() / 2 : 0)) % uat_size()) + (size_t)i * 8 % room;

    *(int64_t *)uat_global_checkout(p, 8, UAT_WRITE) = i;
    uat_global_checkin(p, 8, UAT_WRITE);
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
