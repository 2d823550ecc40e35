/* SPDX-License-Identifier: MIT */
#include "runtime/flow/unroll.h"

#include <string.h>

#include "runtime/flow/access.h"
#include "runtime/flow/ring.h"

void uat_flow_write_entry(const uat_flow_t *flow, const struct uat_flow_note *note, uat_fn *fn, const void *arg,
                          size_t size)
{
    struct uat_flow_entry *e = note->entry, *here = note->rank == uat_self.rank ? e : &uat_flow_staging()->entry;
    here->links.id = note->id;
    here->links.base = note->base;
    here->links.shared = uat_flow_shared(uat_flow_state_of(flow));
    here->body.fn = fn;
    here->body.size = size;
    if (size)
        memcpy(here->body.arg, arg, size);
    if (here == e)
        return;
    size_t bytes = offsetof(struct uat_flow_body, arg) + (size + 7) / 8 * 8;
    struct uat_op links = uat_op_write(&here->links, &e->links, offsetof(struct uat_flow_links, next));
    struct uat_op body = uat_op_write(&here->body, &e->body, bytes);
    const struct uat_op chain[] = {links, body};
    uat_flow_do(note->rank, chain, 2);
}

/* An entry that is being registered. begin() sets single fields, because the batch and `with` are large and mostly
 * unused. */
struct newcomer {
    uat_flow_t *flow;  /* the flow's state moves if another entry or line begins */
    uint64_t id, name; /* the name includes the kind and the home */
    uint64_t count;    /* registrations so far, including registrations with entries that had ended */
    uint64_t ended;    /* number of registrations with entries that had ended */
    struct uat_flow_batch batch;
    uint64_t with[UAT_FLOW_BATCH]; /* ids of the entries whose registrations are in flight */
};

static void begin(struct newcomer *t, uat_flow_t *flow, uint64_t id, uint64_t name)
{
    t->flow = flow;
    t->id = id;
    t->name = name;
    t->count = t->ended = 0;
    t->batch.n = 0;
}

/* Called when a registration has found the value `old` in `open` of the entry p. */
static void registered(struct newcomer *t, struct uat_flow_note *p, uint64_t old)
{
    t->count++;
    if (old - p->base >= UAT_FLOW_ENDED) { /* p has ended, and no worker reads its next[] again */
        p->ended = true;
        t->ended++;
    }
}

/* Wait for all chains in flight. The first n of them are registrations. */
static void flush(struct newcomer *t, int n)
{
    struct uat_flow_state *s = uat_flow_state_of(t->flow);
    uat_flow_wait(&t->batch);
    for (int i = 0; i < n; i++)
        registered(t, uat_flow_note(s, t->with[i]), uat_flow_staging()->old[i]);
}

/* Make t a successor of p, which has room. */
static void append(struct newcomer *t, struct uat_flow_note *p)
{
    struct uat_flow_entry *e = p->entry;
    uint64_t *next = &e->links.next[p->next++];
    p->last = t->id;
    if (uat_flow_is_near(p->rank)) {
        *next = t->name;
        /* The FETCH_ADD follows the store of next[]. It pairs with the FETCH_ADD in close_entry(), which precedes the
         * load of next[] (F3). */
        registered(t, p, uat_flow_add_near(&e->open, 1));
        return;
    }
    if (t->batch.n == UAT_FLOW_BATCH)
        flush(t, UAT_FLOW_BATCH);
    struct uat_flow_staging *s = uat_flow_staging();
    int i = t->batch.n;
    s->word[i] = t->name;
    t->with[i] = p->id;
    struct uat_op chain[] = {
        uat_op_write(&s->word[i], next, 8),
        uat_op_fetch_add(&s->old[i], &e->open, 1), /* follows the WRITE (O1); pairs with close_entry() (F3) */
    };
    uat_flow_post(&t->batch, p->rank, chain, 2);
}

/* Begin an entry that only joins others. Its links are complete when this returns. */
static void begin_join(struct newcomer *t, uat_flow_t *flow)
{
    const struct uat_flow_note *note = uat_flow_entry_begin(flow);
    begin(t, flow, note->id, uat_flow_name(note) | UAT_FLOW_JOINS);
    uat_flow_write_entry(flow, note, NULL, NULL, 0);
}

/*
 * Add the number of registrations to `left`, in the same round trip as the last registrations. Then subtract the number
 * of registrations with entries that had ended. If no registration is in flight, or the batch is full, one atomic adds
 * the difference. The atomic that brings `left` to 0 makes the entry ready (F4). Returns true if there was no
 * registration, or if an atomic of this function made the entry ready. Otherwise an atomic of a predecessor will.
 */
static bool count_left(struct newcomer *t)
{
    struct uat_flow_entry *e = uat_flow_address(t->name);
    int rank = uat_flow_rank(t->name);
    if (t->batch.n == UAT_FLOW_BATCH)
        flush(t, UAT_FLOW_BATCH);
    if (t->batch.n == 0)
        return t->count == 0 || uat_flow_add(rank, &e->left, t->count - t->ended) + t->count - t->ended == 0;
    struct uat_flow_staging *s = uat_flow_staging();
    int at = t->batch.n;
    uint64_t expected = t->count + (uint64_t)at;
    struct uat_op add = uat_op_fetch_add(&s->old[at], &e->left, expected);
    uat_flow_post(&t->batch, rank, &add, 1);
    flush(t, at);
    if (s->old[at] + expected == 0)
        return true;
    return t->ended > 0 && uat_flow_add(rank, &e->left, 0 - t->ended) == t->ended;
}

static void end_join(struct newcomer *t)
{
    if (count_left(t))
        uat_flow_ring_push(t->name);
}

