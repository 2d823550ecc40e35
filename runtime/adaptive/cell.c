/* SPDX-License-Identifier: MIT */
#include "runtime/adaptive/cell.h"

#include <string.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/word.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/segment/segment.h"
#include "transport/transport.h"

static struct uat_area area = {.name = "adaptive requests",
                               .size = sizeof(struct uat_cells),
                               .align = _Alignof(struct uat_cells),
                               .peers = UAT_PEERS_CHANGE,
                               .striped = true};
static struct uat_area landing = {.name = "landing of adaptive requests",
                                  .size = sizeof(struct uat_cells_landing),
                                  .align = _Alignof(struct uat_cells_landing),
                                  .peers = UAT_PEERS_NOTHING};

static uint8_t generation[UAT_CELLS];

/* Whoever links a part of this library, even from an archive, links the whole room. */
static __attribute__((constructor)) void add_room(void)
{
    if (uat_self.transport)
        uat_fatal("libuat-adaptive was loaded after uat_init(): link it, or load it before");
    uat_rooms_add(&uat_adaptive_room);
}

void uat_cells_reserve(void)
{
    uat_segment_reserve(&area);
    uat_segment_reserve(&landing);
}

void uat_cells_reset(void)
{
    memset(area.at, 0, area.size);
    memset(generation, 0, sizeof(generation));
}

struct uat_cells *uat_cells(void)
{
    return area.at;
}

struct uat_cells_landing *uat_cells_landing(void)
{
    return landing.at;
}

struct uat_cells *uat_cells_of(int rank)
{
    return uat_segment_of(rank, area.at);
}

static bool is_near(int rank)
{
    return rank == uat_self.rank && uat_self.near_size > 0;
}

static void perform(int rank, const struct uat_op *op)
{
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, rank, op, 1));
}

uint64_t uat_cell_swap(int rank, uint64_t *own, uint64_t expected, uint64_t desired)
{
    /* A full fence. Pairs with the CMP_SWAPs of extract() and stop_part() on a cell's word (A2, A5), and with the
     * CMP_SWAPs of post() and cancel() in request.c on a slot (A6, A7). */
    if (is_near(rank)) {
        uat_delay();
        __atomic_compare_exchange_n(own, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return expected;
    }
    uint64_t *old = &uat_cells_landing()->old;
    struct uat_op op = uat_op_cmp_swap(old, uat_segment_of(rank, own), expected, desired);
    perform(rank, &op);
    return *old;
}

uint64_t uat_cell_add(int rank, uint64_t *own, uint64_t addend)
{
    if (is_near(rank)) /* a full fence; pairs with the FETCH_ADDs in post() of request.c (A6) */
        return __atomic_fetch_add(own, addend, __ATOMIC_SEQ_CST);
    uint64_t *old = &uat_cells_landing()->old;
    struct uat_op op = uat_op_fetch_add(old, uat_segment_of(rank, own), addend);
    perform(rank, &op);
    return *old;
}

uint64_t uat_cell_load(int rank, const uint64_t *own)
{
    /* Acquire: this worker sees what a peer wrote before the peer changed this word by a WRITE or an atomic. Pairs with
     * announce() for a part that was taken, post() and cancel() in request.c for a slot, and send() and refuse() in
     * answer.c for answers. */
    if (rank == uat_self.rank)
        return uat_cpu_load_acquire(own);
    uint64_t *read = &uat_cells_landing()->read;
    struct uat_op op = uat_op_read(read, uat_segment_of(rank, own), sizeof(*read));
    perform(rank, &op);
    return *read;
}

void uat_cell_clear(int rank, struct uat_taken *own)
{
    if (rank == uat_self.rank) { /* relaxed: the swap that opens the word follows (A4); pairs with announce() */
        __atomic_store_n(&own->name, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&own->range, 0, __ATOMIC_RELAXED);
        return;
    }
    uat_cells_landing()->taken = (struct uat_taken){0};
    struct uat_op op = uat_op_write(&uat_cells_landing()->taken, uat_segment_of(rank, own), sizeof(*own));
    perform(rank, &op);
}

int uat_cell_get(uint64_t *word)
{
    struct uat_cells *c = uat_cells();
    for (int i = 0; i < UAT_CELLS; i++) {
        /* Relaxed: only this CPU turns a free word into one in use. Pairs with uat_cell_put() in a task that has
         * migrated. That task read all results of the cell before it freed the cell. */
        if (__atomic_load_n(&c->word[i], __ATOMIC_RELAXED) != 0)
            continue;
        for (int k = 0; k <= UAT_CONTEXT_PARTS; k++)
            uat_cell_clear(uat_self.rank, &c->taken[i][k]);
        *word = UAT_WORD_USED | (uint64_t)generation[i]++ << UAT_WORD_GENERATION_AT;
        uat_cell_swap(uat_self.rank, &c->word[i], 0, *word);
        return i;
    }
    return -1;
}

void uat_cell_put(int home, int cell, uint64_t word)
{
    uint64_t old = uat_cell_swap(home, &uat_cells()->word[cell], word, 0);
    if (old != word)
        uat_word_refuse(home, "the word of an adaptive interval that has ended", old);
}

bool uat_context_swap(uat_context_t *c, uint64_t desired)
{
    uint64_t seen = c->seen;
    if (c->cell < 0) {
        c->seen = desired;
        return true;
    }
    uint64_t old = uat_cell_swap(c->home, &uat_cells()->word[c->cell], seen, desired);
    c->seen = old == seen ? desired : old;
    return old == seen;
}

int uat_context_left(uat_context_t *c, int64_t *begin, int64_t *end)
{
    if (c->cell >= 0)
        c->seen = uat_cell_load(c->home, &uat_cells()->word[c->cell]);
    *begin = uat_part_iteration(c->part, uat_word_begin(c->seen));
    *end = uat_part_iteration(c->part, uat_word_end(c->seen));
    return uat_word_left(c->seen);
}

bool uat_cells_any(void)
{
    for (int i = 0; i < UAT_CELLS; i++)
        if (uat_cell_load(uat_self.rank, &uat_cells()->word[i]) != 0)
            return true;
    return false;
}
