/* SPDX-License-Identifier: MIT */
/* Error messages about global addresses, and the counters. */
#include <stdio.h>

#include "runtime/global/cache.h"
#include "runtime/global/link.h"

bool uat_global_explain(uintptr_t address, char *text, size_t size)
{
    const struct uat_array *a = uat_array_find(address);
    if (address - UAT_GLOBAL_BASE >= (uint64_t)UAT_GRANULES << UAT_GRANULE_SHIFT)
        return false;
    if (a == &uat_nowhere || address - a->start >= a->size) {
        snprintf(text, size, "%p is an address of global memory, but no array is there, or it was freed",
                 (void *)address);
        return true;
    }
    struct uat_home home = uat_array_home(a, address);
    if (home.near && uat_fence_is_up())
        snprintf(
            text, size,
            "a data-flow task touches byte %zu of the array at %p, which it has not named, or which it writes although "
            "it has named it with UAT_FLOW_IN; the address is %p",
            address - a->start, (void *)a->start, (void *)address);
    if (home.near)
        return uat_fence_is_up();
    snprintf(
        text, size,
        "byte %zu of %s at %p lies with rank %d, on another host, and cannot be accessed in place: check it out by "
        "uat_global_checkout() and use the address that this returns",
        address - a->start,
        a == uat_registry.parts ? "the objects"
        : uat_temporary_is(a)   ? "the temporary arrays"
                                : "the array",
        (void *)a->start, home.rank);
    return true;
}

void uat_global_count(uat_stats_detail_t *stats)
{
    stats->global_hits = uat_far.hits;
    stats->global_misses = uat_cache.misses;
    uat_link_count(stats);
    uat_release_count(stats);
}
