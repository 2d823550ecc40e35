/* SPDX-License-Identifier: MIT */
#include "runtime/flow/ring.h"

#include <string.h>

#include "base/cpu.h"
#include "base/word.h"
#include "runtime/flow/access.h"
#include "runtime/global/global.h"
#include "runtime/job/fatal.h"
#include "runtime/sched/failure.h"
#include "runtime/trace/trace.h"

enum { HEAD = 192 /* bytes of a body that the first READ fetches */ };

/* Close `open`, and READ the links (F3). Only the used places of links->next are set. Returns the number of
 * successors. */
static unsigned close_entry(uint64_t name, struct uat_flow_links *links)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_entry *e = uat_flow_address(name);
    const struct uat_flow_links *from = &e->links;
    int rank = uat_flow_rank(name);
    uint64_t old;
    if (uat_flow_is_near(rank)) {
        old = uat_flow_add_near(&e->open, UAT_FLOW_ENDED); /* pairs with the FETCH_ADD of append() */
    } else {
        struct uat_op chain[] = {
            uat_op_fetch_add(&s->old[0], &e->open, UAT_FLOW_ENDED),
            /* Takes effect after the FETCH_ADD (O1), so that next[] is complete; pairs with append(). */
            uat_op_read(&s->links, &e->links, sizeof(s->links)),
        };
        uat_flow_do(rank, chain, 2);
        old = s->old[0];
        from = &s->links;
    }
    uint64_t count = old - from->base;
    if (count > UAT_FLOW_NEXT)
        uat_word_refuse(rank, "the number of successors of a task of a flow", count);
    links->id = from->id;
    links->shared = from->shared;
    uat_flow_check_block(links->shared, UAT_FLOW_CHUNK_BYTES, "the ledger of a task of a flow");
    for (unsigned i = 0; i < count; i++) {
        links->next[i] = from->next[i];
        uat_flow_check(links->next[i], "a successor of a task of a flow");
    }
    return (unsigned)count;
}

/* Write the mark (F5), and count the end. When the batch is complete, s->old[UAT_FLOW_NEXT] has the old value of the
 * count, and the staging area has the waiter. */
static void count_end(uint64_t name, const struct uat_flow_links *links, struct uat_flow_batch *batch)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_chunk *c = uat_flow_address(links->shared);
    int rank = uat_flow_rank(name), shared = uat_flow_rank(links->shared);
    if (rank == shared && uat_flow_is_near(rank)) {
        /* Release: orders this worker's reads of the entry before the mark (F5); pairs with the load in
         * uat_flow_retire(). */
        uat_cpu_store_release(uat_flow_mark(name), links->id);
        s->old[UAT_FLOW_NEXT] = uat_flow_add_near(&c->count, 1);
        s->waiter = c->waiter; /* read after the atomic, which has acquire order; pairs with offer() */
        return;
    }
    s->word[0] = links->id;
    struct uat_op chain[] = {
        uat_op_write(&s->word[0], uat_flow_mark(name), 8),
        /* Takes effect after the mark (O1), so that a worker that has read the count finds the mark; pairs with
         * uat_flow_retire(). */
        uat_op_fetch_add(&s->old[UAT_FLOW_NEXT], &c->count, 1),
        /* Takes effect after the FETCH_ADD (O1). So if the old value is -1, the waiter is valid. Pairs with offer(). */
        uat_op_read(&s->waiter, &c->waiter, sizeof(s->waiter)),
    };
    bool same = rank == shared;
    if (!same)
        uat_flow_do(rank, chain, 1);
    uat_flow_post(batch, shared, same ? chain : chain + 1, same ? 3 : 2);
}

/*
 * Count the end, and subtract 1 from `left` of each successor (F4). Afterwards old[] in the staging area has the old
 * values of `left`. Returns whether this is the last end that the unroller waits for. If so, the waiter is in the
 * staging area, too.
 */
static bool count_down(uint64_t name, const struct uat_flow_links *links, unsigned count)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_batch batch;
    batch.n = 0;
    for (unsigned i = 0; i < count; i++) {
        struct uat_flow_entry *t = uat_flow_address(links->next[i]);
        int rank = uat_flow_rank(links->next[i]);
        if (uat_flow_is_near(rank)) {
            s->old[i] = uat_flow_add_near(&t->left, UINT64_MAX);
        } else {
            struct uat_op op = uat_op_fetch_add(&s->old[i], &t->left, UINT64_MAX);
            uat_flow_post(&batch, rank, &op, 1);
        }
    }
    count_end(name, links, &batch);
    uat_flow_wait(&batch);
    return s->old[UAT_FLOW_NEXT] == UINT64_MAX;
}

void uat_flow_wake(const struct uat_flow_waiter *waiter)
{
    struct uat_ready_task task = {.sp = waiter->sp, .base = waiter->base, .where = waiter->where};
    if (!uat_park_is_stack(task.sp, task.base) || !uat_park_is_block(task.where, task.base - task.sp))
        uat_word_refuse(-1, "the unroller of a flow", task.where);
    uat_park_ready(&task, UAT_PARK_FLOW);
}

/* Store the views of the parted child's strand for the unroller. The WRITE completes before the end is counted. Pairs
 * with uat_flow_state_end(). */
static __attribute__((cold)) void leave_views(uint64_t shared, uint64_t views)
{
    struct uat_flow_staging *s = uat_flow_staging();
    struct uat_flow_chunk *c = uat_flow_address(shared);
    s->word[0] = views;
    const struct uat_op op = uat_op_write(&s->word[0], &c->views, 8);
    uat_flow_do(uat_flow_rank(shared), &op, 1);
}

