/* SPDX-License-Identifier: MIT */
/*
 * Functions that chains and bulk operations share. They build a work request from an operation, and report a failed
 * post or completion in one line.
 */
#ifndef UAT_IBV_REQUEST_H
#define UAT_IBV_REQUEST_H

#include "transport_ibv/ibv.h"

/* An operation, or a part of one, with the memory keys of both sides. */
struct uat_ibv_request {
    uint64_t id; /* wr_id */
    enum uat_opcode code;
    const void *local; /* the destination of data, or the source of a WRITE */
    uint32_t lkey, rkey;
    size_t bytes;
    uint64_t remote;
    uint64_t operand, compare; /* as in struct uat_op */
};

/* A work request and its one buffer. */
struct uat_ibv_wr {
    struct ibv_send_wr wr;
    struct ibv_sge sge;
};

static inline bool uat_ibv_is_atomic(enum uat_opcode code)
{
    return code == UAT_OP_FETCH_ADD || code == UAT_OP_CMP_SWAP;
}

/* Build the request that is posted next on c. The request has no successor and is not signalled. */
void uat_ibv_request_build(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_request *r,
                           struct uat_ibv_wr *out);

/* Report that posting on c failed. rc: the value that ibv_post_send() returned. what: for example "3 operations". used,
 * depth: number of requests in the send queue, and its capacity. Returns the negative errno, which it also stores in
 * ibv->error. */
int uat_ibv_post_failed(struct uat_ibv *ibv, const struct uat_ibv_connection *c, int rc, const char *what,
                        unsigned used, unsigned depth);

/* A completion queue, with functions that retire its completions and describe failed ones. */
struct uat_ibv_completer {
    struct ibv_cq *cq;
    void *context;
    void (*retire)(void *context, const struct ibv_wc *wc);
    /* For a failed completion: returns the connection, and writes a description of the operation to `text`. */
    const struct uat_ibv_connection *(*describe)(void *context, const struct ibv_wc *wc, char *text, size_t size);
};

/* Take the completions that have arrived, without waiting. Returns 0, or the negative errno that ends the job. It has
 * reported this error and stored it in ibv->error. */
int uat_ibv_take_completions(struct uat_ibv *ibv, const struct uat_ibv_completer *q);

#endif
