/* SPDX-License-Identifier: MIT */
/*
 * A library that replaces libibverbs. LD_PRELOAD loads it before the real one. Functions that it does not define, such
 * as ibv_port_state_str(), come from the real library. The inline functions of <infiniband/verbs.h> call this library
 * through pointers in a context (struct verbs_context).
 *
 * The process that posts a request also executes the request. The process has mapped the peer's memory, and accesses it
 * with its own CPU, in ibv_post_send(). So all operations take effect in posting order. Real adapters have a weaker
 * order, so tests of order belong on Soft-RoCE and on hardware.
 */
#ifndef FAKE_FAKE_H
#define FAKE_FAKE_H

#include "tests/fakeverbs/state.h"

#define FAKE_EXPORT __attribute__((visibility("default")))
/* The real function with this name, which this library hides. */
#define FAKE_REAL(name) (__extension__(__typeof__(&name)) dlsym(RTLD_NEXT, #name))

/* The shared state. NULL: this process does not run under `fakeverbs`, and has no device. */
extern struct fake_state *fake_state;

/* This process's rank in its job, or -1; and its host, which is 0 if there is no rank. */
int fake_rank(void);
int fake_host(void);

/* Count a call. Returns 0, or the errno with which the call must fail. */
int fake_enter(enum fake_call call);
/* Add to a sum. */
void fake_add(enum fake_call sum, uint64_t amount);
/* Take the time of a call for a queue pair of this device, and count the threads of this process that are in such a
 * call. */
void fake_pair_call(const struct fake_device *d);

struct fake_context {
    struct verbs_context verbs; /* its last member is the ibv_context that the user sees */
    int device;                 /* index in fake_state->device */
    bool imported;
};

struct fake_cq {
    struct ibv_cq cq;
    unsigned head, tail, size; /* head, tail: completions added and taken so far; modulo `size`, their places */
    struct ibv_wc *ring;
    struct fake_qp **from; /* the queue pair of each completion */
    unsigned *ends;        /* for each completion, the number of requests that leave the send queue with it */
};

struct fake_qp {
    struct ibv_qp qp;
    unsigned depth, used; /* depth: capacity of the send queue; used: requests in it */
    unsigned unsignalled; /* requests since the last one with a completion */
    bool signal_all;
};

static inline struct fake_context *fake_context_of(struct ibv_context *context)
{
    struct verbs_context *verbs = (struct verbs_context *)((char *)context - offsetof(struct verbs_context, context));
    return (struct fake_context *)verbs;
}

static inline struct fake_device *fake_device_of(struct ibv_context *context)
{
    return &fake_state->device[fake_context_of(context)->device];
}

/* Assigns a new object's number, from 1 on. Ends the process with a message if the table is full. */
uint32_t fake_number(uint32_t *last, uint32_t size, const char *what);

/* domain.c: functions of a context */
struct ibv_td *fake_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int fake_dealloc_td(struct ibv_td *td);
struct ibv_pd *fake_alloc_parent_domain(struct ibv_context *context, struct ibv_parent_domain_init_attr *attr);

/* queue.c: functions of a context */
struct ibv_qp *fake_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init);

/* request.c: functions of a context */
int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int fake_poll_cq(struct ibv_cq *cq, int room, struct ibv_wc *wc);

/*
 * memory.c: returns the address at which this process can access bytes of a region. `address` is the bytes' address
 * under the region's key. The region must allow `access` (IBV_ACCESS_*) and belong to the protection domain. Returns
 * NULL if the key does not allow the access, or if this process cannot map the region.
 */
char *fake_translate(uint32_t key, uint64_t address, uint64_t bytes, uint32_t access, uint32_t domain);

#endif
