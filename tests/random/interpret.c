/* SPDX-License-Identifier: MIT */
#include "tests/random/interpret.h"
#include "uat/checkpoint.h"
#include "uat/pattern.h"
#include "uat/transfer.h"

#include <stdio.h>

#include "tests/mix.h"

enum { LARGE = 1 << 18, PIECES = 4, SHARE = 3000 };

/* Memory for data that does not fit into a frame. No task switch may happen while it is in use. */
static char large[OPENS + 1][LARGE];

unsigned long ask_every, executions;

static struct range part(struct range range, uint32_t from, uint32_t to)
{
    return (struct range){range.area, range.from + from, to - from};
}

/* Do several gets or puts, all in flight at the same time, for the pieces of a range. */
static void split(struct range range, char *local, bool puts)
{
    uat_global_transfer_t transfer[PIECES];
    uint32_t n = range.bytes / PIECES + 1, count = 0;
    for (uint32_t at = 0; at < range.bytes; at += n, count++) {
        struct range piece = part(range, at, at + n < range.bytes ? at + n : range.bytes);
        if (plain)
            puts ? memory_put(piece, local + at) : memory_get(local + at, piece);
        else if (puts)
            uat_global_put_begin(&transfer[count], memory_at(piece), local + at, piece.bytes);
        else
            uat_global_get_begin(&transfer[count], local + at, memory_at(piece), piece.bytes);
    }
    while (!plain && count-- > 0)
        uat_global_transfer_wait(&transfer[count]);
}

static void read_range(int index)
{
    const struct op *o = &program.op[index];
    char small[SMALL], *local = o->way == 2 && o->range.bytes <= SMALL ? small : large[OPENS];
    if (o->way == 1) {
        split(o->range, local, false);
    } else if (o->way >= WAYS_PLAIN) {
        interpret_strided(o, local, false);
    } else if (o->way < 3) {
        memory_get(local, o->range);
    } else {
        if (o->way == 4 && !plain)
            uat_global_prefetch(memory_at(o->range), o->range.bytes);
        check_bytes(index, o->range, memory_checkout(o->range, UAT_READ));
        memory_checkin(o->range, UAT_READ);
        return;
    }
    check_bytes(index, o->range, local);
}

static void write_range(int index)
{
    const struct op *o = &program.op[index];
    char small[SMALL], *local = o->way == 2 && o->range.bytes <= SMALL ? small : large[OPENS];
    enum uat_access access = o->way < 5 ? UAT_WRITE : UAT_READ_WRITE;
    if (o->way < 3 || o->way >= WAYS_PLAIN) {
        stamp_fill(local, o->stamp, 0, o->range.bytes);
        if (o->way == 1)
            split(o->range, local, true);
        else if (o->way >= WAYS_PLAIN)
            interpret_strided(o, local, true);
        else
            memory_put(o->range, local);
        return;
    }
    char *place = memory_checkout(o->range, access);
    if (access == UAT_WRITE) {
        stamp_fill(place, o->stamp, 0, o->range.bytes);
    } else {
        check_bytes(index, o->range, place);
        stamp_mix(place, o->stamp, 0, o->range.bytes);
    }
    memory_checkin(o->range, access);
}

/* Check a range out, and write one half of it. close_range() writes the other half before the checkin. */
static void open_range(int index, struct frame *f)
{
    const struct op *o = &program.op[index];
    char *place = memory_checkout(o->range, o->access);
    if (o->access != UAT_WRITE)
        check_bytes(index, o->range, place);
    if (o->access == UAT_WRITE)
        stamp_fill(place, o->stamp, 0, o->range.bytes / 2);
    if (o->access == UAT_READ_WRITE)
        stamp_mix(place, o->stamp, 0, o->range.bytes / 2);
    if (!plain)
        f->place[o->slot] = place;
}

static void close_range(int index, const struct frame *f)
{
    const struct op *o = &program.op[index];
    uint32_t half = o->range.bytes / 2;
    uint64_t stamp = program.op[o->link].stamp;
    char *place = plain ? memory_at(o->range) : f->place[o->slot];
    check_bytes(index, o->access == UAT_WRITE ? part(o->range, 0, half) : o->range, place);
    if (o->access == UAT_WRITE)
        stamp_fill(place + half, stamp, half, o->range.bytes - half);
    if (o->access == UAT_READ_WRITE)
        stamp_mix(place + half, stamp, half, o->range.bytes - half);
    memory_checkin(o->range, o->access);
}

