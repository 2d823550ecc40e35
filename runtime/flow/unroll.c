/* SPDX-License-Identifier: MIT */
#include "runtime/flow/unroll.h"

#include <string.h>

#include "runtime/flow/access.h"
#include "runtime/flow/ring.h"

/* Fill in an entry that no other worker knows. */
void uat_flow_write_entry(struct uat_flow_state *s, uint64_t id, uat_fn *fn, const void *arg, size_t size)
{
    const struct uat_flow_note *note = uat_flow_note(s, id);
    struct uat_flow_entry *e = uat_flow_entry_at(note->name), *here = e;
    if (uat_flow_rank(note->name) != uat_self.rank)
        here = &uat_flow_staging()->entry;
    here->links.id = id;
    here->links.base = note->base;
    here->links.shared = uat_flow_shared(s);
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
    uat_flow_do(note->name, chain, 2);
}

/* An entry that is being registered. begin() sets single fields, because the batch and `with` are large and mostly
 * unused. */
struct newcomer {
    uat_flow_t *flow;
    struct uat_flow_state *s;         /* the flow's state, which moves if another entry or line begins */
    uint64_t id, name;                /* the name includes the kind and the home */
    uint64_t count;                   /* registrations so far, including registrations with entries that had ended */
    uint64_t ended;                   /* number of registrations with entries that had ended */
    uint32_t line[UAT_FLOW_ACCESSES]; /* indices that the lines of the accesses had */
    struct uat_flow_batch batch;
    uint64_t with[UAT_FLOW_BATCH]; /* ids of the entries whose registrations are in flight */
};

static void begin(struct newcomer *t, uat_flow_t *flow, uint64_t id, uint64_t name)
{
    t->flow = flow;
    t->s = uat_flow_address(flow->ledger);
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

static void flush(struct newcomer *t)
{
    int n = t->batch.n;
    uat_flow_wait(&t->batch);
    for (int i = 0; i < n; i++)
        registered(t, uat_flow_note(t->s, t->with[i]), uat_flow_staging()->old[i]);
}

/* Make t a successor of p, which has room. */
static void append(struct newcomer *t, struct uat_flow_note *p)
{
    struct uat_flow_entry *e = uat_flow_entry_at(p->name);
    uint64_t *next = &e->links.next[p->next++];
    p->last = t->id;
    if (uat_flow_is_near(p->name)) {
        *next = t->name;
        /* The FETCH_ADD follows the store of next[]. It pairs with the FETCH_ADD in close_entry(), which precedes the
         * load of next[] (F3). */
        registered(t, p, uat_flow_add(p->name, &e->open, 1));
        return;
    }
    if (t->batch.n == UAT_FLOW_BATCH)
        flush(t);
    struct uat_flow_staging *s = uat_flow_staging();
    int i = t->batch.n;
    s->word[i] = t->name;
    t->with[i] = p->id;
    struct uat_op chain[] = {
        uat_op_write(&s->word[i], next, 8),
        uat_op_fetch_add(&s->old[i], &e->open, 1), /* follows the WRITE (O1); pairs with close_entry() (F3) */
    };
    uat_flow_post(&t->batch, p->name, chain, 2);
}

/* Begin an entry that only joins others. Its links are complete when this returns. */
static void begin_join(struct newcomer *t, uat_flow_t *flow)
{
    uint64_t id = uat_flow_entry_begin(flow);
    begin(t, flow, id, UAT_FLOW_JOINS);
    t->name |= uat_flow_name(t->s, id);
    uat_flow_write_entry(t->s, id, NULL, NULL, 0);
}

/*
 * Add the number of registrations to `left`, in the same round trip as the last registrations. Then subtract the number
 * of registrations with entries that had ended. If no registration is in flight, or the batch is full, one atomic adds
 * the difference. The atomic that brings `left` to 0 makes the entry ready (F4). Returns true if there was no
 * registration, or if an atomic of this function made the entry ready. Otherwise an atomic of a predecessor will.
 */
static bool count_left(struct newcomer *t)
{
    struct uat_flow_staging *s = uat_flow_staging();
    uint64_t *left = &uat_flow_entry_at(t->name)->left, expected = t->count + (uint64_t)t->batch.n, old;
    if (expected == 0)
        return true;
    if (t->batch.n == 0 || t->batch.n == UAT_FLOW_BATCH) {
        flush(t);
        return uat_flow_add(t->name, left, t->count - t->ended) + t->count - t->ended == 0;
    }
    int at = t->batch.n;
    struct uat_op add = uat_op_fetch_add(&s->old[at], left, expected);
    uat_flow_post(&t->batch, t->name, &add, 1);
    uat_flow_wait(&t->batch);
    old = s->old[at];
    for (int i = 0; i < at; i++)
        registered(t, uat_flow_note(t->s, t->with[i]), s->old[i]);
    if (old + expected == 0)
        return true;
    return t->ended > 0 && uat_flow_add(t->name, left, 0 - t->ended) == t->ended;
}

static void end_join(struct newcomer *t)
{
    if (count_left(t))
        uat_flow_ring_push(t->name);
}

/* Make t a successor of p, or of an entry that ends only after p. */
static void add_to(struct newcomer *t, struct uat_flow_note *p)
{
    while (p->relay && uat_flow_lives(t->s, p->relay))
        p = uat_flow_note(t->s, p->relay);
    if (p->last == t->id || p->relay) /* t is a successor already; or the relay has ended, and so has p */
        return;
    if (p->next < UAT_FLOW_NEXT - 1) {
        append(t, p);
        return;
    }
    struct newcomer relay; /* the relay takes the last place in p's next[] */
    flush(t);
    uint64_t id = p->id;
    begin_join(&relay, t->flow);
    t->s = relay.s;
    p = uat_flow_note(t->s, id);
    append(&relay, p);
    end_join(&relay);
    p->relay = relay.id;
    append(t, uat_flow_note(t->s, relay.id));
}

/* Register t with the entries of a line that t must wait for. These are the sharers if their mode is not `mode`,
 * otherwise the writer. mode: how t accesses the datum. */
static void follow(struct newcomer *t, const struct uat_flow_line *line, enum uat_flow_mode mode)
{
    struct uat_flow_note *p;
    if (line->sharers == 0 || line->mode == (unsigned)mode) {
        if ((p = uat_flow_under_way(t->s, line->writer)) != NULL)
            add_to(t, p);
        return;
    }
    /* A sharer waits for the writer, so a task that waits for a sharer need not wait for the writer. */
    struct uat_flow_line copy = *line; /* a relay may move the state */
    for (uint32_t i = 0; i < copy.sharers; i++)
        if ((p = uat_flow_under_way(t->s, copy.sharer[i])) != NULL)
            add_to(t, p);
}

/* Drop the sharers that have ended. If at least `limit` sharers are left, replace them by one entry that joins them. */
static void gather(uat_flow_t *flow, const void *p, uint64_t bytes, uint32_t limit)
{
    struct uat_flow_line *line = uat_flow_line_of(flow, p, bytes);
    struct uat_flow_state *s = uat_flow_address(flow->ledger);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < line->sharers; i++)
        if (uat_flow_lives(s, line->sharer[i]))
            line->sharer[kept++] = line->sharer[i];
    line->sharers = kept;
    if (kept < limit)
        return;
    struct newcomer join;
    begin_join(&join, flow);
    line = uat_flow_line_of(flow, p, bytes);
    follow(&join, line, UAT_FLOW_INOUT);
    end_join(&join);
    line = uat_flow_line_of(flow, p, bytes);
    line->sharer[0] = join.id;
    line->sharers = 1;
}

