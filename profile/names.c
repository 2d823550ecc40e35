/* SPDX-License-Identifier: MIT */
#include "profile/names.h"

struct uat_name uat_names[UAT_NAMES_MAX];
static unsigned used;
static struct uat_name *others; /* the row that the last new key got */

uint64_t uat_name_key(uint64_t fn, uint64_t site)
{
    uint64_t key = (fn * UINT64_C(0x9e3779b97f4a7c15)) ^ site;
    return key ? key : 1;
}

/* The key's row, or the free row where it belongs. At least one row is always free. */
static struct uat_name *find(uint64_t key)
{
    uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    while (uat_names[at % UAT_NAMES_MAX].key && uat_names[at % UAT_NAMES_MAX].key != key)
        at++;
    return &uat_names[at % UAT_NAMES_MAX];
}

struct uat_name *uat_name_row(uint64_t key, uint64_t fn, uint64_t site)
{
    struct uat_name *row = find(key);
    if (row->key) {
        if (!row->fn) { /* made by uat_name_of(), for a task that a checkpoint has brought */
            row->fn = fn;
            row->site = site;
        }
        return row;
    }
    if (used == UAT_NAMES_MAX - 1)
        return others;
    used++;
    row->key = key;
    row->fn = fn;
    row->site = site;
    return others = row;
}

struct uat_name *uat_name_of(uint64_t key)
{
    return uat_name_row(key, 0, 0);
}

void uat_name_add(struct uat_name *to, const struct uat_name *from)
{
    if (!to->fn) { /* made by a task that came from another worker */
        to->fn = from->fn;
        to->site = from->site;
    }
    to->count += from->count;
    to->own += from->own;
    to->work += from->work;
    to->span += from->span;
    to->burdened += from->burdened;
    to->waits += from->waits;
    to->wait_ns += from->wait_ns;
    to->far_calls += from->far_calls;
    to->far_ns += from->far_ns;
    to->near_bytes += from->near_bytes;
    to->cached_bytes += from->cached_bytes;
    to->far_bytes += from->far_bytes;
    if (from->longest.ns > to->longest.ns)
        to->longest = from->longest;
}
