/* SPDX-License-Identifier: MIT */
/* Steps that access memory: ranges, transfers, objects, atomic words. */
#include "tests/random/maker.h"
#include "uat/global.h"

enum { TRIES = 6, NEIGHBOURHOOD = 12000, LARGEST = 200000 };

struct right *choose_right(int task, enum right_kind kind, bool sole)
{
    uint64_t salt = draw(1 << 30), least = UINT64_MAX;
    struct right *best = NULL;
    for (int i = 0; i < rights; i++) {
        struct right *r = &right[i];
        if (r->kind == kind && (sole ? right_is_sole(r, task) : right_is_held(r, task)) &&
            name_of(r->name ^ salt) <= least) {
            least = name_of(r->name ^ salt);
            best = r;
        }
    }
    return best;
}

static bool may_use(const struct right *r, int task, bool writes)
{
    if (r->kind != BYTES || !(writes ? right_is_sole(r, task) : right_is_held(r, task)))
        return false;
    return !writes || r->range.area != maker.frozen;
}

static bool meet(struct range a, struct range b)
{
    return a.area == b.area && a.from < b.from + b.bytes && b.from < a.from + a.bytes;
}

static bool is_open(int task, bool writes, struct range range)
{
    for (int i = 0; i < OPENS; i++) {
        const struct open *o = &maker.task[task].open[i];
        if (o->used && (writes || o->writes) && meet(o->range, range))
            return true;
    }
    return false;
}

/* The first right that the task can use at or soon after a position in an area. */
static struct right *right_from(int task, bool writes, int area, int64_t at, uint32_t *from)
{
    for (int i = 0; i < rights; i++) {
        struct right *r = &right[i];
        if (may_use(r, task, writes) && r->range.area == area && at < (int64_t)r->range.from + r->range.bytes &&
            at + NEIGHBOURHOOD > (int64_t)r->range.from) {
            *from = at > (int64_t)r->range.from ? (uint32_t)at : r->range.from;
            return r;
        }
    }
    return NULL;
}

/*
 * Choose the right at which a range starts. The range starts at the start of the range that the task used last, near
 * that range, shortly before the end of a block, or anywhere. least: the size that the range needs to repeat the range
 * used last or to cross the block's end.
 */
static struct right *choose_start(int task, bool writes, uint32_t *from, uint32_t *least)
{
    const struct range near = maker.near[task];
    uint64_t where = draw(8);
    struct right *r = NULL;
    *least = where == 0 ? near.bytes : 1;
    if (near.bytes && where < 4)
        r = right_from(task, writes, near.area,
                       where == 0 ? (int64_t)near.from
                                  : (int64_t)near.from + (int64_t)draw(near.bytes + NEIGHBOURHOOD) - NEIGHBOURHOOD / 2,
                       from);
    if (where == 4) {
        int area = (int)draw(ARRAYS);
        uint64_t blocks = program.bytes[area] / UAT_GLOBAL_BLOCK;
        uint32_t before = draw_size(4096);
        r = right_from(task, writes, area, (int64_t)((1 + draw(blocks)) * UAT_GLOBAL_BLOCK) - before, from);
        *least = before + 1 + (uint32_t)draw(1000);
    }
    for (int i = 0; i < TRIES && !r; i++) {
        r = choose_right(task, BYTES, writes);
        if (r && !may_use(r, task, writes))
            r = NULL;
        else if (r)
            *from = r->range.from + (draw(3) ? (uint32_t)draw(r->range.bytes) : 0);
    }
    return r;
}

static bool choose_once(int task, bool writes, uint32_t most, struct range *out)
{
    uint32_t from, end, bytes, least;
    const struct right *r = choose_start(task, writes, &from, &least);
    if (!r)
        return false;
    end = r->range.from + r->range.bytes;
    for (const struct right *n = r + 1;
         n < right + rights && may_use(n, task, writes) && n->range.area == r->range.area && n->range.from == end; n++)
        end += n->range.bytes;
    bytes = least > 1 ? least : draw_size(most);
    bytes = bytes < most ? bytes : most;
    *out = (struct range){r->range.area, from, bytes < end - from ? bytes : end - from};
    return !is_open(task, writes, *out);
}

bool choose_range(int task, bool writes, uint32_t most, struct range *out)
{
    for (int i = 0; i < TRIES; i++)
        if (choose_once(task, writes, most < LARGEST ? most : LARGEST, out)) {
            maker.near[task] = *out;
            return true;
        }
    return false;
}

/* Whether the cache has room after any order of earlier checkouts and checkins. Among K open ranges, the largest gap is
 * at least 1 / (K + 1) of the free space. */
