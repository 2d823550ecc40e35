/* SPDX-License-Identifier: MIT */
/* Description: the evacuation heap: blocks never overlap, come back by mark or by hand, and merge again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include "base/word.h"
#include "runtime/segment/heap.h"

enum { SIZE = 1 << 20, BLOCKS = 300 };

static struct uat_heap heap;
static _Alignas(4096) char memory[SIZE];

static int setup(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    return uat_heap_open(&heap, memory, SIZE);
}

static int teardown(void **state)
{
    (void)state;
    uat_heap_close(&heap);
    return 0;
}

/* Small blocks that are kept whole for the next call merge when a large one needs them. */
static void test_kept_blocks_merge(void **state)
{
    (void)state;
    struct uat_block *blocks[SIZE / UAT_HEAP_UNIT + 1]; /* the last one is NULL */
    size_t n = 0;
    while ((blocks[n] = uat_heap_get(&heap, 1)))
        n++;
    assert_int_equal(n, SIZE / UAT_HEAP_UNIT);
    for (size_t i = 0; i < n; i++)
        uat_heap_put(&heap, blocks[i]);
    assert_ptr_equal(uat_heap_get(&heap, 1),
                     blocks[UAT_HEAP_KEPT - 1]); /* the block that was given back last is used first */
    uat_heap_put(&heap, blocks[UAT_HEAP_KEPT - 1]);
    assert_non_null(uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER));
    assert_null(uat_heap_get(&heap, 1));
}

static jmp_buf refused;

static void leave(void)
{
    longjmp(refused, 1);
}

/* A block that its owner gives back has no mark. */
static void test_marked_block(void **state)
{
    (void)state;
    struct uat_block *block = uat_heap_get(&heap, 1);
    block->returned = 7;
    uat_word_set_end(leave);
    if (!setjmp(refused)) {
        uat_heap_put(&heap, block);
        fail();
    }
    uat_word_set_end(NULL);
}

static void test_one_block_takes_all(void **state)
{
    (void)state;
    struct uat_block *all = uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER);
    assert_non_null(all);
    assert_null(uat_heap_get(&heap, 1));
    uat_heap_put(&heap, all);
    assert_non_null(uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER));
}

static void test_too_large(void **state)
{
    (void)state;
    assert_null(uat_heap_get(&heap, SIZE));
    assert_null(uat_heap_get(&heap, (size_t)1 << 40));
}

static void test_marks_bring_blocks_back(void **state)
{
    (void)state;
    struct uat_block *block[SIZE / UAT_HEAP_UNIT + 1];
    int n = 0;
    while ((block[n] = uat_heap_get(&heap, 100)) != NULL)
        n++;
    assert_int_equal(n, SIZE / UAT_HEAP_UNIT);
    for (int i = 0; i < n; i++)
        block[i]->returned = 1;                                   /* as a peer does */
    assert_non_null(uat_heap_get(&heap, SIZE - UAT_HEAP_HEADER)); /* all blocks, merged */
}

/* Random sizes and orders: a block holds what was written into it. */
static void test_blocks_do_not_overlap(void **state)
{
    (void)state;
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_marked_block), TEST(test_one_block_takes_all),     TEST(test_kept_blocks_merge),
        TEST(test_too_large),    TEST(test_marks_bring_blocks_back), TEST(test_blocks_do_not_overlap),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
