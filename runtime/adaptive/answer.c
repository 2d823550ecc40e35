/* SPDX-License-Identifier: MIT */
/* The victim's side of requests. */
#include "runtime/adaptive/context.h"

#include <errno.h>
#include <string.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/word.h"
#include "runtime/global/global.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "transport/transport.h"

/* The requests that are being answered, and the answers in flight. */
static struct {
    uat_request_t request[UAT_REQUEST_SLOTS];
    int count; /* requests not answered yet, at the front of request[] */
    bool served[UAT_REQUEST_SLOTS];
    struct uat_pending pending[UAT_REQUEST_SLOTS], *all[UAT_REQUEST_SLOTS];
    int sent;
    bool busy; /* a splitter runs */
} mail;

void uat_answer_reset(void)
{
    memset(&mail, 0, sizeof(mail));
}

static int rank_of(uint64_t value)
{
    int rank = (int)(value & ((UINT64_C(1) << UAT_REQUEST_RANK_BITS) - 1)) - 1;
    if (rank < 0 || rank >= uat_self.size)
        uat_word_refuse(uat_self.rank, "a request for an adaptive part", value);
    return rank;
}

/* Take the requests whose bits are set (A6). Requests that were cancelled are left out. */
static void collect(void)
{
    struct uat_cells *c = uat_cells();
    /* Acquire: orders the bits before the data that came with them; pairs with the chain in post() of request.c. */
    uint64_t bits = uat_cpu_load_acquire(&c->asked), value[UAT_REQUEST_SLOTS] = {0};
    mail.count = mail.sent = 0;
    for (int i = 0; i < UAT_REQUEST_SLOTS; i++)
        if (bits & UINT64_C(1) << i)
            value[i] = uat_cell_load(uat_self.rank, &c->slot[i]) & ~UAT_REQUEST_CANCELLED;
    uat_cell_add(uat_self.rank, &c->asked, -bits);
    for (int i = 0; i < UAT_REQUEST_SLOTS; i++) {
        if (!value[i])
            continue;
        uat_request_t *r = &mail.request[mail.count];
        *r = (uat_request_t){.thief = rank_of(value[i]), .size = (uint32_t)c->data[i].size};
        if (c->data[i].size > UAT_REQUEST_DATA)
            uat_word_refuse(r->thief, "the size of the data of a request", c->data[i].size);
        memcpy(r->data, c->data[i].data, sizeof(r->data));
        if (uat_cell_swap(uat_self.rank, &c->slot[i], value[i], 0) == value[i])
            mail.served[mail.count++] = false;
        else /* the slot can differ from value[i] only by the thief's mark (A7) */
            uat_cell_swap(uat_self.rank, &c->slot[i], value[i] | UAT_REQUEST_CANCELLED, 0);
    }
}

/* Remove the requests that were answered. */
static void compress(void)
{
    int n = 0;
    for (int i = 0; i < mail.count; i++) {
        if (mail.served[i])
            continue;
        mail.request[n] = mail.request[i];
        mail.served[n++] = false;
    }
    mail.count = n;
}

/* Split the interval into count + 1 equal parts, and give all but the first. */
static void split_equally(uat_context_t *c, const uat_request_t *requests, int count)
{
    int64_t begin, end;
    uat_context_left(c, &begin, &end);
    for (int i = count; i > 0; i--)
        uat_context_give(c, &requests[i - 1], begin + (end - begin) / (count + 1) * i, NULL);
}

/* Let the contexts answer, the outermost first. */
static void offer(uat_context_t *c)
{
    if (c->outer)
        offer(c->outer);
    int64_t begin, end;
    if (mail.count == 0 || c->part->mode != UAT_COOPERATIVE || c->cell < 0 || !uat_context_left(c, &begin, &end))
        return;
    (c->part->splitter ? c->part->splitter : split_equally)(c, mail.request, mail.count);
    compress();
}

static void refuse(int thief)
{
    struct uat_op op = uat_op_fetch_add(NULL, &uat_cells_of(thief)->answers, UAT_ANSWERED_REFUSED);
    uat_check(uat_transport_post_unsignaled(uat_self.transport, thief, &op, 1));
}

void uat_request_answer(uat_context_t *c)
{
    if (uat_global_has_open()) /* an answer performs a RELEASE, which must wait until every range is checked in */
        return;
    if (mail.busy) /* a splitter made this call */
        return;
    collect();
    mail.busy = true;
    offer(c);
    mail.busy = false;
    for (int i = 0; i < mail.count; i++)
        refuse(mail.request[i].thief);
    mail.count = 0;
    if (mail.sent > 0)
        uat_check(uat_transport_wait(uat_self.transport, mail.all, mail.sent));
}

/* Answer a request with a part (A8). */
static void send(int thief, struct uat_part *part)
{
    struct uat_cells *there = uat_cells_of(thief);
    struct uat_op chain[] = {
        uat_op_write(part, &there->given, uat_part_size(part)),
        /* Takes effect after the WRITE (O1). Pairs with test() in request.c. */
        uat_op_fetch_add(&uat_cells_landing()->answer[mail.sent], &there->answers, UAT_ANSWERED_GIVEN),
    };
    uat_delay();
    mail.all[mail.sent] = &mail.pending[mail.sent];
    uat_check(uat_transport_post(uat_self.transport, thief, chain, 2, &mail.pending[mail.sent]));
    mail.sent++;
}

int uat_context_give(uat_context_t *c, const uat_request_t *request, int64_t begin, const void *arg)
{
    const struct uat_part *part = c->part;
    ptrdiff_t i = request - mail.request;
    if (i < 0 || i >= mail.count || mail.served[i])
        uat_fatal("uat_context_give() was called outside of a splitter, or twice for a request");
    if (begin >= part->last)
        return -EAGAIN;
    uint64_t unit = (uint64_t)part->unit, end, at;
    uint64_t from = begin <= part->base ? 0 : ((uint64_t)begin - (uint64_t)part->base + unit - 1) / unit;
    do {
        end = uat_word_end(c->seen);
        at = from > uat_word_begin(c->seen) ? from : uat_word_begin(c->seen);
        if (at >= end || uat_word_parts(c->seen) == UAT_CONTEXT_PARTS)
            return -EAGAIN;
    } while (!uat_context_swap(c, uat_word_with(c->seen, uat_word_begin(c->seen), at, uat_word_parts(c->seen) + 1)));
    struct uat_part *sent = &uat_cells_landing()->sent[mail.sent];
    memcpy(sent, part, uat_part_size(part));
    sent->number = uat_word_parts(c->seen) - 1;
    sent->home = c->home;
    sent->cell = c->cell;
    sent->begin = (uint32_t)at;
    sent->end = (uint32_t)end;
    if (arg)
        memcpy(sent->arg, arg, part->arg_size);
    uat_global_before_wait(); /* RELEASE; pairs with the ACQUIREs in take_part() and uat_request_run() */
    send(request->thief, sent);
    mail.served[i] = true;
    return 0;
}

size_t uat_request_read(const uat_request_t *request, void *data, size_t size)
{
    memcpy(data, request->data, size < request->size ? size : request->size);
    return request->size;
}
