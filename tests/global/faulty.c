/* SPDX-License-Identifier: MIT */
/* Description: programs that break a rule of global memory, one for each argument; see tests/global/errors for what
 * must be said. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "uat.h"
#include "uat/global.h"

static char *array;
static const char *which;

static int is(const char *name)
{
    return strcmp(which, name) == 0;
}

static void leaf(void *arg, void *result)
{
    (void)arg;
    (void)result;
}

/* Its checkout is open while it spawns, until the spawn is published. */
static void open_at_spawn(void *arg, void *result)
{
    (void)arg;
    (void)result;
    uat_task_t t;
    uat_checkout(array, 8, UAT_READ);
    uat_spawn(&t, leaf, NULL, 0, NULL, 0);
    uat_join(&t);
}

static void open_at_end(void *arg, void *result)
{
    (void)arg;
    (void)result;
    uat_checkout(array, 8, UAT_READ);
}

static void spawn_one(void *arg, void *result)
{
    (void)arg;
    (void)result;
    uat_task_t t;
    uat_spawn(&t, open_at_end, NULL, 0, NULL, 0);
    uat_join(&t);
}

/* The child runs for long, so that a joiner who was stolen meanwhile waits. */
static void slow_leaf(void *arg, void *result)
{
    (void)arg;
    (void)result;
    usleep(100000);
}

static void open_at_join(void *arg, void *result)
{
    (void)arg;
    (void)result;
    uat_task_t t;
    uat_spawn(&t, slow_leaf, NULL, 0, NULL, 0);
    uat_checkout(array, 8, UAT_READ);
    uat_join(&t);
}

static void alloc_inside(void *arg, void *result)
{
    (void)arg;
    (void)result;
    if (!uat_global_alloc(8, UAT_BLOCKED, 0))
        fprintf(stderr, "refused\n");
}

/* What is allowed no more, or not so often. */
static void exceed(char *far)
{
    if (is("access"))
        uat_checkout(far, 8, (enum uat_access)7);
    if (is("many"))
        for (int i = 0; i < 300; i++)
            uat_checkout(far + 8 * i, 8, UAT_READ);
    if (is("frozen"))
        uat_checkout(array, 8, UAT_WRITE);
    if (is("frozen-put"))
        uat_put(far, &which, 8);
    if (is("frozen-atomic"))
        uat_atomic_add((uat_atomic_t *)far, 1);
    if (is("gone"))
        uat_checkout(array, 8, UAT_READ);
    if (is("plain-gone"))
        array[5] = 1;
    if (is("barrier"))
        uat_checkout(far, 8, UAT_READ);
    if (is("transfer-open")) {
        static uat_transfer_t t;
        static char local[8];
        uat_get_begin(&t, local, far, 8);
    }
}

/* Rank 1 gives it back twice, from afar. */
static int free_twice(void)
{
    char **shared = (char **)(array + (size_t)(uat_size() - 1) * UAT_GLOBAL_BLOCK), *o;
    if (uat_rank() == 0) {
        o = uat_object_alloc(100);
        uat_put(shared, &o, sizeof(o));
    }
    if (uat_barrier())
        return 1;
    if (uat_rank() == uat_size() - 1) {
        uat_get(&o, shared, sizeof(o));
        uat_object_free(o);
        uat_object_free(o);
    }
    return uat_barrier();
}

/* Two arrays that this machine has memory for, but not for both. Neither is touched. */
static int promise_twice(void)
{
    char limit[UAT_MEMORY_LIMIT_MAX];
    size_t bytes[] = {(size_t)uat_memory_available("", false, limit) / 8 * 5},
           *same = uat_replicate(bytes, sizeof(bytes));
    char *first = same ? uat_global_alloc(*same, UAT_BLOCKED, 0) : NULL;
    if (!first || uat_global_alloc(*same, UAT_BLOCKED, 0))
        return 1;
    return uat_global_free(first) || !uat_global_alloc(*same, UAT_BLOCKED, 0);
}

/* Collective calls that go before. */
static int prepare(void)
{
    if (is("closed") && uat_rank() == 0)
        uat_object_alloc(8);
    array = uat_global_alloc((size_t)uat_size() * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0);
    if (!array)
        return 1;
    if (strncmp(which, "frozen", 6) == 0)
        return uat_global_freeze(array);
    if (is("gone") || is("plain-gone"))
        return uat_global_free(array);
    return is("double-free-far") ? free_twice() : 0;
}

