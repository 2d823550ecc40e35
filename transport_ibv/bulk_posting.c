/* SPDX-License-Identifier: MIT */
/* Bulk operations: their work requests and their completions. */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/relax.h"
#include "transport_ibv/bulk.h"
#include "transport_ibv/request.h"

/* wr_id holds four values: the link; the bit LAST, set in the last request of an operation; the number of requests that
 * this request's completion ends; the operation's position in the ring. */
#define LAST ((uint64_t)1 << 31)
enum { ENDS_SHIFT = 24, LIST = 16 /* requests posted with one call */ };
#define PLACE (((uint64_t)1 << ENDS_SHIFT) - 1)
_Static_assert(LIST < 1 << (31 - ENDS_SHIFT) && UAT_IBV_BULK_DEPTH < 1 << ENDS_SHIFT,
               "the parts of wr_id do not overlap");

static bool contains(const struct ibv_mr *mr, const void *local, size_t bytes)
{
    uintptr_t offset = (uintptr_t)local - (uintptr_t)mr->addr;
    return offset <= mr->length && bytes <= mr->length - offset;
}

/* The region that contains a local buffer, or NULL. */
static const struct ibv_mr *region_of(const struct uat_ibv_bulk *b, const void *local, size_t bytes)
{
    if (contains(b->arena, local, bytes))
        return b->arena;
    if (contains(b->ibv->mr, local, bytes))
        return b->ibv->mr;
    for (const struct uat_ibv_bulk_region *r = b->regions; r; r = r->next)
        if (contains(r->mr, local, bytes))
            return r->mr;
    return NULL;
}

bool uat_ibv_bulk_reaches(const struct uat_bulk *head, const void *local, size_t bytes)
{
    return region_of(uat_ibv_bulk_of(head), local, bytes) != NULL;
}

static const struct uat_ibv_connection *describe(void *context, const struct ibv_wc *wc, char *text, size_t size)
{
    const struct uat_ibv_bulk *b = context;
    const struct uat_ibv_bulk_link *link = &b->links[wc->wr_id >> 32];
    const struct uat_ibv_bulk_request *r = &link->ring[wc->wr_id & PLACE];
    snprintf(text, size, "%s of %zu bytes of the global memory that rank %d (%s) serves", uat_ibv_names[r->code],
             r->bytes, link->pair->rank, link->pair->host);
    return link->pair;
}

static void retire(void *context, const struct ibv_wc *wc)
{
    struct uat_ibv_bulk *b = context;
    uint64_t link = wc->wr_id >> 32;
    b->links[link].used -= (unsigned)((wc->wr_id & (LAST - 1)) >> ENDS_SHIFT);
    b->under_way--;
    if (wc->wr_id & LAST)
        b->head.link[link].completed++; /* B4: completions of one queue pair arrive in posting order */
}

int uat_ibv_bulk_progress(struct uat_bulk *head)
{
    struct uat_ibv_bulk *b = uat_ibv_bulk_of(head);
    const struct uat_ibv_completer q = {.cq = b->cq, .context = b, .retire = retire, .describe = describe};
    return uat_ibv_take_completions(b->ibv, &q); /* polls the queue, and calls retire() for each completion */
}

static int make_room(struct uat_ibv_bulk *b, const struct uat_ibv_bulk_link *link)
{
    struct uat_relax relax = {0};
    while (link->used == b->depth || b->under_way == b->cq_entries) {
        int rc = uat_ibv_bulk_progress(&b->head);
        if (rc)
            return rc;
        uat_relax(&relax);
    }
    return 0;
}

/* Part of an operation. */
struct piece {
    const struct uat_bulk_op *op;
    size_t from, bytes;
    uint64_t id;
    uint32_t lkey;
};

static void build_piece(struct uat_ibv_bulk *b, struct uat_ibv_bulk_link *link, const struct piece *p,
                        struct uat_ibv_wr *out)
{
    const struct uat_bulk_op *op = p->op;
    const struct uat_ibv_request r = {.id = p->id,
                                      .code = op->code,
                                      .local = (const char *)op->local + p->from,
                                      .lkey = p->lkey,
                                      .rkey = (uint32_t)op->rkey,
                                      .bytes = p->bytes,
                                      .remote = op->remote + p->from,
                                      .operand = op->operand,
                                      .compare = op->compare};
    uat_ibv_request_build(b->ibv, link->pair, &r, out); /* translates r, and sets flags for fence and inline data */
}

/* Post a list of requests with one doorbell. Only the last request is signalled. Its completion ends all requests of
 * the list. So a full queue always drains. */
static int post_list(struct uat_ibv_bulk *b, struct uat_ibv_bulk_link *link, struct uat_ibv_wr *request, int n,
                     const struct uat_bulk_op *op)
{
    struct ibv_send_wr *bad;
    for (int i = 1; i < n; i++)
        request[i - 1].wr.next = &request[i].wr;
    request[n - 1].wr.wr_id |= (uint64_t)n << ENDS_SHIFT;
    request[n - 1].wr.send_flags |= IBV_SEND_SIGNALED;
    int rc = ibv_post_send(link->pair->qp, &request[0].wr, &bad);
    if (rc) {
        char what[64];
        snprintf(what, sizeof(what), "%s of %zu bytes", uat_ibv_names[op->code], op->bytes);
        return uat_ibv_post_failed(b->ibv, link->pair, rc, what, link->used, b->depth);
    }
    link->used += (unsigned)n;
    b->under_way++;
    return 0;
}

static void count(struct uat_transport *t, const struct uat_bulk_op *op)
{
    t->ops[op->code]++;
    if (op->code == UAT_OP_READ)
        t->bytes_read += op->bytes;
    else if (op->code == UAT_OP_WRITE)
        t->bytes_written += op->bytes;
}

int uat_ibv_bulk_post(struct uat_bulk *head, int number, const struct uat_bulk_op *op)
{
    struct uat_ibv_bulk *b = uat_ibv_bulk_of(head);
    struct uat_ibv_bulk_link *link = &b->links[number];
    const struct ibv_mr *mr = region_of(b, op->local, op->bytes);
    size_t most = b->ibv->port.attr.max_msg_sz < UAT_IBV_BULK_PIECE ? b->ibv->port.attr.max_msg_sz : UAT_IBV_BULK_PIECE;
    uint64_t place = head->link[number].posted % b->depth, id = (uint64_t)number << 32 | place;
    if (!mr) {
        uat_error("%s: the local buffer of %zu bytes at %p is not in registered memory", uat_ibv_names[op->code],
                  op->bytes, op->local);
        return -EFAULT;
    }
    struct uat_ibv_wr request[LIST];
    size_t from = 0;
    do {
        int rc = b->ibv->error ? b->ibv->error : make_room(b, link), n = 0;
        if (rc)
            return rc;
        if (from == 0) /* after make_room() this entry of the ring is free */
            link->ring[place] = (struct uat_ibv_bulk_request){op->code, op->bytes, op->remote};
        do {
            size_t bytes = op->bytes - from < most ? op->bytes - from : most;
            const struct piece p = {op, from, bytes, from + bytes == op->bytes ? id | LAST : id, mr->lkey};
            build_piece(b, link, &p, &request[n++]);
            from += bytes;
        } while (from < op->bytes && n < LIST && link->used + (unsigned)n < b->depth);
        rc = post_list(b, link, request, n, op);
        if (rc)
            return rc;
    } while (from < op->bytes);
    head->link[number].posted++;
    count(head->transport, op);
    return 0;
}
