/* SPDX-License-Identifier: MIT */
#include "runtime/flow/state.h"

#include <string.h>

#include "base/cpu.h"
#include "base/word.h"
#include "include/uat/sync.h"
#include "runtime/flow/access.h"
#include "runtime/job/fatal.h"
#include "runtime/task/stacks.h"
#include "runtime/sched/park.h"
#include "runtime/task/views_left.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"

enum { PARTS_FIRST = 4, LINES_FIRST = 32 };

static void *get(size_t bytes)
{
    struct uat_parked *block = (struct uat_parked *)uat_heap_get(&uat_heap, bytes - UAT_HEAP_HEADER);
    if (!block)
        uat_fatal("UAT_HEAP_SIZE=%zuk leaves no room for %zu bytes of a flow's ledger; set it to %zuk or more, or make "
                  "the flow's window smaller (uat_flow_set_window())",
                  uat_segment.heap_size >> 10, bytes, uat_heap_advice(bytes));
    block->kind = UAT_PARK_LEDGER;
    return block;
}

static void put(int rank, struct uat_parked *block)
{
    if (rank == uat_self.rank)
        uat_heap_put(&uat_heap, (struct uat_block *)(void *)block);
    else
        uat_keeper_give_back(rank, &block->returned);
}

static uint64_t name_of(const void *block)
{
    return (uint64_t)uat_self.rank << 48 | (uintptr_t)block;
}

/* Destroy the guard of a line whose entries have all ended. */
static void drop(const struct uat_flow_line *line)
{
    if (line->guard)
        uat_mutex_destroy((uat_mutex_t){.object = line->guard});
}

/* Make an empty state with this room. The hash table is undefined. */
static struct uat_flow_state *make(uint32_t parts, uint32_t lines)
{
    size_t bytes = uat_flow_state_bytes(parts, lines);
    struct uat_flow_state *s = get(bytes);
    memset(&s->bytes, 0, sizeof(*s) - offsetof(struct uat_flow_state, bytes));
    s->bytes = bytes;
    s->part_room = parts;
    s->line_room = lines;
    uat_flow_lay_out(s);
    return s;
}

/* Add a chunk. The state must have room for the chunk's part. */
static void add_chunk(struct uat_flow_state *s)
{
    struct uat_flow_chunk *c = get(UAT_FLOW_CHUNK_BYTES);
    /* The CPU may set the words, because no adapter knows them yet. */
    memset((char *)c + sizeof(c->block), 0, sizeof(*c) - sizeof(c->block));
    struct uat_flow_note *note = s->note + (size_t)s->parts * UAT_FLOW_CHUNK;
    for (unsigned i = 0; i < UAT_FLOW_CHUNK; i++) {
        struct uat_flow_entry *e = uat_flow_entry_of(c, i);
        e->left = e->open = 0;
        note[i] = (struct uat_flow_note){.entry = e, .rank = (uint16_t)uat_self.rank};
    }
    s->part[s->parts++] = (struct uat_flow_part){.chunk = c, .rank = uat_self.rank, .free = (1u << UAT_FLOW_CHUNK) - 1};
}

/* The hash table's place for a datum. It holds 1 + the number of the datum's line, or 0 if there is no line. */
static uint32_t *place_of(struct uat_flow_state *s, uint64_t datum)
{
    uint32_t *place;
    uint64_t i = datum * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    do
        place = &s->hash[i++ & (2 * s->line_room - 1)];
    while (*place != 0 && s->line[*place - 1].datum != datum);
    return place;
}

static void hash_lines(struct uat_flow_state *s)
{
    memset(s->hash, 0, 2 * s->line_room * sizeof(uint32_t));
    for (uint32_t i = 0; i < s->lines; i++)
        *place_of(s, s->line[i].datum) = i + 1;
}

struct uat_flow_state *uat_flow_state_begin(uat_flow_t *flow)
{
    struct uat_flow_state *s = make(PARTS_FIRST, LINES_FIRST);
    s->window = flow->window;
    add_chunk(s);
    hash_lines(s);
    flow->ledger = name_of(s);
    /* The flow counts as a pending child, so a task that ends without uat_flow_end() is refused. */
    uat_frame_at(uat_stacks_running_base())->pending++;
    return s;
}

