/* SPDX-License-Identifier: MIT */
/* The owner of an interval: it takes iterations, merges parts, takes a part back, and drops parts. See cell.h. */
#include "runtime/adaptive/context.h"

#include <inttypes.h>
#include <string.h>

#include "base/delay.h"
#include "base/relax.h"
#include "base/word.h"
#include "include/uat/pattern.h"
#include "include/uat/sync.h"
#include "runtime/global/global.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/park.h"
#include "runtime/segment/segment.h"

enum {
    CELL_BITS = 63 /* the low bits of the name of a result: the part's cell + 1 */,
    SPINS = 1000,
    LOOKS = 16 /* looks per yield */,
    COUNT_BITS = 62
};

void uat_context_open(uat_context_t *c, const struct uat_part *part, uint64_t begin, uint64_t end)
{
    *c = (uat_context_t){.part = part, .seen = part->own_word, .home = uat_self.rank, .cell = part->own};
    if (c->cell >= 0) {
        memcpy(&uat_cells()->part[c->cell], part, uat_part_size(part));
        uat_global_before_wait(); /* RELEASE, before a thief can take a part; pairs with the ACQUIRE in take_part() */
    }
    uint64_t ask = part->mode == UAT_COOPERATIVE ? UAT_WORD_ASK : 0;
    /* the swap loses only if the part was dropped meanwhile */
    uat_context_swap(c, uat_word_with(c->seen, begin, end, 0) | ask);
}

void uat_context_poll(uat_context_t *c)
{
    /* Relaxed: a hint. Pairs with the FETCH_ADD in post() of request.c; the load in collect() of answer.c orders the
     * data of the request. */
    if (__builtin_expect(__atomic_load_n(&uat_cells()->asked, __ATOMIC_RELAXED) != 0, 0))
        uat_request_answer(c);
}

int uat_context_next(uat_context_t *c, int64_t most, int64_t *begin, int64_t *end)
{
    uint64_t units = most > c->part->unit ? (uint64_t)(most / c->part->unit) : 1;
    uat_context_poll(c);
    uat_work_wanted();
    while (uat_word_left(c->seen)) {
        uint64_t from = uat_word_begin(c->seen), to = uat_word_end(c->seen);
        uint64_t next = units < to - from ? from + units : to;
        if (!uat_context_swap(c, uat_word_with(c->seen, next, to, uat_word_parts(c->seen))))
            continue;
        *begin = uat_part_iteration(c->part, from);
        *end = uat_part_iteration(c->part, next);
        return 1;
    }
    if (!c->counted) /* the interval is empty, so nobody can take another part */
        c->parts = uat_word_parts(c->seen);
    c->counted = 1;
    return 0;
}

/* Wait for both words that the thief of part i WRITEs (A4), so that no WRITE is in flight when the cell is used again.
 * Returns the words. The word `name` is the name of a future, with the part's cell + 1 in the low bits. The call may
 * return on another worker. */
static struct uat_taken await_taken(const uat_context_t *c, uint32_t i)
{
    struct uat_relax relax = {0};
    struct uat_part_wait wait = {.home = c->home, .part = i};
    for (;;) {
        /* Each worker has its cells at an address of its own, and uat_yield() may change the worker. */
        const struct uat_taken *at = &uat_cells()->taken[c->cell][i];
        struct uat_taken taken = {.name = uat_cell_load(c->home, &at->name),
                                  .range = uat_cell_load(c->home, &at->range)};
        if (taken.name != 0 && taken.range != 0) {
            if (!uat_park_is_header(taken.name & ~(uint64_t)CELL_BITS) || (taken.name & CELL_BITS) > UAT_CELLS)
                uat_word_refuse(c->home, "the name of the result of an adaptive part", taken.name);
            return taken;
        }
        if (relax.spins >= SPINS)
            uat_stall_part(&wait);
        if (uat_delay_choice(relax.spins < SPINS || relax.spins % LOOKS != 0)) {
            uat_relax_away(&relax);
        } else { /* the thief may have stopped for a checkpoint, and this worker has to stop as well */
            relax.spins++;
            uat_yield();
        }
    }
}

static uat_future_t future_of(const uat_context_t *c, uint64_t name)
{
    return (uat_future_t){name & ~(uint64_t)CELL_BITS, uat_part_result(c->part)};
}

/* Stop the part with this name: empty its interval, and set `mark` in its word. If `mark` is 0, stop the part only if
 * it is not divided. value: room for a result. Returns the old word, or 0 if the part was not stopped: it has ended,
 * was dropped, or (if `mark` is 0) is divided or empty. */
static uint64_t stop_part(const uat_context_t *c, uint64_t name, uint64_t mark, void *value)
{
    int rank = (int)(name >> 48), cell = (int)(name & CELL_BITS) - 1;
    if (cell < 0)
        return 0;
    uint64_t *at = &uat_cells()->word[cell];
    for (;;) {
        uint64_t word = uat_cell_load(rank, at);
        /* Ask after the load: if the result is still not set, the loaded word is the part's word (A5). */
        if (uat_future_try_get(future_of(c, name), value) == 0)
            return 0;
        if ((word & UAT_WORD_DROPPED) || (!mark && (uat_word_parts(word) > 0 || !uat_word_left(word))))
            return 0;
        if (uat_cell_swap(rank, at, word, uat_word_emptied(word) | mark) == word)
            return word;
    }
}

