/* SPDX-License-Identifier: MIT */
#include "runtime/segment/ghost.h"

struct uat_ghosts uat_ghosts;

struct uat_located uat_ghosts_locate(int rank, uint64_t address)
{
    const struct uat_ghosts *g = &uat_ghosts;
    uint64_t offset = address - (uintptr_t)uat_coloured((void *)g->base, g->colours[rank]);
    if (offset >= g->span) /* this is no address of a record or a block, so the caller's checks refuse it */
        return (struct uat_located){.rank = rank, .address = address};
    uint64_t place = (uint64_t)(rank / g->size - 1) * g->span;
    return (struct uat_located){.rank = rank % g->size, .address = g->at + place + offset};
}
