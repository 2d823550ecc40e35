/* SPDX-License-Identifier: MIT */
/* Description: blocks of the evacuation heap never overlap, are given back by a mark or by a call, and merge again. */
#include <stdlib.h>
#include <string.h>
#include "runtime/segment/heap.h"
#include "tests/test.h"
#include "tests/unit/refusal.h"

enum { SIZE = 1 << 20, BLOCKS = 300 };

static struct uat_heap heap;
static _Alignas(4096) char memory[SIZE];

static int setup(void **state)
{
    memset(memory, 0, sizeof(memory));
    return uat_heap_open(&heap, memory, SIZE);
}

static int teardown(void **state)
{
    uat_heap_close(&heap);
    return 0;
}

/* Freed small blocks are kept unmerged for the next requests of their size. They merge when a large block needs their
 * space. */
TEST_WITH(kept_blocks_merge, setup, teardown)
{
    struct uat_block *blocks[SIZE / UAT_HEAP_UNIT + 1]; /* its last element stays NULL */
    size_t n = 0;
    while ((blocks[n] = uat_heap_get(&heap, 1)))
        n++;
    assert_int_equal(n, SIZE / UAT_HEAP_UNIT);
    for (size_t i = 0; i < n; i++)
        uat_heap_put(&heap, blocks[i]);
    assert_ptr_equal(uat_heap_get(&heap, 1),
                     blocks[UAT_HEAP_KEPT - 1]); /* the most recently returned block is used first */
    uat_heap_put(&heap, blocks[UAT_HEAP_KEPT - 1]);
    assert_non_null(uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER));
    assert_null(uat_heap_get(&heap, 1));
}

static struct uat_block *marked;

static void put_marked(void)
{
    uat_heap_put(&heap, marked);
}

/* uat_heap_put() refuses a block that has a mark. */
TEST_WITH(marked_block, setup, teardown)
{
    marked = uat_heap_get(&heap, 1);
    marked->returned = 7;
    assert_refusal(put_marked);
}

TEST_WITH(one_block_takes_all, setup, teardown)
{
    struct uat_block *all = uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER);
    assert_non_null(all);
    assert_null(uat_heap_get(&heap, 1));
    uat_heap_put(&heap, all);
    assert_non_null(uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER));
}

TEST_WITH(too_large, setup, teardown)
{
    assert_null(uat_heap_get(&heap, SIZE));
    assert_null(uat_heap_get(&heap, (size_t)1 << 40));
}

TEST_WITH(marks_bring_blocks_back, setup, teardown)
{
    struct uat_block *block[SIZE / UAT_HEAP_UNIT + 1];
    int n = 0;
    while ((block[n] = uat_heap_get(&heap, 100)) != NULL)
        n++;
    assert_int_equal(n, SIZE / UAT_HEAP_UNIT);
    for (int i = 0; i < n; i++)
        block[i]->returned = 1;                                   /* as another worker does */
    assert_non_null(uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER)); /* all blocks, merged into one */
}

/* Random sizes and orders: a block keeps its contents. */
TEST_WITH(blocks_do_not_overlap, setup, teardown)
{
    struct uat_block *block[BLOCKS] = {0};
    size_t size[BLOCKS];
    srand(7);
    for (int round = 0; round < 20000; round++) {
        int i = rand() % BLOCKS;
        if (block[i]) {
            const unsigned char *p = uat_block_stack(block[i]);
            for (size_t k = 0; k < size[i]; k++)
                assert_int_equal(p[k], i % 251);
            if (rand() % 2)
                block[i]->returned = 1;
            else
                uat_heap_put(&heap, block[i]);
            block[i] = NULL;
        } else {
            size[i] = 1 + (size_t)rand() % 6000;
            block[i] = uat_heap_get(&heap, size[i]);
            if (block[i])
                memset(uat_block_stack(block[i]), i % 251, size[i]);
        }
    }
    for (int i = 0; i < BLOCKS; i++)
        if (block[i])
            uat_heap_put(&heap, block[i]);
    assert_non_null(uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER));
}
