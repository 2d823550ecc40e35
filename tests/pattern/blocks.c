/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_for_each_block() over elements of many sizes; some do not divide a block of global memory. Each call
 * of the body gets a single element or several elements that lie in one block of global memory. Each element is visited
 * once. Ranges start and end on either of two hosts. If a range has few elements and each takes long, the elements are
 * spread over many calls, so that thieves get some.
 * usage: UAT_GLOBAL_HOSTS=2 uatrun -n 2 test-blocks
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <uat.h>
#include <uat/pattern.h>

enum { CHUNKS = 6, CHUNK = 2 * UAT_GLOBAL_BLOCK, SIZE_MOST = 3 * UAT_GLOBAL_BLOCK };

static char *array; /* at the same address on all ranks */
static uat_atomic_t *faults;

struct part {
    char *base;
    size_t size;
};

/* Checks the block, and counts the visit in the first byte of each element. */
static void visit(void *elements, size_t first, size_t count, const void *arg)
{
    const struct part *p = arg;
    uintptr_t begin = (uintptr_t)(p->base + first * p->size), last = begin + count * p->size - 1;

    if (count == 0 || (count > 1 && begin / UAT_GLOBAL_BLOCK != last / UAT_GLOBAL_BLOCK))
        uat_atomic_fetch_add(faults, 1);
    for (size_t i = 0; i < count; i++)
        ((char *)elements)[i * p->size]++;
}

static void compare(void *elements, size_t first, size_t count, const void *arg)
{
    const struct part *p = arg;

    (void)first;
    for (size_t i = 0; i < count; i++)
        if (((char *)elements)[i * p->size] != 1)
            uat_atomic_fetch_add(faults, 1);
}

static void clear(void *elements, size_t first, size_t count, const void *arg)
{
    const struct part *p = arg;

    (void)first;
    memset(elements, 0, count * p->size);
}

UAT_TASK_VOID(walk, char *, base, size_t, bytes, size_t, size)
{
    struct part p = {base, size};

    uat_for_each_block(base, bytes / size, size, UAT_WRITE, clear, &p, sizeof(p));
    uat_for_each_block(base, bytes / size, size, UAT_READ_WRITE, visit, &p, sizeof(p));
    uat_for_each_block(base, bytes / size, size, UAT_READ, compare, &p, sizeof(p));
}

enum { FEW = 200, BLOCKS_OF_FEW = 50 };

/* Takes about a quarter of a millisecond per element. Counts its calls in the word to which `arg` leads. */
static void take_long(void *elements, size_t first, size_t count, const void *arg)
{
    uat_atomic_t *blocks = *(uat_atomic_t *const *)arg;

    (void)elements, (void)first;
    uat_atomic_fetch_add(blocks, 1);
    for (volatile size_t i = 0; i < count * 100000; i++)
        ;
}

UAT_TASK_VOID(walk_few, char *, base, uat_atomic_t *, blocks)
{
    uat_for_each_block(base, FEW, 8, UAT_READ, take_long, &blocks, sizeof(blocks));
    if (uat_atomic_load(blocks) < BLOCKS_OF_FEW)
        uat_atomic_fetch_add(faults, 1);
}

/*
 * Chunks alternate between the hosts, so ranges start and end on either host. Returns 0, or 1 if the runtime fails.
 */
static int walk_all(void)
{
    static const size_t sizes[] = {1, 24, 100, 4096, 5000, 40000, UAT_GLOBAL_BLOCK, SIZE_MOST};

    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
        for (size_t from = 0; from < 2; from++)
            for (size_t to = CHUNKS - 1; to <= CHUNKS; to++)
                for (size_t shift = 0; shift < 2; shift++) /* another alignment of the elements */
                    if (walk_run(array + from * CHUNK + shift * 8, (to - from) * CHUNK - shift * 8, sizes[k]))
                        return 1;
    return 0;
}

int main(void)
{
    if (uat_init())
        return 1;
    array = uat_global_alloc((size_t)CHUNKS * CHUNK, UAT_CYCLIC, CHUNK);
    faults = uat_global_alloc(2 * sizeof(*faults), UAT_BLOCKED, 0);
    if (!array || !faults || walk_all() || walk_few_run(array, faults + 1))
        return 1;
    uint64_t found = uat_atomic_load(faults);
    if (found && uat_rank() == 0)
        fprintf(stderr, "test-blocks: %" PRIu64 " blocks or elements are wrong\n", found);
    return uat_finalize() || found > 0;
}
