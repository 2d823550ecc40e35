/* SPDX-License-Identifier: MIT */
#include "runtime/segment/ghost.h"

struct uat_ghosts uat_ghosts;

uint64_t uat_ghosts_offset(int rank, uint64_t address)
{
    return address - (uintptr_t)uat_coloured((void *)uat_ghosts.base, uat_ghosts.colours[rank]);
}

struct uat_located uat_ghosts_locate(int rank, uint64_t address)
{
    const struct uat_ghosts *g = &uat_ghosts;
    uint64_t offset = uat_ghosts_offset(rank, address);
    if (offset >= g->used.records) {
        offset -= g->heap;
        if (offset >= g->used.heap) /* this is no address of a record or a block, so the caller's checks refuse it */
            return (struct uat_located){.rank = rank, .address = address};
        offset += g->used.records;
    }
    uint64_t place = (uint64_t)(rank / g->size - 1) * (g->used.records + g->used.heap);
    return (struct uat_located){.rank = rank % g->size, .address = g->at + place + offset};
}
