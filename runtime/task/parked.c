/* SPDX-License-Identifier: MIT */
#include "runtime/task/parked.h"

#include "base/kernel.h"

size_t uat_park_heap_offset(uint64_t name)
{
    uint64_t rank = name >> 48, at = name & ((UINT64_C(1) << 48) - 1);
    const uint8_t *colours = uat_ghosts_has(rank) ? uat_ghosts.colours : uat_segment.colours;
    if (rank >= (uint64_t)uat_self.size && colours == uat_segment.colours)
        return SIZE_MAX;
    /* The difference wraps to a large number if `at` is below the heap. */
    uint64_t offset = at - (uintptr_t)uat_coloured(uat_segment.heap, colours[rank] - uat_segment.colour);
    return offset < uat_segment.heap_size ? offset : SIZE_MAX;
}

bool uat_park_is_block(uint64_t name, size_t bytes)
{
    size_t offset = uat_park_heap_offset(name);
    return offset % UAT_HEAP_UNIT == 0 && bytes <= uat_segment.heap_size - offset - UAT_HEAP_HEADER;
}

bool uat_park_is_header(uint64_t name)
{
    return uat_park_heap_offset(name) % UAT_READY_STACK == 0;
}
UAT_KERNEL(uat_park_is_header);

bool uat_park_is_object(uint64_t name)
{
    return uat_park_heap_offset(name) % UAT_HEAP_UNIT == UAT_HEAP_HEADER;
}
