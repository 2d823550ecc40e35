/* SPDX-License-Identifier: MIT */
/* Description: programs that break a rule of global memory, one per argument. tests/global/errors has the expected
 * messages. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"
#include "uat/transfer.h"

static char *array;
static const char *which;
static volatile enum uat_access mode = (enum uat_access)7; /* volatile: the compiler must not know the value */

static int is(const char *name)
{
    return strcmp(which, name) == 0;
}

static void leaf(void *arg, void *result)
{
}

/* This task has a checkout open when it spawns. The message is printed when the spawn is published. */
static void open_at_spawn(void *arg, void *result)
{
    uat_task_t t;
    uat_global_checkout(array, 8, UAT_READ);
    uat_spawn(&t, leaf, NULL, 0, NULL, 0);
    uat_join(&t);
}

static void open_at_end(void *arg, void *result)
{
    uat_global_checkout(array, 8, UAT_READ);
}

static void spawn_one(void *arg, void *result)
{
    uat_task_t t;
    uat_spawn(&t, open_at_end, NULL, 0, NULL, 0);
    uat_join(&t);
}

/* The child runs so long that a stolen joiner must wait. */
static void slow_leaf(void *arg, void *result)
{
    usleep(100000);
}

static void open_at_join(void *arg, void *result)
{
    uat_task_t t;
    uat_spawn(&t, slow_leaf, NULL, 0, NULL, 0);
    uat_global_checkout(array, 8, UAT_READ);
    uat_join(&t);
}

static void alloc_inside(void *arg, void *result)
{
    if (is("temporary-inside") ? uat_global_temporary_open(8, 0) : !uat_global_alloc(8, UAT_BLOCKED, 0))
        fprintf(stderr, "refused\n");
}

/* Requests that exceed a limit or come too late. */
static void exceed(char *far)
{
    if (is("access"))
        uat_global_checkout(far, 8, (enum uat_access)7);
    if (is("access-known"))
        uat_global_checkout(array, 8, (enum uat_access)7);
    if (is("many"))
        for (int i = 0; i < 300; i++)
            uat_global_checkout(far + 8 * i, 8, UAT_READ);
    if (is("frozen"))
        uat_global_checkout(array, 8, UAT_WRITE);
    if (is("frozen-put"))
        uat_global_put(far, &which, 8);
    if (is("frozen-atomic"))
        uat_atomic_add((uat_atomic_t *)far, 1);
    if (is("gone"))
        uat_global_checkout(array, 8, UAT_READ);
    if (is("plain-gone"))
        array[5] = 1;
    if (is("barrier"))
        uat_global_checkout(far, 8, UAT_READ);
    if (is("transfer-open")) {
        static uat_global_transfer_t t;
        static char local[8];
        uat_global_get_begin(&t, local, far, 8);
    }
}

/* Rank 1 frees another host's object twice. */
static int free_twice(void)
{
    char **shared = (char **)(array + (size_t)(uat_size() - 1) * UAT_GLOBAL_BLOCK), *o;
    if (uat_rank() == 0) {
        o = uat_global_object_alloc(100);
        uat_global_put(shared, &o, sizeof(o));
    }
    if (uat_barrier())
        return 1;
    if (uat_rank() == uat_size() - 1) {
        uat_global_get(&o, shared, sizeof(o));
        uat_global_object_free(o);
        uat_global_object_free(o);
    }
    return uat_barrier();
}

/* "one-...": rank 0 accesses one element too many, in an array or an object, near or far. */
enum { ELEMENTS = 25 };

