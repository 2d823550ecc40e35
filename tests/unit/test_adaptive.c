/* SPDX-License-Identifier: MIT */
/*
 * Description: the words of adaptive requests can hold the largest values of their fields. The sizes of parts fit into
 * WRITEs. A worker's cells run out, become free again, and get a new generation. The owner of an interval takes each
 * iteration once.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/adaptive/cell.h"
#include "runtime/adaptive/context.h"
#include "runtime/job/self.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"

static int setup(void **state)
{
    (void)state;
    uat_segment_settings = (struct uat_segment_settings){.address = UAT_SEGMENT_ADDRESS_DEFAULT,
                                                         .stack_size = 1 << 16,
                                                         .heap_size = 1 << 16,
                                                         .records = 16,
                                                         .result_max = UAT_RESULT_MAX_MIN};
    uat_self.rank = 0;
    uat_self.size = 1;
    uat_self.near_size = 1; /* this CPU executes all atomics */
    uat_segment_begin();
    uat_cells_reserve();
    uat_segment_lay_out();
    return uat_segment_open(0);
}

static int teardown(void **state)
{
    (void)state;
    uat_segment_close();
    return 0;
}

static void test_words(void **state)
{
    (void)state;
    const uint64_t most = UAT_WORD_UNITS_MAX, marks = UAT_WORD_USED | UAT_WORD_DROPPED | UAT_WORD_ASK,
                   generation = UINT64_C(255) << UAT_WORD_GENERATION_AT,
                   word = uat_word_with(marks | generation, most - 1, most, 31);
    assert_int_equal(word, UINT64_MAX - 1 * (UINT64_C(1) << UAT_WORD_UNITS));
    assert_int_equal(uat_word_begin(word), most - 1);
    assert_int_equal(uat_word_end(word), most);
    assert_int_equal(uat_word_parts(word), UAT_CONTEXT_PARTS);
    assert_true(uat_word_left(word));
    const uint64_t empty = uat_word_emptied(word);
    assert_false(uat_word_left(empty));
    assert_int_equal(uat_word_parts(empty), UAT_CONTEXT_PARTS);
    assert_int_equal(empty >> UAT_WORD_GENERATION_AT, word >> UAT_WORD_GENERATION_AT);
    const struct uat_part none = {0}, last = {.begin = (uint32_t)most, .end = (uint32_t)most};
    assert_true(uat_taken_range(&none) != 0);
    assert_int_equal(uat_word_end(uat_taken_range(&last)), most);
}

static void test_sizes(void **state)
{
    (void)state;
    for (uint32_t size = 0; size <= UAT_ADAPTIVE_ARG; size++) {
        const struct uat_part part = {.arg_size = size};
        assert_int_equal(uat_part_size(&part) % 8, 0);
        assert_true(uat_part_size(&part) >= offsetof(struct uat_part, arg) + size);
        assert_true(uat_part_size(&part) <= sizeof(part));
    }
}

static void test_cells(void **state)
{
    uint64_t word[UAT_CELLS], again;
    (void)state;
    assert_false(uat_cells_any());
    for (int i = 0; i < UAT_CELLS; i++) {
        uat_cells()->taken[i][UAT_CONTEXT_PARTS] = (struct uat_taken){1, 1}; /* left by an earlier interval */
        assert_int_equal(uat_cell_get(&word[i]), i);
        assert_true(word[i] & UAT_WORD_USED);
        assert_int_equal(uat_cells()->taken[i][UAT_CONTEXT_PARTS].name, 0);
    }
    assert_int_equal(uat_cell_get(&again), -1);
    uat_cell_put(0, 3, word[3]);
    assert_int_equal(uat_cell_get(&again), 3);
    assert_true(again != word[3]);
    uat_cell_put(0, 3, again);
    for (int i = 0; i < UAT_CELLS; i++)
        if (i != 3)
            uat_cell_put(0, i, word[i]);
    assert_false(uat_cells_any());
}

/* Iterations 10 to 109 in units of 7; a thief has taken unit 9 and all units after it. */
static void test_context(void **state)
{
    struct uat_part part = {.base = 10, .last = 110, .unit = 7};
    uat_context_t c;
    int64_t begin, end, at = 10;
    (void)state;
    part.own = uat_cell_get(&part.own_word);
    uat_context_open(&c, &part, 0, 15);
    uint64_t *word = &uat_cells()->word[part.own];
    *word = uat_word_with(*word, 0, 9, 1);
    assert_true(uat_context_left(&c, &begin, &end));
    assert_int_equal(begin, 10);
    assert_int_equal(end, 73);
    while (uat_context_next(&c, 20, &begin, &end)) {
        assert_int_equal(begin, at);
        assert_true(end > begin && end <= begin + 20);
        at = end;
    }
    assert_int_equal(at, 73);
    assert_int_equal(c.parts, 1);
    uat_cell_put(0, part.own, c.seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_context),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