/* End the entry of this name. Entries that waited for this entry alone become ready. The caller has released what the
 * entry's task wrote. views: a list of views for the unroller, or 0. */
static void end_entry(uint64_t name, uint64_t views)
{
    struct uat_flow_links links;
    const struct uat_flow_staging *s = uat_flow_staging();
    uint64_t begin = uat_trace_begin();
    unsigned count = close_entry(name, &links);
    if (views)
        leave_views(links.shared, views);
    bool wakes = count_down(name, &links, count);
    for (unsigned i = 0; i < count; i++)
        if (s->old[i] == 1) {
            uat_trace_end(UAT_TRACE_FLOW_READY, uat_trace_begin(), links.next[i], -1);
            uat_flow_ring_push(links.next[i]);
        }
    uat_trace_end(UAT_TRACE_FLOW_END, begin, name, -1);
    if (wakes)
        uat_flow_wake(&s->waiter);
}

/* End an entry without a body. If a task waits for the entry, wake the task. */
static void end_join(uint64_t name)
{
    struct uat_flow_staging *s = uat_flow_staging();
    if (name & UAT_FLOW_WAKES) {
        const struct uat_flow_entry *e = uat_flow_address(name);
        struct uat_op op = uat_op_read(&s->waiter, &e->waiter, sizeof(s->waiter));
        uat_flow_do(uat_flow_rank(name), &op, 1);
        uat_flow_wake(&s->waiter);
    }
    end_entry(name, 0);
}

/* Returns the body of an entry, READ unless the entry is near. *size: the argument's size in bytes, checked. */
static const struct uat_flow_body *body_of(uint64_t name, size_t *size)
{
    struct uat_flow_entry *e = uat_flow_address(name);
    struct uat_flow_body *body = &uat_flow_staging()->body, *there = &e->body;
    int rank = uat_flow_rank(name);
    if (uat_flow_is_near(rank) && (*size = there->size) <= sizeof(there->arg))
        return there; /* the body stays until the task's end (F5); the atomic that made the entry ready orders these
                       * loads */
    struct uat_op op = uat_op_read(body, there, HEAD);
    uat_flow_do(rank, &op, 1);
    if (body->size > sizeof(body->arg))
        uat_word_refuse(rank, "the size of the arguments of a task of a flow", body->size);
    *size = body->size;
    size_t bytes = offsetof(struct uat_flow_body, arg) + (*size + 7) / 8 * 8;
    if (bytes > HEAD) {
        op = uat_op_read((char *)body + HEAD, (char *)there + HEAD, bytes - HEAD);
        uat_flow_do(rank, &op, 1);
    }
    return body;
}

/* Take entries from next() until one has a body, and describe it in *task. Returns false if none has a body. */
static bool take(struct uat_alone *task, uint64_t (*next)(void))
{
    uint64_t name;
    while ((name = next()) != 0) {
        uat_flow_check(name, "a ready task of a flow");
        if (name & UAT_FLOW_JOINS) {
            end_join(name);
            next = uat_flow_ring_take; /* the region is still empty; this worker's ring has the newly ready entries */
            continue;
        }
        size_t size;
        const struct uat_flow_body *body = body_of(name, &size);
        *task = (struct uat_alone){.name = name, .fn = body->fn, .arg = body->arg, .arg_size = size};
        uat_global_after_steal(); /* F6 */
        uat_trace_end(UAT_TRACE_FLOW_BEGIN, uat_trace_begin(), name, -1);
        return true;
    }
    return false;
}

static bool take_own(struct uat_alone *task)
{
    return take(task, uat_flow_ring_take);
}

static struct {
    unsigned attempts; /* calls of take_other() while `wanted` was 0; every LOOK_EVERY-th looks at other workers */
    unsigned wanted;   /* counts down the calls that all look at other workers, because a look has found an entry */
} looking;

void uat_flow_look_anew(void)
{
    memset(&looking, 0, sizeof(looking));
}

static bool take_other(struct uat_alone *task)
{
    enum { LOOK_EVERY = 16, WANTED = 256 };
    looking.wanted -= looking.wanted > 0;
    if (looking.wanted == 0 && ++looking.attempts % LOOK_EVERY != 0)
        return false;
    bool taken = take(task, uat_flow_ring_steal);
    if (taken)
        looking.wanted = WANTED;
    return taken;
}

/* End the job if the task leaves a failure or views of reducers, because no task would take them. */
static void refuse_left(bool views)
{
    if (views)
        uat_fatal("a data-flow task has added to a reducer; put its part of the value into a datum instead");
    uat_failure_refuse("a data-flow task");
}

/* Called when a task that was taken has ended on this worker. */
static bool ended(uint64_t name)
{
    if (name == UAT_ALONE_PART)
        return false;
    refuse_left(uat_views_bytes != 0);
    uat_flow_check(name, "the entry of a task of a flow that has ended");
    uat_global_before_end(); /* RELEASE before the entry is closed (F3); pairs with the ACQUIREs of take() */
    end_entry(name, 0);
    return true;
}

/* Called when a parted child has ended and all its writes have been released. */
static void child_ended(uint64_t name, uint64_t views)
{
    /* do not refuse views: the unroller may have had them when it spawned the child */
    refuse_left(false);
    uat_flow_check(name, "the entry of a child of a flow");
    end_entry(name, views);
}

const struct uat_work uat_flow_work = {.take_own = take_own,
                                       .take_other = take_other,
                                       .ended = ended,
                                       .child_ended = child_ended,
                                       .any = uat_flow_ring_any,
                                       .offer = uat_flow_ring_offer};