struct uat_flow_state *uat_flow_state_open(uat_flow_t *flow)
{
    struct uat_flow_state *s = uat_flow_state_of(flow);
    int rank = uat_flow_rank(flow->ledger);
    if (rank == uat_self.rank)
        return s;
    struct uat_flow_state *head = (struct uat_flow_state *)(void *)&uat_flow_staging()->entry;
    _Static_assert(sizeof(*head) <= sizeof(uat_flow_staging()->entry), "there is room for the head");
    uat_flow_check_block(flow->ledger, sizeof(*head), "the ledger of a flow");
    struct uat_op op = uat_op_read(head, s, sizeof(*head));
    uat_flow_do(rank, &op, 1);
    size_t bytes = head->bytes;
    uat_flow_check_block(flow->ledger, bytes, "the size of a flow's ledger");
    if (bytes != uat_flow_state_bytes(head->part_room, head->line_room) || head->parts == 0 ||
        head->parts > head->part_room || head->part_last >= head->parts || head->lines > head->line_room ||
        head->line_room == 0 || (head->line_room & (head->line_room - 1)) != 0)
        uat_word_refuse(rank, "the size of a flow's ledger", bytes);
    struct uat_flow_state *here = get(bytes);
    /* The new block keeps the header that it has. */
    op = uat_op_read(&here->bytes, &s->bytes, bytes - offsetof(struct uat_flow_state, bytes));
    uat_flow_do(rank, &op, 1);
    uat_flow_lay_out(here);
    put(rank, &s->block);
    flow->ledger = name_of(here);
    return here;
}

/* The views that the parted child has left, or 0. The child's end has been counted. */
static uint64_t views_left(struct uat_flow_state *s)
{
    const struct uat_flow_chunk *c = s->part[0].chunk;
    if (s->part[0].rank == uat_self.rank)
        return c->views; /* read after the load of the count, or after a wait; pairs with leave_views() */
    struct uat_op op = uat_op_read(&uat_flow_staging()->word[0], &c->views, 8);
    uat_flow_do(s->part[0].rank, &op, 1);
    return uat_flow_staging()->word[0];
}

void uat_flow_state_end(uat_flow_t *flow)
{
    struct uat_flow_state *s = uat_flow_state_open(flow);
    uint64_t views = views_left(s);
    for (uint32_t i = 0; s->guards > 0 && i < s->lines; i++)
        drop(&s->line[i]);
    for (uint32_t i = 0; i < s->parts; i++)
        put(s->part[i].rank, &s->part[i].chunk->block);
    put(uat_self.rank, &s->block);
    flow->ledger = 0;
    uat_frame_at(uat_stacks_running_base())->pending--;
    if (views) /* these views come before all that the task has added since the child parted */
        uat_views_take_left(views);
}

/* Is some entry of this line under way? */
static bool is_live(struct uat_flow_state *s, const struct uat_flow_line *line)
{
    bool live = uat_flow_alive(s, line->writer) || uat_flow_alive(s, line->guarded);
    for (uint32_t i = 0; i < line->sharers && !live; i++)
        live = uat_flow_alive(s, line->sharer[i]);
    return live;
}

/* Copy a line without the unused places for sharers. Most lines have one sharer or none, and fill one cache line. */
static void copy_line(struct uat_flow_line *to, const struct uat_flow_line *from)
{
    enum { FRONT = 64 };
    memcpy(to, from, FRONT);
    if (offsetof(struct uat_flow_line, sharer) + from->sharers * sizeof(uint64_t) > FRONT)
        memcpy((char *)to + FRONT, (const char *)from + FRONT, sizeof(*to) - FRONT);
}

/* Move the state to a block with this room. */
static struct uat_flow_state *grow(uat_flow_t *flow, uint32_t parts, uint32_t lines)
{
    struct uat_flow_state *old = uat_flow_state_of(flow), *s = make(parts, lines);
    uint64_t size = s->bytes;
    memcpy(&s->bytes, &old->bytes, sizeof(*s) - offsetof(struct uat_flow_state, bytes));
    s->bytes = size;
    s->part_room = parts;
    s->line_room = lines;
    for (uint32_t i = 0; i < old->lines; i++)
        copy_line(&s->line[i], &old->line[i]);
    memcpy(s->part, old->part, old->parts * sizeof(struct uat_flow_part));
    memcpy(s->note, old->note, (size_t)old->parts * UAT_FLOW_CHUNK * sizeof(struct uat_flow_note));
    if (lines == old->line_room)
        memcpy(s->hash, old->hash, 2 * lines * sizeof(uint32_t));
    else
        hash_lines(s);
    put(uat_self.rank, &old->block);
    flow->ledger = name_of(s);
    return s;
}

