/* SPDX-License-Identifier: MIT */
/*
 * For thieves' unit tests in one process: a transport between two segments. It counts what it posts, and lets the other
 * side act between two chains. An address in one segment stands for the same place in the other.
 */
#ifndef UAT_TEST_WIRE_H
#define UAT_TEST_WIRE_H

#include "tests/test.h"
#include "tests/unit/one_process.h"

enum { WIRE_CHAINS = 16 };

struct wire {
    struct uat_transport head;
    char *from, *to;                   /* the segments */
    int peer;                          /* the rank of the worker whose segment is `to` */
    struct uat_pending *pending;       /* the last chain, until it completes */
    int chains, looks;                 /* number of posted chains; number of calls of progress */
    void (*before[WIRE_CHAINS])(void); /* what the other side does just before each chain */
    void (*on_look)(int looks);        /* what the other side does at the end of each call of progress */
    void (*on_op)(const struct uat_op *op);
    unsigned ops[WIRE_CHAINS][UAT_OP_KINDS];
};

/* The place in the other segment for an address in this one. */
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

/* Prepare for the next steal: reset all counts. */
static inline void wire_clear(struct wire *w)
{
    w->chains = w->looks = 0;
    memset(w->ops, 0, sizeof(w->ops));
}

#endif
