/* SPDX-License-Identifier: MIT */
#include "runtime/adaptive/context.h"

#include <string.h>

#include "base/delay.h"
#include "base/word.h"
#include "include/uat/sync.h"
#include "runtime/global/global.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/steal.h"
#include "runtime/segment/segment.h"
#include "runtime/task/views.h"
#include "transport/transport.h"

enum { LOOK_EVERY = 16, WANTED = 256 };
_Static_assert((int)UAT_PEEKS_MAX <= (int)UAT_LOOKS_MAX, "one look at each victim");

static struct {
    unsigned attempts; /* calls of take_other() while `wanted` was 0; every LOOK_EVERY-th looks for parts */
    unsigned wanted;   /* calls that will look for parts, because a look has found an open interval */
} looking;

/* End the job if this part, which a peer has written, is not valid. */
static void check(const struct uat_part *part, int rank)
{
    if (part->arg_size > UAT_ADAPTIVE_ARG || part->result_size > uat_segment.result_max)
        uat_word_refuse(rank, "the sizes of an adaptive part", (uint64_t)part->arg_size << 32 | part->result_size);
    if (part->unit < 1 || part->base > part->last || part->number > UAT_CONTEXT_PARTS || part->begin > part->end ||
        part->end > UAT_WORD_UNITS_MAX ||
        part->end > ((uint64_t)part->last - (uint64_t)part->base + (uint64_t)part->unit - 1) / (uint64_t)part->unit)
        uat_word_refuse(rank, "the interval of an adaptive part", (uint64_t)part->begin << 32 | part->end);
    if (part->home < 0 || part->home >= uat_self.size || part->cell < 0 || part->cell >= UAT_CELLS)
        uat_word_refuse(rank, "the home of an adaptive part", (uint64_t)(uint32_t)part->home);
}

/* Tell the owner of the interval where the part's result will be, and which cell and which units the part has (A4). */
static void announce(const struct uat_part *part, uat_future_t future)
{
    struct uat_taken *taken = &uat_cells_landing()->taken;
    *taken = (struct uat_taken){.name = future.object | (uint64_t)(part->own + 1), .range = uat_taken_range(part)};
    struct uat_taken *there = &uat_cells_of(part->home)->taken[part->cell][part->number];
    struct uat_op op = uat_op_write(taken, there, sizeof(*taken));
    uat_delay();
    uat_check(uat_transport_post_unsignaled(uat_self.transport, part->home, &op, 1));
}

/* Run a part, which lies in the frame of the calling task. */
static void run(const struct uat_part *part)
{
    uat_future_t future = uat_future_create(uat_part_result(part));
    _Alignas(16) char result[future.size];
    uat_context_t c;
    size_t views = uat_views_bytes; /* the views of the task that runs the part */
    memset(result, 0, future.size);
    announce(part, future);
    uat_context_open(&c, part, part->begin, part->end);
    c.is_part = 1;
    part->fn(&c, part->arg, result);
    uat_context_end(&c);
    if (uat_views_bytes > views)
        uat_fatal("a part of uat_adaptive_run() has added to a reducer; put its share of the value into the result");
    uat_future_set(future, result);
    if (c.cell >= 0) /* free the cell only after the result is set (A5) */
        uat_cell_put(c.home, c.cell, c.seen);
}

static void run_taken(void *arg, void *result)
{
    (void)result;
    run(arg);
}

void uat_request_run(void)
{
    int victim = uat_request_accept();
    struct uat_part part;
    check(&uat_cells()->given, victim);
    memcpy(&part, &uat_cells()->given, uat_part_size(&uat_cells()->given));
    part.own_word = 0;
    part.own = uat_cell_get(&part.own_word);
    uat_global_after_resume(); /* ACQUIRE; pairs with the RELEASE in uat_context_give() */
    run(&part);
}

/* May a part be taken or asked for? */
static bool is_open(uint64_t word)
{
    return (word & UAT_WORD_USED) && !(word & UAT_WORD_DROPPED) && uat_word_left(word) &&
           uat_word_parts(word) < UAT_CONTEXT_PARTS;
}