static char *local_of(const struct op *o, struct frame *f)
{
    return !plain && o->way && o->range.bytes <= SMALL ? f->local[o->slot] : large[o->slot];
}

static void begin_transfer(int index, struct frame *f)
{
    const struct op *o = &program.op[index];
    char *local = local_of(o, f);
    if (o->access == UAT_WRITE)
        stamp_fill(local, o->stamp, 0, o->range.bytes);
    if (plain && o->access == UAT_WRITE)
        memory_put(o->range, local);
    else if (!plain && o->access == UAT_WRITE)
        uat_global_put_begin(&f->transfer[o->slot], memory_at(o->range), local, o->range.bytes);
    else if (!plain)
        uat_global_get_begin(&f->transfer[o->slot], local, memory_at(o->range), o->range.bytes);
}

static void end_transfer(int index, struct frame *f)
{
    const struct op *o = &program.op[index];
    if (!plain)
        uat_global_transfer_wait(&f->transfer[o->slot]);
    if (o->access == UAT_READ)
        check_bytes(index, o->range, plain ? memory_at(o->range) : local_of(o, f));
}

/* Wait until the word has this value. */
static void await_word(const struct op *o, uint64_t value)
{
    while (uat_atomic_load(memory_word(o->word)) != value)
        uat_yield();
}

static void store_word(const struct op *o, uint64_t value)
{
    if (plain)
        memory_word(o->word)->value = value;
    else
        uat_atomic_store(memory_word(o->word), value);
}

/* Execute one of the three operations of a publication. The operation's value is the word's value after the
 * publication. Its count is the word's value after the reader has seen the bytes. */
static void publish(int index)
{
    const struct op *o = &program.op[index];
    if (o->kind == OP_PUBLISH) {
        if (o->way) {
            stamp_fill(memory_checkout(o->range, UAT_WRITE), o->stamp, 0, o->range.bytes);
            memory_checkin(o->range, UAT_WRITE);
        } else {
            stamp_fill(large[OPENS], o->stamp, 0, o->range.bytes);
            memory_put(o->range, large[OPENS]);
        }
        if (!plain)
            uat_global_release();
        store_word(o, o->value);
    } else if (o->kind == OP_LOOK) {
        if (!plain)
            await_word(o, o->value);
        memory_get(large[OPENS], o->range);
        check_bytes(index, o->range, large[OPENS]);
        store_word(o, o->count);
    } else if (!plain) {
        await_word(o, o->count);
    }
}

static void work(const struct op *o)
{
    uint64_t n = o->count;
    if (o->way == 3)
        uat_work_wanted();
    uat_sim_work(n);
    for (; n > 0; n--)
        __asm__ volatile("");
}

static void spawn(const struct op *o, struct frame *f)
{
    struct start start = {.first = o->link, .drops = o->slot >= CHILDREN, .payload = 3u * o->way};
    stamp_fill(start.bytes, (uint64_t)program.op[o->link].task, 0, start.payload);
    size_t size = offsetof(struct start, bytes) + start.payload;
    int rank = (int)(o->count % (uint32_t)uat_size()); /* count: the worker on which the child starts, or 0 */
    uat_group_t *group = start.drops ? &f->group[o->slot - CHILDREN] : NULL;
    if (group && o->count)
        uat_group_spawn_on(group, rank, interpret_task, &start, size);
    else if (group)
        uat_group_spawn(group, interpret_task, &start, size);
    else if (o->count)
        uat_spawn_on(&f->child[o->slot], rank, interpret_task, &start, size, f->result[o->slot], start.payload);
    else
        uat_spawn(&f->child[o->slot], interpret_task, &start, size, f->result[o->slot], start.payload);
}

static void join(const struct op *o, struct frame *f)
{
    if (o->slot >= CHILDREN) {
        uat_group_wait(&f->group[o->slot - CHILDREN]);
        return;
    }
    uat_join(&f->child[o->slot]);
    check_that(o, f->child[o->slot].record == 0, "the handle of a joined child");
    check_that(o, stamp_is(f->result[o->slot], o->value, 0, 3u * o->way), "the result of a child");
}