/* Wait for the result of the part with this name, copy it to `result` unless this is NULL, and destroy the future. */
static void collect(const uat_context_t *c, uint64_t name, void *result)
{
    uat_future_t future = future_of(c, name);
    _Alignas(16) char value[future.size];
    uat_future_get(future, value);
    uat_future_destroy(future);
    if (result)
        memcpy(result, value, c->part->result_size);
}

/* Is there a part to merge? Returns false for a dropped context, because its result is lost anyway. */
static bool has_parts(uat_context_t *c, const char *call)
{
    if (uat_word_left(c->seen) || !c->counted)
        uat_fatal("%s was called before uat_context_next() has returned 0", call);
    if (c->parts == 0)
        return false;
    c->seen = uat_cell_load(c->home, &uat_cells()->word[c->cell]);
    return !(c->seen & UAT_WORD_DROPPED);
}

int uat_context_merge(uat_context_t *c, void *result)
{
    if (!has_parts(c, "uat_context_merge()"))
        return 0;
    uint64_t name = await_taken(c, c->parts - 1).name;
    collect(c, name, result);
    c->parts--;
    return 1;
}

/* The context's interval becomes `rest`, what is left of part number c->parts. The part numbers from c->parts up are
 * used again, because those parts were merged. */
static void reopen(uat_context_t *c, uint64_t rest)
{
    for (uint32_t i = c->parts; i < uat_word_parts(c->seen); i++)
        uat_cell_clear(c->home, &uat_cells()->taken[c->cell][i]);
    while (!(c->seen & UAT_WORD_DROPPED) &&
           !uat_context_swap(c, uat_word_with(c->seen, uat_word_begin(rest), uat_word_end(rest), c->parts))) {
    }
    c->counted = (c->seen & UAT_WORD_DROPPED) != 0;
}

int uat_context_take_back(uat_context_t *c, void *result, int64_t *taken_to)
{
    if (!has_parts(c, "uat_context_take_back()"))
        return 0;
    _Alignas(16) char value[uat_part_result(c->part)];
    uint32_t i = c->parts - 1;
    struct uat_taken taken = await_taken(c, i);
    uint64_t rest = stop_part(c, taken.name, 0, value);
    collect(c, taken.name, result);
    c->parts = i;
    *taken_to = uat_part_iteration(c->part, rest ? uat_word_begin(rest) : uat_word_end(taken.range));
    if (rest)
        reopen(c, rest);
    return 1;
}

void uat_context_end(uat_context_t *c)
{
    _Alignas(16) char value[uat_part_result(c->part)];
    while (!uat_context_swap(c, uat_word_emptied(c->seen) | UAT_WORD_DROPPED)) {
    }
    uint32_t parts = c->counted ? c->parts : uat_word_parts(c->seen);
    uint64_t name[UAT_CONTEXT_PARTS + 1];
    for (uint32_t i = 0; i < parts; i++) { /* stop all before the first wait */
        name[i] = await_taken(c, i).name;
        stop_part(c, name[i], UAT_WORD_DROPPED, value);
    }
    for (uint32_t i = 0; i < parts; i++)
        collect(c, name[i], NULL);
    c->parts = 0;
}

static void check(const uat_adaptive_t *a, uint64_t count)
{
    static const struct uat_park none = {.kind = UAT_PARK_NONE};
    uat_park_check(&none);
    if (a->arg_size > UAT_ADAPTIVE_ARG || a->result_size > uat_segment.result_max)
        uat_fatal("uat_adaptive_run(): an argument of %zu bytes and a result of %zu; they may have %d and %zu bytes",
                  a->arg_size, a->result_size, UAT_ADAPTIVE_ARG, uat_segment.result_max);
    if (!a->fn || (a->mode != UAT_CONCURRENT && a->mode != UAT_COOPERATIVE) || a->grain < 0)
        uat_fatal("uat_adaptive_run(): no function, an unknown mode, or a negative grain");
    if (count >> COUNT_BITS != 0)
        uat_fatal("uat_adaptive_run(): %" PRIu64 " iterations; an interval has fewer than 2^%d", count, COUNT_BITS);
}

/* Iterations per unit: the grain, doubled until the interval has at most UAT_WORD_UNITS_MAX units. */
static uint64_t unit_of(int64_t grain, uint64_t count)
{
    uint64_t unit = grain > 0 ? (uint64_t)grain : 1;
    while ((count + unit - 1) / unit > UAT_WORD_UNITS_MAX)
        unit *= 2;
    return unit;
}

void uat_adaptive_run(const uat_adaptive_t *a, uat_context_t *outer, int64_t begin, int64_t end, const void *arg,
                      void *result)
{
    if (end < begin)
        end = begin;
    uint64_t count = (uint64_t)end - (uint64_t)begin;
    check(a, count);
    uint64_t unit = unit_of(a->grain, count);
    uat_context_t c;
    struct uat_part part = {.fn = a->fn,
                            .splitter = a->splitter,
                            .base = begin,
                            .last = end,
                            .unit = (int64_t)unit,
                            .mode = a->mode,
                            .arg_size = (uint32_t)a->arg_size,
                            .result_size = (uint32_t)a->result_size,
                            .own = -1};
    if (a->arg_size > 0)
        memcpy(part.arg, arg, a->arg_size);
    if (uat_self.size > 1)
        part.own = uat_cell_get(&part.own_word);
    uat_context_open(&c, &part, 0, (count + unit - 1) / unit);
    c.outer = outer;
    if (a->result_size > 0)
        memset(result, 0, a->result_size);
    a->fn(&c, part.arg, result);
    uat_context_end(&c);
    if (c.cell >= 0)
        uat_cell_put(c.home, c.cell, c.seen);
}
