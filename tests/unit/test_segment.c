/* SPDX-License-Identifier: MIT */
/*
 * Description: the segment's default address lies inside an address space of 36 to 48 bits, and is not near either end
 * of it. A worker keeps the used memory of its ghosts: each word has a place of its own. All other addresses of ghosts
 * have no place.
 */
#include <unistd.h>

#include "runtime/segment/ghost.h"
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

enum { SIZE = 3, NAMES = 9, RECORDS = 5000, HEAP = 70000, PLACES = 1 << 14, WORD = 64 };

/* Returns how many of this ghost's words from offset `from` to `to` are kept by another worker. The offsets count from
 * the ghost's join records. Each word's place must lie in the keeper's area, and no other word may have that place. */
static int count_kept(int rank, uint64_t from, uint64_t to, bool taken[SIZE][PLACES])
{
    const struct uat_area *area = uat_segment_find("ghosts");
    uint64_t base = (uintptr_t)uat_coloured((void *)uat_ghosts.base, uat_ghosts.colours[rank]);
    int kept = 0;
    for (uint64_t offset = from; offset < to; offset += WORD) {
        struct uat_located home = uat_ghosts_locate(rank, base + offset);
        assert_int_equal(uat_ghosts_offset(rank, base + offset), offset);
        if (home.rank == rank) {
            assert_int_equal(home.address, base + offset);
            continue;
        }
        kept++;
        assert_int_equal(home.rank, rank % SIZE);
        assert_in_range(home.address, uat_ghosts.at, uat_ghosts.at + area->size - WORD);
        assert_int_equal(home.address % WORD, 0);
        bool *place = &taken[home.rank][(home.address - uat_ghosts.at) / WORD];
        assert_false(*place);
        *place = true;
    }
    return kept;
}

TEST(ghosts)
{
    static const uint8_t colours[NAMES] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static bool taken[SIZE][PLACES];
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), records = (RECORDS + page - 1) / page * page,
             heap = (HEAP + page - 1) / page * page;
    uat_segment_settings = (struct uat_segment_settings){
        .address = UINT64_C(1) << 40, .stack_size = 1 << 20, .records = 4096, .heap_size = 1 << 20, .result_max = 64};
    uat_segment_begin();
    uat_segment_lay_out();
    uat_segment_add_ghosts(SIZE, NAMES, colours, (struct uat_used){.records = RECORDS, .heap = HEAP});
    uat_ghosts.at = UINT64_C(1) << 41;
    assert_true(uat_segment_find("ghosts")->size / WORD <= PLACES);
    for (int rank = SIZE; rank < NAMES; rank++) {
        assert_int_equal(count_kept(rank, 0, uat_ghosts.heap, taken), records / WORD);
        assert_int_equal(count_kept(rank, uat_ghosts.heap, uat_ghosts.heap + (1 << 20), taken), heap / WORD);
    }
}
