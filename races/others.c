/* SPDX-License-Identifier: MIT */
#include "races/others.h"

#include <string.h>

#include "races/order.h"
#include "runtime/job/fatal.h"

enum { FIRST = 4, LISTS = 1 << 24 };

struct others {
    uint32_t count, room;
    uint32_t shorten_at; /* the count at which the list is shortened next */
    uint32_t writes;     /* number of entries that write */
    struct uat_races_entry *entry;
};
static struct others **lists; /* room for LISTS */
static uint32_t list_count;

bool uat_races_is_race(const struct uat_races_entry *e, unsigned access)
{
    const struct uat_races_strand *x = &uat_races_strands[e->strand];
    return ((e->access | access) & UAT_RACES_WRITE) && !(e->access & access & UAT_RACES_ATOMIC) &&
           !uat_races_locks_meet(x->locks, uat_races_running->locks) && !uat_races_ordered(x);
}

/* Does every access that conflicts with e, by kind and mutexes, also conflict with now? */
static bool is_weaker(const struct uat_races_entry *e, const struct uat_races_entry *now)
{
    bool writes = !(e->access & UAT_RACES_WRITE) || (now->access & UAT_RACES_WRITE);
    bool atomics = (e->access & UAT_RACES_ATOMIC) || !(now->access & UAT_RACES_ATOMIC);
    return writes && atomics &&
           uat_races_locks_within(uat_races_strands[now->strand].locks, uat_races_strands[e->strand].locks);
}

bool uat_races_is_covered(const struct uat_races_entry *e, const struct uat_races_entry *now)
{
    return is_weaker(e, now) && (e->strand == now->strand || uat_races_ordered(&uat_races_strands[e->strand]));
}

/* Of entries with the same key, kind and mutexes, keep the one that is ordered last: each later strand that is parallel
 * to one of the others is parallel to it, too. */
static void shorten(struct others *o)
{
    uint32_t kept = 0;
    struct {
        const void *key;
        uint32_t index;
    } seen[64] = {{0}};
    for (uint32_t i = 0; i < o->count; i++) {
        const struct uat_races_entry *e = &o->entry[i];
        const struct uat_races_strand *x = &uat_races_strands[e->strand];
        uint32_t index;
        const void *key = uat_races_key(x, &index);
        /* a cache: a key that is not found costs room, and no report */
        size_t h = ((uintptr_t)key >> 4) * 31 % 64;
        uint32_t k = seen[h].index;
        if (seen[h].key == key && o->entry[k].access == e->access &&
            uat_races_strands[o->entry[k].strand].locks == x->locks) {
            uint32_t before;
            uat_races_key(&uat_races_strands[o->entry[k].strand], &before);
            if (index >= before)
                o->entry[k] = *e;
            continue;
        }
        seen[h].key = key;
        seen[h].index = kept;
        o->entry[kept++] = *e;
    }
    o->count = kept;
    o->writes = 0;
    for (uint32_t i = 0; i < kept; i++)
        o->writes += o->entry[i].access & UAT_RACES_WRITE;
}

void uat_races_others_add(uint32_t *list, const struct uat_races_entry *e)
{
    if (!lists)
        lists = uat_races_pool(LISTS * sizeof(*lists));
    if (!*list) {
        if (++list_count == LISTS)
            uat_fatal("the race detector has no room for more lists of readers; use a smaller input");
        lists[ *list = list_count] = uat_races_pool(sizeof(**lists));
        lists[*list]->shorten_at = FIRST;
    }
    struct others *o = lists[*list];
    if (o->count == o->shorten_at) {
        shorten(o);
        o->shorten_at = o->count * 2 < FIRST ? FIRST : o->count * 2;
    }
    if (o->count == o->room) {
        struct uat_races_entry *before = o->entry;
        o->room = o->room ? o->room * 2 : FIRST;
        o->entry = uat_races_pool(o->room * sizeof(*o->entry));
        if (o->count)
            memcpy(o->entry, before, o->count * sizeof(*before));
    }
    o->entry[o->count++] = *e;
    o->writes += e->access & UAT_RACES_WRITE;
}

void uat_races_others_drop(uint32_t *list, const struct uat_races_entry *now)
{
    if (!*list)
        return;
    struct others *o = lists[*list];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < o->count; i++)
        if (uat_races_is_covered(&o->entry[i], now))
            o->writes -= o->entry[i].access & UAT_RACES_WRITE;
        else
            o->entry[kept++] = o->entry[i];
    o->count = kept;
}

uint32_t uat_races_others_copy(uint32_t list)
{
    uint32_t copy = 0;
    for (uint32_t i = 0; list && i < lists[list]->count; i++)
        uat_races_others_add(&copy, &lists[list]->entry[i]);
    return copy;
}

const struct uat_races_entry *uat_races_others_next(uint32_t list, const struct uat_races_entry *e, bool write)
{
    if (!list)
        return NULL;
    const struct others *o = lists[list];
    if (!write && o->writes == 0)
        return NULL;
    for (e = e ? e + 1 : o->entry; e < o->entry + o->count; e++)
        if (write || (e->access & UAT_RACES_WRITE))
            return e;
    return NULL;
}
