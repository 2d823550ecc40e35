/* SPDX-License-Identifier: MIT */
#include "runtime/flow/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/word.h"
#include "deque/thief.h"
#include "runtime/flow/access.h"
#include "runtime/flow/home.h"
#include "runtime/global/global.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"
#include "runtime/sched/steal.h"
#include "runtime/segment/segment.h"

static struct uat_area area = {.name = "ready entries of flows",
                               .size = sizeof(struct uat_flow_ring),
                               .align = _Alignof(struct uat_flow_ring),
                               .peers = UAT_PEERS_CHANGE,
                               .striped = true};

/* The entries for which ring k had no room, as a circular array. */
static struct list {
    uint64_t *name;
    size_t first, count, room; /* room: 0 or a power of two, so that a push needs no division, which is slow */
} lists[UAT_FLOW_RINGS];

static struct uat_flow_ring *own(void)
{
    return area.at;
}

/* The number of rings that are in use. */
static int rings(void)
{
    return uat_global_is_far() ? UAT_FLOW_RINGS : 1;
}

void uat_flow_ring_reserve(void)
{
    uat_segment_reserve(&area);
}

void uat_flow_ring_close(void)
{
    for (int k = 0; k < UAT_FLOW_RINGS; k++)
        free(lists[k].name);
    memset(lists, 0, sizeof(lists));
}

void uat_flow_ring_reset(void)
{
    uat_flow_ring_close();
    memset(area.at, 0, area.size);
}

static void grow(struct list *list)
{
    size_t room = list->room ? 2 * list->room : 64;
    uint64_t *name = malloc(room * sizeof(*name));
    if (!name)
        uat_fatal("no memory for the list of %zu ready tasks of flows", list->count);
    for (size_t i = 0; i < list->count; i++)
        name[i] = list->name[(list->first + i) % list->room];
    free(list->name);
    list->name = name;
    list->first = 0;
    list->room = room;
}

static void append(struct list *list, uint64_t name)
{
    if (list->count == list->room)
        grow(list);
    list->name[(list->first + list->count++) & (list->room - 1)] = name;
}

static uint64_t first(struct list *list)
{
    uint64_t name = list->name[list->first];
    list->first = (list->first + 1) & (list->room - 1);
    list->count--;
    return name;
}

/* Returns `claims` of ring k here, checked. Acquire: a worker that takes an entry READs the entry's slot before its
 * swap. This load orders these READs before this worker's store to the slot (Q2). Pairs with the CMP_SWAPs of
 * uat_flow_ring_steal(). */
static uint64_t load_claims(int k)
{
    const struct uat_flow_ends *ends = &own()->ends[k];
    uint64_t claims = uat_cpu_load_acquire(&ends->claims);
    if (ends->bottom - claims > UAT_FLOW_SLOTS)
        uat_word_refuse(uat_self.rank, "the number of claims in the ring of a flow", claims);
    return claims;
}

/* Move entries from the list to ring k while there is room. */
static void fill(int k)
{
    struct uat_flow_ring *r = own();
    uint64_t claims = load_claims(k), *bottom = &r->ends[k].bottom;
    while (lists[k].count > 0 && *bottom - claims < UAT_FLOW_SLOTS) {
        __atomic_store_n(&r->slot[k][*bottom % UAT_FLOW_SLOTS], first(&lists[k]), __ATOMIC_RELAXED);
        uat_delay();
        /* Release: orders the slot, and the entry that it names, before the count. Pairs with the READs in
         * uat_flow_ring_steal(). */
        uat_cpu_store_release(bottom, *bottom + 1);
    }
}

void uat_flow_ring_push(uint64_t name)
{
    int k = uat_flow_is_elsewhere(name);
    append(&lists[k], name);
    if (uat_self.size > 1)
        fill(k);
}

void uat_flow_ring_offer(void)
{
    for (int k = 0; k < rings(); k++)
        fill(k);
}

static bool any(int k)
{
    return lists[k].count > 0 || own()->ends[k].bottom != load_claims(k);
}

bool uat_flow_ring_any(void)
{
    return any(0) || (rings() > 1 && any(1));
}

/* Does what uat_flow_ring_copy() does, for ring k. */
static size_t copy(int k, uint64_t *names)
{
    const struct list *list = &lists[k];
    uint64_t claims = load_claims(k);
    size_t in_ring = own()->ends[k].bottom - claims;
    for (size_t i = 0; names && i < in_ring; i++)
        names[i] = own()->slot[k][(claims + i) % UAT_FLOW_SLOTS];
    for (size_t i = 0; names && i < list->count; i++)
        names[in_ring + i] = list->name[(list->first + i) % list->room];
    return in_ring + list->count;
}

