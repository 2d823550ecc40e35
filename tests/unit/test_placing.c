/* SPDX-License-Identifier: MIT */
/* Description: iso-address stacks: a base for each stack pointer of a berth, and slots whose words are from two
 * publications. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "deque/owner.h"
#include "papers/placing.h"

enum { SIZE = 16384, MASK = SIZE - 1, REGION = 1 << 21 };

static void test_base(void **state)
{
    (void)state;
    uat_berth_mask = MASK;
    for (uintptr_t low = REGION; low < REGION + 3 * SIZE; low += SIZE)
        for (uintptr_t sp = low; sp < low + SIZE - UAT_BERTH_ROOM; sp += 8)
            assert_int_equal(uat_berth_base(sp), low + SIZE - UAT_BERTH_ROOM);
    /* The deque's functions: with a placing the base follows from sp, otherwise from the entries. */
    uintptr_t entries[3] = {REGION + 3 * SIZE - 8, REGION + SIZE + 808, (REGION + 408) | UAT_TAG_PUBLISHED};
    struct uat_deque d = {.entries = entries, .top = entries + 3, .placing = &uat_berth_placing};
    assert_int_equal(uat_deque_entry_base(&d, 2), REGION + SIZE - UAT_BERTH_ROOM);
    assert_int_equal(uat_deque_base_of(&d, REGION + 2 * SIZE + 8), REGION + 3 * SIZE - UAT_BERTH_ROOM);
    d.placing = NULL;
    assert_int_equal(uat_deque_entry_base(&d, 2), REGION + SIZE + 808);
    assert_int_equal(uat_deque_base_of(&d, REGION), REGION + 408);
}

static bool is_mixed(uint64_t place, uint64_t state)
{
    const struct uat_slot slot = {.state = state, .place = place};
    return uat_berth_placing.unpack(&slot, REGION).base == 0;
}

static void test_mixed(void **state)
{
    (void)state;
    uat_berth_mask = MASK;
    for (uint32_t generation = UINT32_MAX - 2; generation != 3; generation++) {
        uint64_t place = uat_berth_placing.pack(REGION + 8, generation);
        assert_int_equal(uat_place_stack(place, REGION).sp, REGION + 8);
        assert_false(is_mixed(place, uat_state(7, generation, true)));
        assert_true(is_mixed(place, uat_state(7, generation + 1, true)));
        assert_true(is_mixed(place, uat_state(7, generation - 1, true)));
        assert_false(is_mixed(place, uat_state(7, generation + 1, false))); /* taken back */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_base), cmocka_unit_test(test_mixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