/* Put an access into the map. hint: the index that the datum's line had, or UINT32_MAX. The index changes when room is
 * made for other lines. */
static void enter(uat_flow_t *flow, uint64_t id, const uat_flow_access_t *access, uint32_t hint)
{
    const struct uat_flow_state *s = uat_flow_address(flow->ledger);
    bool found = hint < s->lines && s->line[hint].datum == (uintptr_t)access->p + 1;
    struct uat_flow_line *line = found ? &s->line[hint] : uat_flow_line_of(flow, access->p, uat_flow_bytes_of(access));
    enum uat_flow_mode mode = uat_flow_mode_of(flow, access);
    bool other = mode != UAT_FLOW_INOUT && line->sharers > 0 && line->mode != (unsigned)mode;
    if (other || (mode != UAT_FLOW_INOUT && line->sharers == UAT_FLOW_SHARERS)) {
        gather(flow, access->p, uat_flow_bytes_of(access), other ? 2 : UAT_FLOW_SHARERS);
        line = uat_flow_line_of(flow, access->p, uat_flow_bytes_of(access));
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

static void register_all(struct newcomer *t, uat_flow_t *flow, uint64_t id, uint64_t name,
                         const uat_flow_access_t *access, size_t n)
{
    begin(t, flow, id, name);
    for (size_t i = 0; i < n; i++) {
        const struct uat_flow_line *line = uat_flow_line_of(flow, access[i].p, uat_flow_bytes_of(&access[i]));
        t->s = uat_flow_address(flow->ledger); /* it may have moved to make room for the line */
        t->line[i] = (uint32_t)(line - t->s->line);
        follow(t, line, uat_flow_mode_of(flow, &access[i]));
    }
}

bool uat_flow_order(uat_flow_t *flow, uint64_t id, uint64_t name, const uat_flow_access_t *access, size_t n)
{
    struct newcomer t;
    register_all(&t, flow, id, name, access, n);
    bool ready = count_left(&t);
    for (size_t i = 0; i < n; i++)
        enter(flow, id, &access[i], t.line[i]);
    return ready;
}

void uat_flow_map(uat_flow_t *flow, uint64_t id, const uat_flow_access_t *access, size_t n)
{
    for (size_t i = 0; i < n; i++)
        enter(flow, id, &access[i], UINT32_MAX);
}

uint64_t uat_flow_follow(uat_flow_t *flow, uint64_t id, uint64_t name, const uat_flow_access_t *access)
{
    struct newcomer t;
    register_all(&t, flow, id, name, access, 1);
    flush(&t);
    return t.count - t.ended;
}