static int one_too_many(void)
{
    const size_t bytes = ELEMENTS * sizeof(uint64_t), before = strstr(which, "far") ? UAT_GLOBAL_BLOCK : 0;
    uint64_t local[ELEMENTS + 1] = {0}, **shared = (uint64_t **)(void *)array, *p;
    uat_global_transfer_t t;
    /* The last block of this array is only partly used. */
    p = uat_global_alloc(before + bytes, UAT_CYCLIC, 0);
    if (!p)
        return 1;
    p += before / sizeof(*p);
    if (strstr(which, "object")) {
        if (uat_rank() == (before ? 1 : 0))
            for (int i = 0; i < 3; i++) { /* the middle object has neighbours on both sides */
                p = uat_global_object_alloc(bytes);
                uat_global_put(i == 1 ? &shared[0] : &shared[1], &p, sizeof(p));
            }
        if (uat_barrier())
            return 1;
        uat_global_get(&p, &shared[0], sizeof(p));
    }
    if (uat_rank() != 0)
        return 0;
    uat_global_checkout(p, bytes, UAT_READ_WRITE);
    uat_global_checkin(p, bytes, UAT_READ_WRITE);
    uat_global_put(p, local, bytes);
    uat_global_get(local, p, bytes);
    if (strstr(which, "checkout"))
        uat_global_checkout(p + ELEMENTS, sizeof(*p), UAT_READ);
    if (strstr(which, "longer"))
        uat_global_checkout(p, bytes + sizeof(*p), UAT_READ);
    if (strstr(which, "before"))
        uat_global_checkout(p - 1, sizeof(*p), UAT_READ);
    if (strstr(which, "jump")) /* skips the next object's header and ends inside that object */
        uat_global_checkout(p + ELEMENTS + 8, sizeof(*p), UAT_READ);
    if (strstr(which, "put"))
        uat_global_put(p + ELEMENTS, local, sizeof(*p));
    if (strstr(which, "get"))
        uat_global_get(local, p, bytes + sizeof(*p));
    if (strstr(which, "transfer"))
        uat_global_get_begin(&t, local, p + ELEMENTS, sizeof(*p));
    if (strstr(which, "plain"))
        p[ELEMENTS] = 1;
    if (strstr(which, "plain") || strstr(which, "freed")) {
        uat_global_object_free(p);
        uat_global_checkout(p, sizeof(*p), UAT_READ);
    }
    return 0;
}

/* Allocate two arrays, and touch no byte of them. This machine has enough memory for one array, but not for both.
 * Returns 0 if the second allocation fails until the first array is freed. */
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

/* "temporary-...": mistakes with temporary arrays, by rank 0 alone or, if `together`, by all ranks. */
static int misuse_temporary(int together)
{
    if (together && is("temporary-differ"))
        return uat_global_temporary_open(1 << 20, (size_t)uat_rank() * UAT_GLOBAL_BLOCK * 2);
    if (together && is("temporary-huge"))
        return uat_global_temporary_open(SIZE_MAX, 0);
    if (together && is("temporary-in-use")) {
        char *p = uat_rank() == 1 ? uat_global_temporary_alloc(8) : NULL;
        return uat_rank() == 1 && !p ? 0 : uat_global_temporary_open(0, 0);
    }
    if (together)
        return 0;
    char *p = uat_global_temporary_alloc(100 + UAT_GLOBAL_BLOCK), *far = p + UAT_GLOBAL_BLOCK;
    if (is("temporary-full") && p)
        while (uat_global_temporary_alloc(300000) || uat_global_temporary_alloc(300000)) {
        }
    if (is("temporary-foreign"))
        uat_global_temporary_free(array);
    if (is("temporary-middle"))
        uat_global_temporary_free(far);
    if (is("temporary-beyond"))
        uat_global_get(far, far + 50, 51);
    if (is("temporary-freed") || is("temporary-twice"))
        uat_global_temporary_free(p);
    if (is("temporary-freed"))
        uat_global_checkout(far, 8, UAT_WRITE);
    if (is("temporary-twice"))
        uat_global_temporary_free(p);
    return 0;
}

/* "open-...": all ranks make a collective call; rank 0 has a range checked out. */
static int call_while_open(void)
{
    if (strncmp(which, "open-", 5) == 0 && uat_rank() == 0)
        uat_global_checkout(array, 8, UAT_READ);
    return is("open-free")        ? uat_global_free(array)
           : is("open-freeze")    ? uat_global_freeze(array)
           : is("open-thaw")      ? uat_global_thaw(array)
           : is("open-temporary") ? uat_global_temporary_open(1 << 20, 0)
                                  : 0;
}

/* The collective calls before the mistake. */
static int prepare(void)
{
    if (strncmp(which, "temporary-", 10) == 0 && !is("temporary-closed") && uat_global_temporary_open(1 << 20, 0))
        return 1;
    if (is("closed") && uat_rank() == 0)
        uat_global_object_alloc(8);
    array = uat_global_alloc((size_t)uat_size() * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0);
    if (!array)
        return 1;
    if (strncmp(which, "frozen", 6) == 0)
        return uat_global_freeze(array);
    if (is("gone") || is("plain-gone"))
        return uat_global_free(array);
    if (strncmp(which, "one-", 4) == 0)
        return one_too_many();
    return is("double-free-far") ? free_twice() : 0;
}

