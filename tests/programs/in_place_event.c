/* SPDX-License-Identifier: MIT */
/*
 * Description: a join waits in place, because the heap has no room for its stack. Its child has moved to rank 1, and
 * waits there for a latch that all ancestors of the joiner count down. Their continuations are in the deque of the
 * worker that waits in place. They are more than the deque publishes at once, so this worker must go on offering them.
 * Before, the child sleeps, so this worker must also wake it.
 * Run it with 2 workers and UAT_HEAP_SIZE=64k.
 */
#include <unistd.h>

#include "uat.h"
#include "uat/limit.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

enum { FRAME = 1 << 20 /* bytes: larger than UAT_HEAP_SIZE */, ANCESTORS = 40, LATE_US = 200000 };

struct family {
    uat_latch_t latch;
    int left; /* ancestors between this task and the joiner */
};

static void child(void *arg, void *result)
{
    uat_sleep_for(1000000); /* only the worker that waits in place knows of this task then */
    uat_latch_wait(((const struct family *)arg)->latch);
    *(int *)result = 1;
}

static void joiner(void *arg, void *result)
{
    volatile char frame[FRAME];
    uat_task_t task;
    int good = 0;
    frame[0] = frame[FRAME - 1] = 1;
    __asm__ volatile("" : : "r"(frame) : "memory"); /* otherwise clang keeps only the two bytes that are used */
    uat_spawn(&task, child, arg, sizeof(struct family), &good, sizeof(good));
    uat_join(&task);
    *(int *)result = good && frame[0] == frame[FRAME - 1];
}

static void ancestor(void *arg, void *result)
{
    struct family *f = arg;
    uat_task_t task;
    uat_spawn(&task, --f->left > 0 ? ancestor : joiner, f, sizeof(*f), result, sizeof(int));
    uat_latch_count_down(f->latch, 1);
    uat_join(&task);
}

static void root(void *arg, void *result)
{
    ((struct family *)arg)->latch = uat_latch_create(ANCESTORS);
    ancestor(arg, result);
}

int main(void)
{
    struct family f = {.left = ANCESTORS};
    int good = 0;
    if (uat_init())
        return 1;
    if (uat_rank() == 1)
        usleep(LATE_US); /* the join waits before this worker takes anything */
    return uat_run(root, &f, sizeof(f), &good, sizeof(good)) || uat_finalize() || !good;
}
