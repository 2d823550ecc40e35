/* SPDX-License-Identifier: MIT */
#include "runtime/flow/ring.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/word.h"
#include "deque/thief.h"
#include "runtime/flow/access.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"
#include "runtime/sched/victims.h"
#include "runtime/segment/segment.h"

static struct uat_area area = {.name = "ready entries of flows",
                               .size = sizeof(struct uat_flow_ring),
                               .align = _Alignof(struct uat_flow_ring),
                               .peers = UAT_PEERS_CHANGE,
                               .striped = true};

/* The entries that found no room in the ring: a circular array. */
static struct {
    uint64_t *name;
    size_t first, count, room;
} list;

static struct uat_flow_ring *own(void)
{
    return area.at;
}

void uat_flow_ring_reserve(void)
{
    uat_segment_reserve(&area);
}

void uat_flow_ring_close(void)
{
    free(list.name);
    list.name = NULL;
    list.first = list.count = list.room = 0;
}

static void grow(void)
{
    size_t room = list.room ? 2 * list.room : 64;
    uint64_t *name = malloc(room * sizeof(*name));
    if (!name)
        uat_fatal("no memory for the list of %zu ready tasks of flows", list.count);
    for (size_t i = 0; i < list.count; i++)
        name[i] = list.name[(list.first + i) % list.room];
    free(list.name);
    list.name = name;
    list.first = 0;
    list.room = room;
}

static void append(uint64_t name)
{
    if (list.count == list.room)
        grow();
    list.name[(list.first + list.count++) % list.room] = name;
}

static uint64_t first(void)
{
    uint64_t name = list.name[list.first];
    list.first = (list.first + 1) % list.room;
    list.count--;
    return name;
}

/* Acquire: orders the takers' READs of a slot, which precede their swaps, before our store to that slot (Q2). Pairs
 * with the CMP_SWAPs of uat_flow_ring_steal(). */
static uint64_t load_claims(void)
{
    uint64_t claims = uat_cpu_load_acquire(&own()->claims);
    if (own()->bottom - claims > UAT_FLOW_SLOTS)
        uat_word_refuse(uat_self.rank, "the number of claims in the ring of a flow", claims);
    return claims;
}

/* Move entries from the list to the ring while there is room. */
static void fill(void)
{
    struct uat_flow_ring *r = own();
    uint64_t claims = load_claims();
    while (list.count > 0 && r->bottom - claims < UAT_FLOW_SLOTS) {
        __atomic_store_n(&r->slot[r->bottom % UAT_FLOW_SLOTS], first(), __ATOMIC_RELAXED);
        uat_delay();
        /* Release: orders the slot, and the entry that it names, before the count. Pairs with the READs in
         * uat_flow_ring_steal(). */
        uat_cpu_store_release(&r->bottom, r->bottom + 1);
    }
}

void uat_flow_ring_push(uint64_t name)
{
    append(name);
    if (uat_self.size > 1)
        fill();
}

bool uat_flow_ring_any(void)
{
    return list.count > 0 || own()->bottom != load_claims();
}

size_t uat_flow_ring_copy(uint64_t *names)
{
    uint64_t claims = load_claims();
    size_t in_ring = own()->bottom - claims;
    for (size_t i = 0; names && i < in_ring; i++)
        names[i] = own()->slot[(claims + i) % UAT_FLOW_SLOTS];
    for (size_t i = 0; names && i < list.count; i++)
        names[in_ring + i] = list.name[(list.first + i) % list.room];
    return in_ring + list.count;
}

/* CMP_SWAP of the claims of this rank. Returns whether it won. */
static bool claim(int rank, uint64_t index)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_ring *r = uat_segment_of(rank, own());
    if (rank == uat_self.rank && uat_self.near_size > 0) /* as in uat_flow_add(); pairs with the thieves' swaps */
        return __atomic_compare_exchange_n(&r->claims, &index, index + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    struct uat_op op = uat_op_cmp_swap(&s->old[0], &r->claims, index, index + 1);
    uat_flow_do((uint64_t)rank << 48, &op, 1);
    return s->old[0] == index;
}

uint64_t uat_flow_ring_take(void)
{
    struct uat_flow_ring *r = own();
    for (;;) {
        uint64_t claims = load_claims();
        if (claims == r->bottom) {
            uint64_t name = list.count > 0 ? first() : 0;
            if (uat_self.size > 1)
                fill();
            return name;
        }
        uint64_t name = r->slot[claims % UAT_FLOW_SLOTS];
        if (claim(uat_self.rank, claims)) {
            fill();
            return name;
        }
    }
}

/* READ claims and bottom of all victims. Returns the place in `victims` of one with a ready entry, or -1. */
static int look(const struct uat_victims *victims)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_batch batch = {.n = 0};
    for (int i = 0; i < victims->count; i++) {
        struct uat_flow_ring *r = uat_segment_of(victims->rank[i], own());
        struct uat_op op = uat_op_read(s->peek[i], &r->claims, sizeof(s->peek[i]));
        uat_flow_post(&batch, (uint64_t)victims->rank[i] << 48, &op, 1);
    }
    uat_flow_wait(&batch);
    for (int i = 0; i < victims->count; i++)
        if ((int64_t)(s->peek[i][1] - s->peek[i][0]) > 0)
            return i;
    return -1;
}

uint64_t uat_flow_ring_steal(void)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_victims victims;
    _Static_assert(UAT_PEEKS_MAX <= sizeof(s->peek) / sizeof(s->peek[0]), "one look at each victim");
    uat_victims_choose(&victims);
    int i = look(&victims);
    if (i < 0)
        return 0;
    uint64_t index = s->peek[i][0];
    struct uat_flow_ring *r = uat_segment_of(victims.rank[i], own());
    /* After the completion of the READ of claims and bottom, and before the swap (O7): see Q3. */
    struct uat_op op = uat_op_read(&s->word[0], &r->slot[index % UAT_FLOW_SLOTS], 8);
    uat_flow_do((uint64_t)victims.rank[i] << 48, &op, 1);
    uint64_t name = s->word[0];
    uat_notice_begin(uat_stall_notice());
    if (claim(victims.rank[i], index))
        return name;
    uat_notice_end(uat_stall_notice());
    return 0;
}