static void misuse_objects(void)
{
    char *o = uat_global_object_alloc(100);
    if (is("free-foreign"))
        uat_global_object_free(array);
    if (is("free-inside"))
        uat_global_object_free(o + 32);
    if (is("double-free")) {
        uat_global_object_free(o);
        uat_global_object_free(o);
    }
    if (is("use-after-free")) {
        uat_global_object_free(o);
        o[60] = 1;
        uat_global_object_alloc(100);
    }
    if (is("read-after-free")) {
        memset(o, 1, 100);
        uat_global_object_free(o);
        fprintf(stderr, "a freed byte is %x, 0x%x\n", (unsigned char)o[60], (unsigned char)o[99]);
    }
    if (is("part-full"))
        for (int i = 0; i < 10; i++)
            if (!uat_global_object_alloc(10000))
                break;
    if (is("part-machine"))
        uat_global_object_alloc((size_t)50 << 30); /* its place has 56 GiB */
    if (is("object-huge"))
        uat_global_object_alloc(SIZE_MAX);
}

static void on_rank_0(void)
{
    char *far = array + (size_t)(uat_size() - 1) * UAT_GLOBAL_BLOCK;
    if (is("not-open"))
        uat_global_checkin(array, 8, UAT_READ);
    if (is("not-open-far"))
        uat_global_checkin(far, 8, UAT_READ);
    if (is("mode")) {
        uat_global_checkout(far, 8, UAT_READ);
        uat_global_checkin(far, 8, UAT_WRITE);
    }
    if (is("size")) {
        uat_global_checkout(far, 8, UAT_READ);
        uat_global_checkin(far, 16, UAT_READ);
    }
    if (is("overlap")) {
        uat_global_checkout(array, 100, UAT_WRITE);
        uat_global_checkout(array + 50, 100, UAT_READ);
    }
    if (is("cache"))
        uat_global_checkout(array, (size_t)uat_size() * UAT_GLOBAL_BLOCK, UAT_READ);
    if (is("beyond"))
        uat_global_checkout(array, (size_t)uat_size() * UAT_GLOBAL_BLOCK + 1, UAT_READ);
    if (is("rows-beyond"))
        uat_global_get_strided(array, 9, array, UAT_GLOBAL_BLOCK, 9, (size_t)uat_size() + 1);
    if (is("rows-overlap"))
        uat_global_put_strided(array, 8, array, 9, 9, 2);
    if (is("rows-many"))
        uat_global_get_strided(array, 9, array, SIZE_MAX / 2, 9, 4);
    if (is("foreign"))
        uat_global_checkout(&which, 8, UAT_READ);
    if (is("plain"))
        far[5] = 1;
    if (is("access-near"))
        uat_global_checkout(array, 8, mode);
    if (is("wait-twice") || is("wait-never")) { /* make the mistake while another transfer is in flight */
        uat_global_transfer_t t[2] = {{0}};
        char local[16];
        uat_global_get_begin(&t[0], local, far, 8);
        if (is("wait-twice")) {
            uat_global_get_begin(&t[1], local + 8, far + 8, 8);
            uat_global_transfer_wait(&t[1]);
        }
        uat_global_transfer_wait(&t[1]);
    }
    misuse_objects();
    if (strncmp(which, "temporary-", 10) == 0)
        misuse_temporary(0);
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
    if (misuse_temporary(1) || call_while_open())
        return uat_finalize() ? 1 : 3;
    if (is("free-middle") && uat_global_free(array + 8))
        return uat_finalize() ? 1 : 3;
    if (uat_rank() == 0) {
        on_rank_0();
        exceed(array + (size_t)(uat_size() - 1) * UAT_GLOBAL_BLOCK);
        if (is("barrier") || is("transfer-open"))
            uat_barrier();
    }
    uat_fn *root = is("spawn")                                    ? open_at_spawn
                   : is("end")                                    ? spawn_one
                   : is("join")                                   ? open_at_join
                   : is("alloc-inside") || is("temporary-inside") ? alloc_inside
                                                                  : leaf;
    if (uat_run(root, NULL, 0, NULL, 0))
        return 1;
    return uat_finalize() ? 1 : 3;
}
