/* SPDX-License-Identifier: MIT */
#include "profile/saved.h"

#include <stdbool.h>
#include <string.h>

#include "profile/names.h"
#include "profile/profile.h"

static struct saved {
    struct uat_profile_counts counts;
    struct uat_name names[UAT_NAMES_MAX];
} saved;

/* Has this worker any rows? A program that writes no profile has none. */
static bool any(void)
{
    for (const struct uat_name *row = uat_names; row < uat_names + UAT_NAMES_MAX; row++)
        if (row->key)
            return true;
    return false;
}

size_t uat_saved_write(const void **bytes)
{
    if (!any())
        return 0;
    saved.counts = uat_profile_counts;
    memcpy(saved.names, uat_names, sizeof(uat_names));
    *bytes = &saved;
    return sizeof(saved);
}

/* The cost of a spawn and of a wait is the least that was measured; 0: not measured. */
static void take_least(double *to, double from)
{
    if (from > 0 && (*to == 0 || from < *to))
        *to = from;
}

void uat_saved_take(int rank, const void *bytes, size_t size)
{
    const struct saved *from = bytes;
    (void)rank;
    if (size != sizeof(*from))
        return;
    uat_profile_counts.unmeasured += from->counts.unmeasured;
    uat_profile_counts.unfollowed += from->counts.unfollowed;
    take_least(&uat_profile_counts.spawn_ns, from->counts.spawn_ns);
    take_least(&uat_profile_counts.wait_ns, from->counts.wait_ns);
    for (const struct uat_name *row = from->names; row < from->names + UAT_NAMES_MAX; row++)
        if (row->key)
            uat_name_add(uat_name_row(row->key, row->fn, row->site), row);
}
