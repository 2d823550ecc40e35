/* SPDX-License-Identifier: MIT */
/*
 * Description: the segment's default address lies inside an address space of 36 to 48 bits, and is not near either end
 * of it.
 */
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"
#include "tests/test.h"

static int bits;

static bool is_outside(uint64_t address)
{
    return address >> bits != 0;
}

TEST(address_spaces)
{
    for (bits = 47; bits <= 48; bits++)
        assert_int_equal(uat_segment_fit(UAT_SEGMENT_ADDRESS_DEFAULT, is_outside), UAT_SEGMENT_ADDRESS_DEFAULT);
    for (bits = 36; bits < 47; bits++) {
        uint64_t address = uat_segment_fit(UAT_SEGMENT_ADDRESS_DEFAULT, is_outside), size = UINT64_C(1) << bits;
        assert_in_range(address, size / 4, size / 2);
        assert_int_equal(address % 0x200000, 0);
    }
}
