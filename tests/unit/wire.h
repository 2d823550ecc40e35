/* SPDX-License-Identifier: MIT */
/*
 * For unit tests of thieves, in one process: a transport from one segment to another that counts what it posts, and has
 * the other side act between two chains. An address in the one segment names the same place in the other.
 */
#ifndef UAT_TEST_WIRE_H
#define UAT_TEST_WIRE_H

#include "tests/test.h"
#include "tests/unit/one_process.h"

enum { WIRE_CHAINS = 16 };

struct wire {
    struct uat_transport head;
    char *from, *to;                   /* the segments */
    int peer;                          /* the rank of the one at `to` */
    struct uat_pending *pending;       /* the last chain, until its completion */
    int chains, looks;                 /* chains posted; calls of progress */
    void (*before[WIRE_CHAINS])(void); /* what the other side does just before each chain */
    void (*on_look)(int looks);        /* what it does at each call of progress, after a completion */
    void (*on_op)(const struct uat_op *op);
    unsigned ops[WIRE_CHAINS][UAT_OP_KINDS];
};

/* The place in the other segment that an address of this one names. */
static inline uint64_t *wire_there(const struct wire *w, void *here)
{
    return (uint64_t *)(void *)(w->to + ((char *)here - w->from));
}

static int wire_post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    struct wire *w = (struct wire *)t;
    assert_int_equal(peer, w->peer);
    assert_true(w->chains < WIRE_CHAINS);
    if (w->before[w->chains])
        w->before[w->chains]();
    for (int i = 0; i < count; i++) {
        execute_at(&ops[i], wire_there(w, ops[i].remote));
        w->ops[w->chains][ops[i].code]++;
        if (w->on_op)
            w->on_op(&ops[i]);
    }
    w->chains++;
    w->pending = p;
    return 0;
}

static int wire_progress(struct uat_transport *t)
{
    struct wire *w = (struct wire *)t;
    if (w->pending)
        w->pending->done = true;
    w->pending = NULL;
    if (w->on_look)
        w->on_look(w->looks++);
    return 0;
}

static const struct uat_transport_class wire_class = {.name = "wire", .post = wire_post, .progress = wire_progress};

/* Before the next steal: nothing has been counted. */
static inline void wire_clear(struct wire *w)
{
    w->chains = w->looks = 0;
    memset(w->ops, 0, sizeof(w->ops));
}

#endif