static void on_rank_0(void)
{
    char *far = array + (size_t)(uat_size() - 1) * UAT_GLOBAL_BLOCK, *o = uat_object_alloc(100);
    if (is("not-open"))
        uat_checkin(array, 8, UAT_READ);
    if (is("not-open-far"))
        uat_checkin(far, 8, UAT_READ);
    if (is("mode")) {
        uat_checkout(far, 8, UAT_READ);
        uat_checkin(far, 8, UAT_WRITE);
    }
    if (is("size")) {
        uat_checkout(far, 8, UAT_READ);
        uat_checkin(far, 16, UAT_READ);
    }
    if (is("overlap")) {
        uat_checkout(array, 100, UAT_WRITE);
        uat_checkout(array + 50, 100, UAT_READ);
    }
    if (is("cache"))
        uat_checkout(array, (size_t)uat_size() * UAT_GLOBAL_BLOCK, UAT_READ);
    if (is("beyond"))
        uat_checkout(array, (size_t)uat_size() * UAT_GLOBAL_BLOCK + 1, UAT_READ);
    if (is("foreign"))
        uat_checkout(&which, 8, UAT_READ);
    if (is("plain"))
        far[5] = 1;
    if (is("free-foreign"))
        uat_object_free(array);
    if (is("free-inside"))
        uat_object_free(o + 32);
    if (is("double-free")) {
        uat_object_free(o);
        uat_object_free(o);
    }
    if (is("use-after-free")) {
        uat_object_free(o);
        o[60] = 1;
        uat_object_alloc(100);
    }
    if (is("read-after-free")) {
        memset(o, 1, 100);
        uat_object_free(o);
        fprintf(stderr, "a freed byte is %x, 0x%x\n", (unsigned char)o[60], (unsigned char)o[99]);
    }
    if (is("part-full"))
        for (int i = 0; i < 10; i++)
            if (!uat_object_alloc(10000))
                break;
    if (is("wait-twice")) {
        uat_transfer_t t;
        char local[8];
        uat_get_begin(&t, local, far, 8);
        uat_transfer_wait(&t);
        uat_transfer_wait(&t);
    }
    if (is("misaligned"))
        uat_atomic_load((uat_atomic_t *)(far + 4));
}

int main(int argc, char **argv)
{
    which = argc > 1 ? argv[1] : "";
    if (uat_init())
        return 1;
    if (prepare())
        return 1;
    if (is("huge") && uat_global_alloc((size_t)1 << 46, UAT_BLOCKED, 0) == NULL)
        return uat_finalize() ? 1 : 3;
    if (is("machine") && uat_global_alloc((size_t)1 << 42, UAT_BLOCKED, 0) == NULL)
        return uat_finalize() ? 1 : 3;
    if (is("promised") && !promise_twice())
        return uat_finalize() ? 1 : 3;
    if (is("freeze-nothing") && uat_global_freeze(array + 8))
        return uat_finalize() ? 1 : 3;
    if (is("differ") && uat_global_alloc(100 + (size_t)uat_rank(), UAT_BLOCKED, 0) == NULL)
        return uat_finalize() ? 1 : 3;
    if (is("empty") && uat_global_alloc(0, UAT_BLOCKED, 0) == NULL)
        return uat_finalize() ? 1 : 3;
    if (is("free-middle") && uat_global_free(array + 8))
        return uat_finalize() ? 1 : 3;
    if (uat_rank() == 0) {
        on_rank_0();
        exceed(array + (size_t)(uat_size() - 1) * UAT_GLOBAL_BLOCK);
        if (is("barrier") || is("transfer-open"))
            uat_barrier();
    }
    uat_fn *root = is("spawn")          ? open_at_spawn
                   : is("end")          ? spawn_one
                   : is("join")         ? open_at_join
                   : is("alloc-inside") ? alloc_inside
                                        : leaf;
    if (uat_run(root, NULL, 0, NULL, 0))
        return 1;
    return uat_finalize() ? 1 : 3;
}