bool has_cache(int task, uint32_t bytes, uint64_t *room)
{
    uint64_t sum = 0, k = 0;
    *room = (uint64_t)bytes + 2 * 4096;
    for (int i = 0; i < OPENS; i++) {
        sum += maker.task[task].open[i].room;
        k += maker.task[task].open[i].room > 0;
    }
    return sum < maker.limits->checkout && *room <= (maker.limits->checkout - sum) / (k + 1);
}

static uint32_t most_bytes(int task)
{
    uint32_t most = LARGEST;
    uint64_t room;
    while (most > 1 && !has_cache(task, most, &room))
        most /= 2;
    return has_cache(task, most, &room) ? most : 0;
}

/* The ways have the same numbers as in interpret.c. Gets and puts need no room in the cache. */
static void access(bool writes)
{
    struct range range;
    uint8_t way = (uint8_t)draw(WAYS_ACCESS);
    uint32_t most = way < 3 || way >= WAYS_PLAIN ? LARGEST : most_bytes(maker.at);
    if (!most || !choose_range(maker.at, writes, most, &range))
        return;
    struct op *o = emit(writes ? OP_WRITE : OP_READ, maker.at);
    o->way = way;
    o->range = range;
}

void make_read(void)
{
    access(false);
}

void make_write(void)
{
    access(true);
}

static void emit_access(enum kind kind, int task, struct range range, uint8_t way)
{
    struct op *o = emit(kind, task);
    o->range = range;
    o->way = way;
}

void write_before(int task)
{
    struct range range;
    uint64_t room;
    if (draw(3) == 0 || !choose_range(task, true, 1000, &range) || !has_cache(task, range.bytes, &room))
        return;
    emit(OP_WORK, task)->count = draw(30000);
    emit_access(OP_WRITE, task, range, draw(3) ? 3 : 0);
}

/* Set *out to the part of the range that the right covers. Returns false if there is no such part, if the task may not
 * read it, or if the task has checked out some of it for writing. */
static bool readable_part(const struct right *r, int task, struct range range, struct range *out)
{
    if (!may_use(r, task, false) || !meet(r->range, range))
        return false;
    uint32_t from = r->range.from > range.from ? r->range.from : range.from, end = r->range.from + r->range.bytes,
             other = range.from + range.bytes;
    *out = (struct range){range.area, from, (end < other ? end : other) - from};
    return !is_open(task, false, *out);
}

static void read_in(int task, struct range range, uint32_t most)
{
    uint64_t room, salt = draw(RIGHTS);
    struct range found;
    for (int i = 0; i < rights; i++)
        if (readable_part(&right[((uint64_t)i + salt) % (uint64_t)rights], task, range, &found)) {
            found.bytes = found.bytes < most ? found.bytes : most;
            if (has_cache(task, found.bytes, &room))
                emit_access(OP_READ, task, found, 3);
            return;
        }
}

void read_beside(int task, struct range near)
{
    uint32_t page = near.from / 4096 * 4096, left = program.bytes[near.area] - page;
    if (!near.bytes || draw(4) == 0)
        return;
    read_in(task, (struct range){near.area, page, left < 4096 ? left : 4096}, 8);
    emit(OP_WORK, task)->count =
        draw(2) ? draw(100) : draw(40000); /* after long work the next operation need not wait; after short work it may
                                            * have to wait */
}

void read_after(int task, struct range near)
{
    if (near.bytes && draw(4))
        read_in(task, near, 1000);
}

/* Several consecutive accesses to the same bytes, or to some of them. */
void make_burst(void)
{
    uint32_t most = most_bytes(maker.at);
    struct range range;
    if (!most || !choose_range(maker.at, true, draw(2) ? most : 3000, &range))
        return;
    for (uint64_t n = 2 + draw(4); n > 0; n--) {
        uint32_t from = draw(2) ? (uint32_t)draw(range.bytes) : 0, left = range.bytes - from;
        struct range part = {range.area, range.from + from, draw(2) ? left : draw_size(left)};
        uint64_t kind = draw(5);
        emit_access(kind == 0  ? OP_PREFETCH
                    : kind < 3 ? OP_WRITE
                               : OP_READ,
                    maker.at, part, (uint8_t)draw(WAYS_ACCESS));
    }
}

static struct open *free_open(int task, uint8_t *slot)
{
    for (int i = 0; i < OPENS; i++)
        if (!maker.task[task].open[i].used) {
            *slot = (uint8_t)i;
            return &maker.task[task].open[i];
        }
    return NULL;
}

void make_open(void)
{
    uint8_t slot, access = (uint8_t)(1 + draw(3));
    struct open *open = free_open(maker.at, &slot);
    uint32_t most = open ? most_bytes(maker.at) : 0;
    struct range range;
    uint64_t room;
    if (!most || !choose_range(maker.at, access != UAT_READ, most, &range) || !has_cache(maker.at, range.bytes, &room))
        return;
    struct op *o = emit(OP_OPEN, maker.at);
    o->range = range;
    o->access = access;
    o->slot = slot;
    *open =
        (struct open){.used = true, .writes = access != UAT_READ, .op = program.ops - 1, .range = range, .room = room};
}

