/* SPDX-License-Identifier: MIT */
#include "papers/placing.h"

#include "base/log.h"

uintptr_t uat_berth_mask;

static uintptr_t base_of(uintptr_t sp)
{
    return uat_berth_base(sp);
}

static uint64_t pack(uintptr_t sp, uint32_t generation)
{
    return (uint64_t)generation << 32 | (uint32_t)sp;
}

/* When the owner takes an entry back, it stores another generation. But then the place no longer changes, and the thief
 * has seen a valid state before. */
static bool is_mixed(uint64_t place, uint64_t state)
{
    return (state & 1) && place >> 32 != (uint32_t)(state >> 1);
}

static struct uat_stack unpack(const struct uat_slot *slot, uintptr_t low)
{
    uintptr_t sp = uat_place_stack(slot->place, low).sp;
    return (struct uat_stack){.sp = sp, .base = is_mixed(slot->place, slot->state) ? 0 : uat_berth_base(sp)};
}

static void report_overflow(void)
{
    uat_error(
        "a task has overflowed its stack of UAT_STACKS=iso,size=%zuk; set the size to more, or keep large arrays out "
        "of the tasks' frames",
        (size_t)(uat_berth_mask + 1) >> 10);
}

const struct uat_placing uat_berth_placing = {
    .base = base_of, .pack = pack, .unpack = unpack, .report_overflow = report_overflow};