/* Make t a successor of p, or of an entry that ends only after p. */
static void add_to(struct newcomer *t, struct uat_flow_note *p)
{
    struct uat_flow_note *next;
    while (p->relay && (next = uat_flow_alive(uat_flow_state_of(t->flow), p->relay)) != NULL)
        p = next;
    if (p->last == t->id || p->relay) /* t is a successor already; or the relay has ended, and so has p */
        return;
    if (p->next < UAT_FLOW_NEXT - 1) {
        append(t, p);
        return;
    }
    struct newcomer relay; /* the relay takes the last place in p's next[] */
    flush(t, t->batch.n);
    uint64_t id = p->id;
    begin_join(&relay, t->flow);
    struct uat_flow_state *s = uat_flow_state_of(t->flow);
    p = uat_flow_note(s, id);
    append(&relay, p);
    end_join(&relay);
    p->relay = relay.id;
    append(t, uat_flow_note(s, relay.id));
}

/* Register t with the entries that it must wait for if it uses the datum of `use` in this mode. These are the sharers
 * of the datum if their mode is another one; otherwise they are the writer. */
static void follow(struct newcomer *t, struct uat_flow_use *use, enum uat_flow_mode mode)
{
    const struct uat_flow_line *line = uat_flow_line_of(t->flow, use);
    struct uat_flow_note *p;
    if (line->sharers == 0 || line->mode == (unsigned)mode) {
        if ((p = uat_flow_under_way(uat_flow_state_of(t->flow), line->writer)) != NULL)
            add_to(t, p);
        return;
    }
    /* A sharer waits for the writer, so a task that waits for a sharer need not wait for the writer. */
    struct uat_flow_line copy = *line; /* a relay may move the state */
    for (uint32_t i = 0; i < copy.sharers; i++)
        if ((p = uat_flow_under_way(uat_flow_state_of(t->flow), copy.sharer[i])) != NULL)
            add_to(t, p);
}

/* Drop the sharers that have ended. If at least `limit` sharers are left, replace them by one entry that joins them. */
static void gather(uat_flow_t *flow, struct uat_flow_use *use, uint32_t limit)
{
    struct uat_flow_line *line = uat_flow_line_of(flow, use);
    struct uat_flow_state *s = uat_flow_state_of(flow);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < line->sharers; i++)
        if (uat_flow_alive(s, line->sharer[i]))
            line->sharer[kept++] = line->sharer[i];
    line->sharers = kept;
    if (kept < limit)
        return;
    struct newcomer join;
    begin_join(&join, flow);
    follow(&join, use, UAT_FLOW_INOUT);
    end_join(&join);
    line = uat_flow_line_of(flow, use);
    line->sharer[0] = join.id;
    line->sharers = 1;
}

void uat_flow_map(uat_flow_t *flow, uint64_t id, struct uat_flow_use *use)
{
    const struct uat_flow_state *s = uat_flow_state_of(flow);
    /* A line's index changes when room is made for other lines. */
    bool found = use->line < s->lines && s->line[use->line].datum == use->datum;
    struct uat_flow_line *line = found ? &s->line[use->line] : uat_flow_line_of(flow, use);
    enum uat_flow_mode mode = use->mode;
    bool other = mode != UAT_FLOW_INOUT && line->sharers > 0 && line->mode != (unsigned)mode;
    if (other || (mode != UAT_FLOW_INOUT && line->sharers == UAT_FLOW_SHARERS)) {
        gather(flow, use, other ? 2 : UAT_FLOW_SHARERS);
        line = uat_flow_line_of(flow, use);
    }
    if (other || mode == UAT_FLOW_INOUT) {
        line->writer = mode == UAT_FLOW_INOUT ? id : line->sharers > 0 ? line->sharer[0] : 0;
        line->sharers = 0;
    }
    if (mode == UAT_FLOW_INOUT)
        return;
    line->mode = mode;
    if (line->sharers == 0 || line->sharer[line->sharers - 1] != id)
        line->sharer[line->sharers++] = id;
}

bool uat_flow_uses(const uat_flow_t *flow, const uat_flow_access_t *access, size_t n, struct uat_flow_use *use)
{
    bool guarded = false;
    for (size_t i = 0; i < n; i++) {
        enum uat_flow_mode mode = access[i].mode & ~(unsigned)UAT_FLOW_BELOW;
        bool shares = mode == UAT_FLOW_ANY || mode == UAT_FLOW_ADD;
        if (mode != UAT_FLOW_IN && (!shares || flow->ordered))
            mode = UAT_FLOW_INOUT;
        guarded |= mode >= UAT_FLOW_ANY;
        use[i] = (struct uat_flow_use){
            .datum = (uintptr_t)access[i].p + 1, .bytes = access[i].rows > 1 ? 0 : access[i].bytes, .mode = mode};
    }
    return guarded;
}

bool uat_flow_order(uat_flow_t *flow, uint64_t id, uint64_t name, struct uat_flow_use *use, size_t n)
{
    struct newcomer t;
    begin(&t, flow, id, name);
    for (size_t i = 0; i < n; i++)
        follow(&t, &use[i], use[i].mode);
    bool ready = count_left(&t);
    for (size_t i = 0; i < n; i++)
        uat_flow_map(flow, id, &use[i]);
    return ready;
}

uint64_t uat_flow_follow(uat_flow_t *flow, uint64_t id, uint64_t name, struct uat_flow_use *use)
{
    struct newcomer t;
    begin(&t, flow, id, name);
    follow(&t, use, use->mode);
    flush(&t, t.batch.n);
    return t.count - t.ended;
}