/* A split-phase transfer to or from the task's frame or other memory. */
void make_begin(void)
{
    uint8_t slot, writes = (uint8_t)draw(2);
    struct open *open = free_open(maker.at, &slot);
    struct range range;
    if (!open || !choose_range(maker.at, writes, draw(2) ? 1024 : 100000, &range))
        return;
    struct op *o = emit(OP_BEGIN, maker.at);
    o->range = range;
    o->access = writes ? UAT_WRITE : UAT_READ;
    o->slot = slot;
    o->way = (uint8_t)draw(2);
    *open = (struct open){.used = true, .writes = writes, .op = program.ops - 1, .range = range};
}

static void close(int task, int slot)
{
    struct open *open = &maker.task[task].open[slot];
    const struct op *begun = &program.op[open->op];
    struct op *o = emit(begun->kind == OP_OPEN ? OP_CLOSE : OP_AWAIT, task);
    o->link = open->op;
    o->slot = (uint8_t)slot;
    o->access = begun->access;
    o->range = begun->range;
    o->way = begun->way;
    *open = (struct open){0};
}

void make_close(void)
{
    int slot = (int)draw(OPENS);
    if (maker.task[maker.at].open[slot].used)
        close(maker.at, slot);
}

void close_all(int task)
{
    unsigned first = (unsigned)draw(OPENS), by = draw(2) ? 1 : OPENS - 1;
    for (unsigned i = 0; i < OPENS; i++)
        if (maker.task[task].open[(first + i * by) % OPENS].used)
            close(task, (int)((first + i * by) % OPENS));
}

void close_before(int task, bool waits)
{
    if (waits || !maker.open_sync)
        close_all(task);
}

/* Prefetch bytes that the task may read, or any range of an array. */
void make_prefetch(void)
{
    struct range range;
    uint32_t bytes = draw_size(LARGEST);
    int area = (int)draw(ARRAYS);
    if (draw(2)) {
        if (!choose_range(maker.at, false, LARGEST, &range))
            return;
    } else {
        uint32_t from = (uint32_t)draw(program.bytes[area]), left = program.bytes[area] - from;
        range = (struct range){area, from, bytes < left ? bytes : left};
    }
    emit(OP_PREFETCH, maker.at)->range = range;
}

void make_alloc(void)
{
    if (program.areas == AREAS || rights + 3 > RIGHTS)
        return;
    int area = program.areas++;
    bool temporary = draw(4) == 0 && program.temporaries < TEMPORARY;
    uint32_t bytes = draw_size(temporary ? TEMPORARY_MAX : draw(4) ? 2000 : 70000), half = (uint32_t)draw(bytes);
    program.temporary[area] = temporary;
    program.temporaries += temporary;
    program.bytes[area] = bytes;
    struct op *o = emit(OP_ALLOC, maker.at);
    o->range = (struct range){area, 0, bytes};
    if (half)
        right_new(BYTES, area, o->stamp, maker.at)->range = (struct range){area, 0, half};
    right_new(BYTES, area, o->stamp + 1, maker.at)->range = (struct range){area, half, bytes - half};
    maker.near[maker.at] = o->range;
}

static bool holds_area(int area)
{
    for (int i = 0; i < rights; i++)
        if (right[i].kind == BYTES && right[i].range.area == area && right[i].held &&
            !right_is_sole(&right[i], maker.at))
            return false;
    return !is_open(maker.at, true, (struct range){area, 0, program.bytes[area]});
}

static void free_area(int area)
{
    emit(OP_FREE, maker.at)->range = (struct range){area, 0, program.bytes[area]};
    for (int i = 0; i < rights; i++)
        if (right[i].kind == BYTES && right[i].range.area == area)
            right[i].held = 0;
}

void make_free(void)
{
    for (int i = 0; i < 4 * TRIES; i++) {
        const struct right *r = choose_right(maker.at, BYTES, true);
        if (!r)
            return;
        struct range range = {r->range.area, 0, program.bytes[r->range.area]};
        if (range.area < ARRAYS || !holds_area(range.area))
            continue;
        uint64_t room;
        if (draw(2)) /* the bytes just written may be written home late */
            emit_access(OP_WRITE, maker.at, r->range, has_cache(maker.at, r->range.bytes, &room) ? 3 : 0);
        free_area(range.area);
        return;
    }
}

void finish_objects(void)
{
    maker.at = 0;
    for (int i = 0; i < rights; i++)
        if (right[i].kind == BYTES && right[i].held && right[i].range.area >= ARRAYS)
            free_area(right[i].range.area);
}