/* The next room for parts (or lines) when the state moves because the lines (or parts) are full. A room that is more
 * than half full is doubled, because otherwise the state would soon move again. */
static uint32_t next_room(uint32_t used, uint32_t room)
{
    return used > room / 2 ? 2 * room : room;
}

/* Make room for a line: drop the lines in which all entries have ended. If the other lines fill at least half of the
 * room, double the room. */
static struct uat_flow_state *make_line_room(uat_flow_t *flow)
{
    struct uat_flow_state *s = uat_flow_state_of(flow);
    struct uat_flow_line *lines = s->line;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->lines; i++) {
        if (!is_live(s, &lines[i]))
            drop(&lines[i]);
        else if (kept++ < i)
            copy_line(&lines[kept - 1], &lines[i]);
    }
    s->lines = kept;
    if (2 * kept >= s->line_room)
        return grow(flow, next_room(s->parts, s->part_room), 2 * s->line_room);
    hash_lines(s);
    return s;
}

/* Under torture: a new datum must not overlap another one, and a known datum must have the size that it had. */
static __attribute__((cold)) void check_overlap(struct uat_flow_state *s, uint64_t datum, uint64_t bytes)
{
    for (uint32_t i = 0; i < s->lines; i++) {
        const struct uat_flow_line *line = &s->line[i];
        bool same = line->datum == datum;
        if (line->bytes == 0 || bytes == 0 || (same && line->bytes == bytes))
            continue;
        if (line->datum < datum + bytes && datum < line->datum + line->bytes)
            uat_fatal(
                "two data of a flow overlap without being equal: %zu bytes at %p and %zu bytes at %p; tasks on them "
                "would not be ordered",
                (size_t)line->bytes, (void *)(uintptr_t)(line->datum - 1), (size_t)bytes,
                (void *)(uintptr_t)(datum - 1));
    }
}

struct uat_flow_line *uat_flow_line_of(uat_flow_t *flow, struct uat_flow_use *use)
{
    struct uat_flow_state *s = uat_flow_state_of(flow);
    if (uat_torture_settings.torture != UAT_TORTURE_NONE || uat_torture_delays())
        check_overlap(s, use->datum, use->bytes);
    uint32_t *place = place_of(s, use->datum);
    if (*place) {
        use->line = *place - 1;
        return &s->line[use->line];
    }
    if (s->lines == s->line_room) {
        s = make_line_room(flow);
        place = place_of(s, use->datum);
    }
    use->line = s->lines;
    *place = ++s->lines;
    struct uat_flow_line *line = &s->line[use->line];
    line->datum = use->datum;
    line->bytes = use->bytes;
    line->writer = line->guard = line->guarded = 0;
    line->sharers = line->mode = 0; /* so sharer[] is unused */
    return line;
}

uint64_t uat_flow_guard_of(uat_flow_t *flow, uint64_t id, struct uat_flow_use *use)
{
    struct uat_flow_line *line = uat_flow_line_of(flow, use);
    if (!line->guard) {
        line->guard = uat_mutex_create().object;
        uat_flow_state_of(flow)->guards++;
    }
    line->guarded = id;
    return line->guard;
}

static bool has_room(const struct uat_flow_part *part)
{
    return part->free && part->rank == uat_self.rank;
}

/* The index of a part with a free entry, or -1. Parts on this worker come first. If `here` is true, parts on other
 * workers do not count. The part that was used last is tried first, so most calls look at one part only. */
static int free_part(struct uat_flow_state *s, bool here)
{
    int found = -1;
    if (has_room(&s->part[s->part_last]))
        return (int)s->part_last;
    for (uint32_t i = 0; i < s->parts; i++) {
        const struct uat_flow_part *part = &s->part[i];
        if (has_room(part))
            return (int)i;
        if (part->free && !here)
            found = (int)i;
    }
    return found;
}

