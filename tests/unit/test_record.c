/* SPDX-License-Identifier: MIT */
/* Description: each join record is lent once, is given back by a mark or by a call, and keeps its state. Names contain
 * rank and address. */
#include <string.h>

#include "runtime/segment/record.h"
#include "tests/test.h"

enum { COUNT = 600, RESULT_MAX = 1024 };

static struct uat_record_pool pool;
static _Alignas(4096) char memory[COUNT * 2048];

static int setup(void **state)
{
    memset(memory, 0, sizeof(memory));
    assert_true(uat_record_stride(RESULT_MAX) >= sizeof(struct uat_record) + RESULT_MAX);
    assert_true(uat_record_stride(RESULT_MAX) <= sizeof(memory) / COUNT);
    return uat_record_pool_open(&pool, memory, uat_record_stride(RESULT_MAX), COUNT);
}

static int teardown(void **state)
{
    uat_record_pool_close(&pool);
    return 0;
}

TEST_WITH(each_is_lent_once, setup, teardown)
{
    for (int i = 0; i < COUNT; i++) {
        struct uat_record *record = uat_record_get(&pool);
        assert_non_null(record);
        assert_int_equal(record->state, 0);
        record->state = 1; /* a mark made by the test */
        memset(record->result, 0xff, RESULT_MAX);
    }
    assert_null(uat_record_get(&pool));
}

TEST_WITH(marks_bring_records_back, setup, teardown)
{
    struct uat_record *record[COUNT];
    for (int i = 0; i < COUNT; i++)
        record[i] = uat_record_get(&pool);
    record[COUNT / 2]->state = 2;
    record[COUNT / 2]->returned = 1;
    struct uat_record *again = NULL; /* each call checks only some of the lent records; a few calls find the returned
                                      * one */
    for (int i = 0; i < 4 && !again; i++)
        again = uat_record_get(&pool);
    assert_ptr_equal(again, record[COUNT / 2]);
    assert_int_equal(again->state, 2); /* never reset */
    assert_int_equal(again->returned, 0);
    assert_null(uat_record_get(&pool));
}

TEST_WITH(used_ones_come_before_fresh_ones, setup, teardown)
{
    struct uat_record *first = uat_record_get(&pool), *second = uat_record_get(&pool);
    for (int i = 0; i < 4 * COUNT; i++) { /* only two are lent at a time, so no third record is ever used */
        first->returned = 1;
        struct uat_record *again = uat_record_get(&pool);
        assert_ptr_equal(again, first);
        first = second;
        second = again;
    }
    assert_ptr_not_equal(uat_record_get(&pool), first);
}

TEST_WITH(put_back_by_hand, setup, teardown)
{
    struct uat_record *a = uat_record_get(&pool), *b = uat_record_get(&pool);
    uat_record_put(&pool, a);
    assert_ptr_equal(uat_record_get(&pool), a);
    uat_record_put(&pool, b);
    uat_record_put(&pool, a);
    for (int i = 0; i < COUNT; i++)
        assert_non_null(uat_record_get(&pool));
    assert_null(uat_record_get(&pool));
}

TEST_WITH(settle_looks_at_all, setup, teardown)
{
    struct uat_record *kept = uat_record_get(&pool), *spare = uat_record_get(&pool), *lent[5];
    for (int i = 0; i < 5; i++)
        lent[i] = uat_record_get(&pool);
    uat_record_put(&pool, spare);
    for (int round = 0; round < 7; round++) { /* each place where the next scan may start */
        pool.lent.cursor = (size_t)round;
        for (int i = 0; i < 5; i++)
            lent[i]->returned = 1;
        assert_int_equal(uat_record_pool_settle(&pool), 1);
        assert_ptr_equal(uat_record_get(&pool), spare);
        for (int i = 0; i < 5; i++)
            lent[i] = uat_record_get(&pool);
        uat_record_put(&pool, spare);
    }
    assert_int_equal(uat_record_pool_settle(&pool), 6);
    assert_int_equal(kept->returned, 0);
}

TEST_WITH(names, setup, teardown)
{
    struct uat_record *record = uat_record_get(&pool);
    uint64_t name = uat_record_name(4711, record);
    assert_int_equal(uat_record_rank(name), 4711);
    assert_ptr_equal(uat_record_address(name), record);
    assert_int_not_equal(uat_record_name(0, record), 0);
}