size_t uat_flow_ring_copy(uint64_t *names)
{
    size_t count = copy(0, names);
    return count + (rings() > 1 ? copy(1, names ? names + count : NULL) : 0);
}

/* CMP_SWAP of `claims` in ring k of this rank. Returns whether the swap won. */
static bool claim(int rank, int k, uint64_t index)
{
    struct uat_flow_staging *s = uat_flow_staging();
    uint64_t *claims = &((struct uat_flow_ring *)uat_segment_of(rank, own()))->ends[k].claims;
    if (uat_flow_is_near(rank)) /* acquires and releases; pairs with thieves' swaps */
        return __atomic_compare_exchange_n(claims, &index, index + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    struct uat_op op = uat_op_cmp_swap(&s->old[0], claims, index, index + 1);
    uat_flow_do(rank, &op, 1);
    return s->old[0] == index;
}

/* Take the oldest entry of ring k. Returns its name, or 0. */
static uint64_t take(int k)
{
    const struct uat_flow_ring *r = own();
    for (;;) {
        uint64_t claims = load_claims(k);
        if (claims == r->ends[k].bottom) {
            uint64_t name = lists[k].count > 0 ? first(&lists[k]) : 0;
            if (uat_self.size > 1)
                fill(k);
            return name;
        }
        uint64_t name = r->slot[k][claims % UAT_FLOW_SLOTS];
        if (claim(uat_self.rank, k, claims)) {
            fill(k);
            return name;
        }
    }
}

uint64_t uat_flow_ring_take(void)
{
    uint64_t name = take(0);
    return name || rings() == 1 ? name : take(1);
}

/* A victim's ring that has a ready entry, and the index of the ring's oldest ready entry. */
struct seen {
    int rank, ring;
    uint64_t index;
};

/* READ claims and bottom of all victims. Returns the number of rings with a ready entry; without far memory this is at
 * most 1. A victim's second ring comes before its first ring, because entries in the first ring should preferably run
 * on the victim's host. */
static int look(struct seen *seen)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_batch batch = {.n = 0};
    struct uat_victims victims;
    int n = rings(), found = 0;
    uat_victims_choose(&victims);
    for (int i = 0; i < victims.count; i++) {
        struct uat_flow_ring *r = uat_segment_of(victims.rank[i], own());
        struct uat_op op = uat_op_read(s->peek[i], r->ends, (size_t)n * sizeof(r->ends[0]));
        uat_flow_post(&batch, victims.rank[i], &op, 1);
    }
    uat_flow_wait(&batch);
    for (int i = 0; i < victims.count && (found == 0 || n > 1); i++)
        for (int k = n - 1; k >= 0; k--)
            if ((int64_t)(s->peek[i][k][1] - s->peek[i][k][0]) > 0)
                seen[found++] = (struct seen){.rank = victims.rank[i], .ring = k, .index = s->peek[i][k][0]};
    return found;
}

/* READ the oldest entries of these rings. Returns the index of the first ring whose entry is not for another host, or
 * 0. The entries' names are in the staging area. */
static int choose(const struct seen *seen, int n)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_batch batch = {.n = 0};
    for (int i = 0; i < n; i++) {
        const struct uat_flow_ring *r = uat_segment_of(seen[i].rank, own());
        struct uat_op op = uat_op_read(&s->word[i], &r->slot[seen[i].ring][seen[i].index % UAT_FLOW_SLOTS], 8);
        uat_flow_post(&batch, seen[i].rank, &op, 1);
    }
    uat_flow_wait(&batch);
    int at = 0;
    while (at < n && uat_flow_is_elsewhere(s->word[at]))
        at++;
    return at < n ? at : 0;
}

uint64_t uat_flow_ring_steal(void)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct seen seen[UAT_PEEKS_MAX * UAT_FLOW_RINGS];
    _Static_assert(UAT_PEEKS_MAX <= sizeof(s->peek) / sizeof(s->peek[0]), "one look at each victim");
    _Static_assert(sizeof(seen) / sizeof(seen[0]) <= UAT_FLOW_BATCH, "one READ for each ring");
    int n = look(seen);
    if (n == 0)
        return 0;
    /* choose() READs the entries after the READs of claims and bottom are complete, and before the swap (O7): see
     * Q3. */
    int at = choose(seen, n);
    uint64_t name = s->word[at];
    uat_notice_begin(uat_stall_notice());
    if (claim(seen[at].rank, seen[at].ring, seen[at].index))
        return name;
    uat_notice_end(uat_stall_notice());
    return 0;
}