/* Few entries exceed the window: the relays and joins of the newest spawn, and the entries of waits. */
_Static_assert(UAT_FLOW_WINDOW + UAT_FLOW_CHUNK <= 1 << 16, "an entry's index has 16 bits");

struct uat_flow_note *uat_flow_entry_begin(uat_flow_t *flow)
{
    struct uat_flow_state *s = uat_flow_state_of(flow);
    int at = free_part(s, s->parts * UAT_FLOW_CHUNK < s->window);
    if (at < 0) {
        if (s->parts == s->part_room)
            s = grow(flow, 2 * s->part_room, next_room(s->lines, s->line_room));
        add_chunk(s);
        at = (int)s->parts - 1;
    }
    s->part_last = (uint32_t)at;
    struct uat_flow_part *part = &s->part[at];
    unsigned i = (unsigned)__builtin_ctzll(part->free), index = (unsigned)at * UAT_FLOW_CHUNK + i;
    part->free &= part->free - 1;
    struct uat_flow_note *note = &s->note[index];
    *note = (struct uat_flow_note){
        .id = ++s->serial << 16 | index, .entry = note->entry, .rank = note->rank, .base = note->base};
    s->begun++;
    return note;
}

static void free_entry(struct uat_flow_state *s, uint64_t id)
{
    unsigned index = id & 0xffff;
    uat_flow_note(s, id)->id = 0;
    s->part[index / UAT_FLOW_CHUNK].free |= UINT64_C(1) << index % UAT_FLOW_CHUNK;
}

void uat_flow_entry_undo(struct uat_flow_state *s, uint64_t id)
{
    free_entry(s, id);
    s->begun--;
}

uint64_t uat_flow_ended_count(struct uat_flow_state *s, bool now)
{
    const struct uat_flow_chunk *c = s->part[0].chunk;
    if (s->part[0].rank == uat_self.rank) /* Acquire: pairs with the FETCH_ADDs in count_down() */
        return s->awaited + uat_cpu_load_acquire(&c->count);
    if (!now)
        return s->retired;
    struct uat_op op = uat_op_read(&uat_flow_staging()->word[0], &c->count, 8);
    uat_flow_do(s->part[0].rank, &op, 1);
    return s->awaited + uat_flow_staging()->word[0];
}

static const uint64_t *marks(const struct uat_flow_part *part)
{
    const uint64_t *mark = part->chunk->mark;
    if (part->rank == uat_self.rank)
        return mark;
    struct uat_op op = uat_op_read(uat_flow_staging()->mark, mark, sizeof(part->chunk->mark));
    uat_flow_do(part->rank, &op, 1);
    return uat_flow_staging()->mark;
}

struct uat_flow_note *uat_flow_under_way(struct uat_flow_state *s, uint64_t id)
{
    struct uat_flow_note *note = uat_flow_alive(s, id);
    if (!note || note->rank != uat_self.rank)
        return note;
    const struct uat_flow_chunk *c = s->part[(id & 0xffff) / UAT_FLOW_CHUNK].chunk;
    /* Acquire, as in uat_flow_retire(): the worker that ended the entry has released what its task wrote. */
    note->ended = uat_cpu_load_acquire(&c->mark[(id & 0xffff) % UAT_FLOW_CHUNK]) == id;
    return note->ended ? NULL : note;
}

void uat_flow_retire(struct uat_flow_state *s)
{
    for (uint32_t k = 0; k < s->parts; k++) {
        const struct uat_flow_part *part = &s->part[k];
        if (part->free == (1u << UAT_FLOW_CHUNK) - 1)
            continue;
        const uint64_t *mark = marks(part);
        for (unsigned i = 0; i < UAT_FLOW_CHUNK; i++) {
            struct uat_flow_note *note = &s->note[k * UAT_FLOW_CHUNK + i];
            /* Acquire: the worker that ended the entry accessed it for the last time before writing the mark (F5). */
            if (note->id && uat_cpu_load_acquire(&mark[i]) == note->id) {
                note->base += UAT_FLOW_ENDED + note->next;
                s->retired++;
                free_entry(s, note->id);
            }
        }
    }
}
