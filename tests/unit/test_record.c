/* SPDX-License-Identifier: MIT */
/* Description: join records: each is lent once, comes back by its mark or by hand, keeps its state; names carry rank
 * and address. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "runtime/segment/record.h"

enum { COUNT = 600, RESULT_MAX = 1024 };

static struct uat_record_pool pool;
static _Alignas(4096) char memory[COUNT * 2048];

static int setup(void **state)
{
    (void)state;
    memset(memory, 0, sizeof(memory));
    assert_true(uat_record_stride(RESULT_MAX) >= sizeof(struct uat_record) + RESULT_MAX);
    assert_true(uat_record_stride(RESULT_MAX) <= sizeof(memory) / COUNT);
    return uat_record_pool_open(&pool, memory, uat_record_stride(RESULT_MAX), COUNT);
}

static int teardown(void **state)
{
    (void)state;
    uat_record_pool_close(&pool);
    return 0;
}

static void test_each_is_lent_once(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        struct uat_record *record = uat_record_get(&pool);
        assert_non_null(record);
        assert_int_equal(record->state, 0);
        record->state = 1; /* a mark made by the test */
        memset(record->result, 0xff, RESULT_MAX);
    }
    assert_null(uat_record_get(&pool));
}

static void test_marks_bring_records_back(void **state)
{
    (void)state;
    struct uat_record *record[COUNT];
    for (int i = 0; i < COUNT; i++)
        record[i] = uat_record_get(&pool);
    record[COUNT / 2]->state = 2;
    record[COUNT / 2]->returned = 1;
    struct uat_record *again = NULL; /* one look covers only part of the records; a few looks find it */
    for (int i = 0; i < 4 && !again; i++)
        again = uat_record_get(&pool);
    assert_ptr_equal(again, record[COUNT / 2]);
    assert_int_equal(again->state, 2); /* never reset */
    assert_int_equal(again->returned, 0);
    assert_null(uat_record_get(&pool));
}

static void test_used_ones_come_before_fresh_ones(void **state)
{
    (void)state;
    struct uat_record *first = uat_record_get(&pool), *second = uat_record_get(&pool);
    for (int i = 0; i < 4 * COUNT; i++) { /* two are lent at a time: no third one is ever touched */
        first->returned = 1;
        struct uat_record *again = uat_record_get(&pool);
        assert_ptr_equal(again, first);
        first = second;
        second = again;
    }
    assert_ptr_not_equal(uat_record_get(&pool), first);
}

static void test_put_back_by_hand(void **state)
{
    (void)state;
    struct uat_record *a = uat_record_get(&pool), *b = uat_record_get(&pool);
    uat_record_put(&pool, a);
    assert_ptr_equal(uat_record_get(&pool), a);
    uat_record_put(&pool, b);
    uat_record_put(&pool, a);
    for (int i = 0; i < COUNT; i++)
        assert_non_null(uat_record_get(&pool));
    assert_null(uat_record_get(&pool));
}

static void test_settle_looks_at_all(void **state)
{
    (void)state;
    struct uat_record *kept = uat_record_get(&pool), *spare = uat_record_get(&pool), *lent[5];
    for (int i = 0; i < 5; i++)
        lent[i] = uat_record_get(&pool);
    uat_record_put(&pool, spare);
    for (int round = 0; round < 7; round++) { /* from wherever the last look ended */
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

static void test_names(void **state)
{
    (void)state;
    struct uat_record *record = uat_record_get(&pool);
    uint64_t name = uat_record_name(4711, record);
    assert_int_equal(uat_record_rank(name), 4711);
    assert_ptr_equal(uat_record_address(name), record);
    assert_int_not_equal(uat_record_name(0, record), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_each_is_lent_once), TEST(test_marks_bring_records_back), TEST(test_used_ones_come_before_fresh_ones),
        TEST(test_put_back_by_hand),  TEST(test_settle_looks_at_all),      TEST(test_names),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
