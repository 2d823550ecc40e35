/* SPDX-License-Identifier: MIT */
/* Error messages about global addresses, and the counters. */
#include <stdio.h>

#include "runtime/global/array.h"

bool uat_global_explain(uintptr_t address, char *text, size_t size)
{
    const struct uat_global *g = &uat_global;
    const struct uat_array *a = g->is_open ? uat_array_of(address) : &uat_nowhere;
    if (address - UAT_GLOBAL_BASE >= (uint64_t)UAT_GRANULES << UAT_GRANULE_SHIFT)
        return false;
    if (a == &uat_nowhere || !a || address - a->start >= a->size) {
        snprintf(text, size, "%p is an address of global memory, but no array is there, or it was freed",
                 (void *)address);
        return true;
    }
    struct uat_home home = uat_array_home(a, address);
    if (home.near && g->fenced)
        snprintf(
            text, size,
            "a data-flow task touches byte %zu of the array at %p, which it has not named, or which it writes although "
            "it has named it with UAT_FLOW_IN; the address is %p",
            address - a->start, (void *)a->start, (void *)address);
    if (home.near)
        return g->fenced;
    snprintf(
        text, size,
        "byte %zu of %s at %p lies with rank %d, on another host, and cannot be accessed in place: check it out by "
        "uat_global_checkout() and use the address that this returns",
        address - a->start,
        a == uat_registry.parts    ? "the objects"
        : a == uat_temporary.space ? "the temporary arrays"
                                   : "the array",
        (void *)a->start, home.rank);
    return true;
}

void uat_global_count(uat_stats_detail_t *stats)
{
    const struct uat_counts_of_global *c = &uat_global.count;
    stats->global_hits = uat_far.hits;
    stats->global_misses = c->misses;
    stats->global_bytes_fetched = c->bytes_fetched;
    stats->global_bytes_written = c->bytes_written;
    stats->global_releases = c->releases;
    stats->global_releases_waited = c->releases_waited;
    stats->publications_unreleased = c->publications_unreleased;
}