/* READ the words of all chosen victims. For each victim, consider only the first interval from which a part may be
 * taken; this is usually the outermost one. Set *cell and *word to the cell and the word of the largest of these
 * intervals. Returns the victim of that interval, or -1 if there is none. */
static int look(int *cell, uint64_t *word)
{
    struct uat_cells_landing *l = uat_cells_landing();
    struct uat_pending pending[UAT_LOOKS_MAX], *all[UAT_LOOKS_MAX];
    struct uat_victims victims;
    uint64_t most = 0;
    int best = -1;
    uat_victims_choose(&victims);
    for (int i = 0; i < victims.count; i++) {
        struct uat_op op = uat_op_read(l->look[i], uat_cells_of(victims.rank[i])->word, sizeof(l->look[i]));
        all[i] = &pending[i];
        uat_check(uat_transport_post(uat_self.transport, victims.rank[i], &op, 1, &pending[i]));
    }
    uat_check(uat_transport_wait(uat_self.transport, all, victims.count));
    for (int i = 0; i < victims.count; i++) {
        int k = 0;
        while (k < UAT_CELLS && !is_open(l->look[i][k]))
            k++;
        uint64_t left = k < UAT_CELLS ? uat_word_end(l->look[i][k]) - uat_word_begin(l->look[i][k]) : 0;
        if (left <= most)
            continue;
        most = left;
        best = victims.rank[i];
        *cell = k;
        *word = l->look[i][k];
    }
    return best;
}

/* Take the second half of the interval (A2, A3). */
static bool extract(int victim, int cell, uint64_t word)
{
    struct uat_cells_landing *l = uat_cells_landing();
    struct uat_cells *there = uat_cells_of(victim);
    uint64_t begin = uat_word_begin(word), end = uat_word_end(word), middle = begin + (end - begin) / 2;
    uint32_t number = uat_word_parts(word);
    struct uat_op chain[] = {
        uat_op_cmp_swap(&l->old, &there->word[cell], word, uat_word_with(word, begin, middle, number + 1)),
        /* Takes effect after the swap (O1), so that the READ gets the part of the interval that the swap changed; pairs
         * with uat_context_open(). The READ gets all of the argument's room, because the argument's size is not known
         * yet. */
        uat_op_read(&l->part, &there->part[cell], sizeof(l->part)),
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, victim, chain, 2));
    if (l->old != word)
        return false;
    l->part.number = number;
    l->part.home = victim;
    l->part.cell = cell;
    l->part.begin = (uint32_t)middle;
    l->part.end = (uint32_t)end;
    return true;
}

/* Look once for an open interval, and take a part of it. */
static bool take_part(struct uat_alone *task)
{
    struct uat_part *part = &uat_cells_landing()->part;
    uint64_t word, own_word = 0;
    uat_request_check_idle();
    int cell, victim = look(&cell, &word);
    if (victim < 0)
        return false;
    looking.wanted = WANTED;
    uat_notice_begin(uat_stall_notice()); /* publish this before this worker has the part: see uat_flow_ring_steal() */
    if (!(word & UAT_WORD_ASK ? uat_request_ask(victim) : extract(victim, cell, word))) {
        uat_notice_end(uat_stall_notice());
        return false;
    }
    check(part, victim);
    part->own = uat_cell_get(&own_word);
    part->own_word = own_word;
    *task = (struct uat_alone){.name = UAT_ALONE_PART, .fn = run_taken, .arg = part, .arg_size = uat_part_size(part)};
    uat_global_after_steal(); /* ACQUIRE; pairs with the RELEASEs of uat_context_open() and uat_context_give() */
    return true;
}

static bool take_other(struct uat_alone *task)
{
    looking.wanted -= looking.wanted > 0;
    if (looking.wanted == 0 && ++looking.attempts % LOOK_EVERY != 0)
        return false;
    return take_part(task);
}

void uat_part_look_anew(void)
{
    memset(&looking, 0, sizeof(looking));
}

/* A part has freed its cell already. */
static bool ended(uint64_t name)
{
    return name == UAT_ALONE_PART;
}

const struct uat_work uat_part_work = {.take_other = take_other, .ended = ended, .active = uat_concurrency_get};