static void interpret_task_op(const struct op *o, struct frame *f)
{
    if (plain)
        return;
    switch (o->kind) {
    case OP_SPAWN:
        spawn(o, f);
        break;
    case OP_JOIN:
        join(o, f);
        break;
    case OP_WORK:
        work(o);
        break;
    case OP_YIELD:
        uat_yield();
        break;
    case OP_MIGRATE:
        uat_migrate((int)(o->count % (uint32_t)uat_size()));
        break;
    case OP_PREFETCH:
        uat_global_prefetch(memory_at(o->range), o->range.bytes);
        break;
    case OP_RELEASE:
        uat_global_release();
        break;
    default:
        interpret_sync(o);
    }
}

static void begin_op(int index)
{
    note_executed(index);
    if (ask_every > 0 && mix((uint64_t)index + program.seed) % ask_every == 0)
        uat_checkpoint(0);
}

void interpret(int index, struct frame *f)
{
    const struct op *o = &program.op[index];
    if (!plain)
        begin_op(index);
    switch (o->kind) {
    case OP_READ:
        read_range(index);
        break;
    case OP_WRITE:
        write_range(index);
        break;
    case OP_OPEN:
        open_range(index, f);
        break;
    case OP_CLOSE:
        close_range(index, f);
        break;
    case OP_BEGIN:
        begin_transfer(index, f);
        break;
    case OP_AWAIT:
        end_transfer(index, f);
        break;
    case OP_ALLOC:
        memory_allocate(o->range.area);
        memory_put_stamp(o->range, o->stamp);
        break;
    case OP_FREE:
        memory_free(o->range.area);
        break;
    case OP_WORD:
        interpret_word(index);
        break;
    case OP_PUBLISH:
    case OP_LOOK:
    case OP_SEEN:
        publish(index);
        break;
    case OP_FOR:
    case OP_REDUCE:
    case OP_SCAN:
    case OP_SORT:
    case OP_BLOCKS:
    case OP_INVOKE:
        interpret_loop(index);
        break;
    case OP_RACE:
        interpret_race(index);
        break;
    case OP_NEXT:
        interpret_next(index, f);
        break;
    case OP_CREATE:
    case OP_LOCKED:
        interpret_sync(o);
        break;
    default:
        interpret_task_op(o, f);
    }
}

void interpret_task(void *arg, void *result)
{
    const struct start *start = arg;
    struct frame f;
    uint64_t number = (uint64_t)program.op[start->first].task;
    const struct op *first = &program.op[start->first];
    check_that(first, stamp_is(start->bytes, number, 0, start->payload), "the argument of a task");
    generator_reset(&f);
    for (int i = 0; i < GROUPS; i++)
        uat_group_begin(&f.group[i]);
    for (int i = start->first; i >= 0; i = program.op[i].next)
        interpret(i, &f);
    check_executed(first);
    check_that(first, stamp_is(start->bytes, number, 0, start->payload), "the argument of a task at its end");
    if (!start->drops)
        stamp_fill(result, number, 0, start->payload);
}

void write_share(int run, int rank, int ranks)
{
    struct range all = program.runs_of[run].written, mine;
    uint32_t n = all.bytes, r = (uint32_t)rank, s = (uint32_t)ranks;
    mine = part(all, (uint32_t)((uint64_t)n * r / s), (uint32_t)((uint64_t)n * (r + 1) / s));
    if (!mine.bytes)
        return;
    for (uint32_t at = 0, n; at < mine.bytes; at += n) {
        n = mine.bytes - at < SHARE ? mine.bytes - at : SHARE;
        struct range piece = part(mine, at, at + n);
        stamp_fill(memory_checkout(piece, UAT_WRITE), program.runs_of[run].stamp, piece.from - all.from, n);
        memory_checkin(piece, UAT_WRITE);
    }
}

void reference_until(int index)
{
    bool before = plain;
    plain = true;
    memory_reset();
    for (int run = 0; run < program.runs && program.runs_of[run].from <= index; run++) {
        write_share(run, 0, 1);
        for (int i = program.runs_of[run].from; i < program.runs_of[run].to && i < index; i++)
            interpret(i, NULL);
    }
    plain = before;
}
