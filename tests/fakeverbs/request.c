/* SPDX-License-Identifier: MIT */
/* Requests and their completions. A request is carried out when it is posted. */
#include "tests/fakeverbs/fake.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GAP_NS = 10000 };

/* Copy bytes; word by word, if both addresses and the length are multiples of 8. */
static void copy(char *to, const char *from, size_t bytes)
{
    if (((uintptr_t)to | (uintptr_t)from | bytes) % sizeof(uint64_t)) {
        memcpy(to, from, bytes);
        return;
    }
    /* Relaxed: the fences around a post order the copies. Pairs with the accesses of the peer's CPU to the same
     * words. */
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t))
        __atomic_store_n((uint64_t *)(void *)(to + i),
                         __atomic_load_n((const uint64_t *)(const void *)(from + i), __ATOMIC_RELAXED),
                         __ATOMIC_RELAXED);
}

static uint32_t access_of(enum ibv_wr_opcode code)
{
    return code == IBV_WR_RDMA_READ    ? IBV_ACCESS_REMOTE_READ
           : code == IBV_WR_RDMA_WRITE ? IBV_ACCESS_REMOTE_WRITE
                                       : IBV_ACCESS_REMOTE_ATOMIC;
}

/* The address of the local buffer; NULL if its key does not allow the operation. */
static char *local_of(const struct fake_qp *qp, const struct ibv_send_wr *wr)
{
    const struct ibv_sge *sge = wr->sg_list;
    if (wr->send_flags & IBV_SEND_INLINE)
        return (char *)(uintptr_t)sge->addr;
    return fake_translate(sge->lkey, sge->addr, sge->length,
                          wr->opcode == IBV_WR_RDMA_WRITE ? 0 : IBV_ACCESS_LOCAL_WRITE, qp->qp.pd->handle);
}

/* Does the last repetition of a request come after a cut of the network? No time passes here. */
static bool outlasts(const struct fake_pair *own, int cut_ms)
{
    return cut_ms && own->retries * 4.096e-3 * (double)(1u << own->timeout) > cut_ms;
}

/* The peer of a pair; NULL if the peer does not answer. */
static const struct fake_pair *peer_of(const struct fake_pair *own, uint32_t number)
{
    const struct fake_pair *peer = own->peer && own->peer < FAKE_PAIRS ? &fake_state->pair[own->peer] : NULL;
    /* Acquire: makes visible the values that the peer set before its state. Pairs with the release in
     * ibv_modify_qp(). */
    if (!peer || !peer->live || __atomic_load_n(&peer->state, __ATOMIC_ACQUIRE) < IBV_QPS_RTR || peer->peer != number ||
        peer->rq_psn != own->sq_psn)
        return NULL;
    const struct fake_port *near = &fake_state->device[own->device].port[own->port - 1];
    const struct fake_port *far = &fake_state->device[peer->device].port[peer->port - 1];
    bool alive = peer->pid == getpid() || !kill(peer->pid, 0) || errno == EPERM;
    static int requests; /* of this process; counted only if the device has a limit */
    int answers = fake_state->device[own->device].answers;
    bool heard = own->service_level == near->service_level &&
                 (!near->traffic_class || own->traffic_class == near->traffic_class);
    bool answered =
        heard && (!answers || requests++ < answers || outlasts(own, fake_state->device[own->device].cut_ms));
    return alive && answered && near->fabric == far->fabric ? peer : NULL;
}

/* An atomic of a device that has no help from the processor. This process sleeps between its load and its store, so
 * that a WRITE of another process falls between them. */
static void load_and_store(const struct fake_pair *peer, const struct ibv_send_wr *wr, uint64_t *local,
                           uint64_t *remote)
{
    uint32_t *busy = &fake_state->busy[peer->host][peer->device];
    while (__atomic_exchange_n(busy, 1, __ATOMIC_ACQUIRE)) /* pairs with the release at the end */
        sched_yield();
    /* Relaxed: the lock orders these accesses among atomics of this device, and nothing orders them with others. */
    uint64_t old = __atomic_load_n(remote, __ATOMIC_RELAXED);
    nanosleep(&(struct timespec){.tv_nsec = GAP_NS}, NULL);
    if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
        __atomic_store_n(remote, old + wr->wr.atomic.compare_add, __ATOMIC_RELAXED);
    else if (old == wr->wr.atomic.compare_add)
        __atomic_store_n(remote, wr->wr.atomic.swap, __ATOMIC_RELAXED);
    __atomic_store_n(busy, 0, __ATOMIC_RELEASE); /* pairs with the acquire above */
    *local = old;
}

static void atomic(const struct fake_pair *peer, const struct ibv_send_wr *wr, uint64_t *local, uint64_t *remote)
{
    uint64_t old = wr->wr.atomic.compare_add;
    fake_add(FAKE_ATOMICS, 1);
    if (fake_state->device[peer->device].load_store) {
        load_and_store(peer, wr, local, remote);
        return;
    }
    /* Sequentially consistent: an adapter's atomics have one order. Pairs with the loads of these words by the peer's
     * CPU. */
    if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
        old = __atomic_fetch_add(remote, old, __ATOMIC_SEQ_CST);
    else
        __atomic_compare_exchange_n(remote, &old, wr->wr.atomic.swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *local = old;
}

/* The WRITE that a device with late_writes has not carried out yet. */
static struct {
    char *far;
    size_t bytes;
    char data[1 << 12];
} late;

static void carry_out_late(void)
{
    copy(late.far, late.data, late.bytes);
    late.bytes = 0;
}

static void write_to(const struct fake_device *d, char *far, const char *local, size_t bytes)
{
    carry_out_late();
    if (!d->late_writes || bytes > sizeof(late.data)) {
        copy(far, local, bytes);
        return;
    }
    late.far = far;
    memcpy(late.data, local, late.bytes = bytes);
}

static enum ibv_wc_status carry_out(const struct fake_qp *qp, const struct ibv_send_wr *wr)
{
    const struct fake_pair *own = &fake_state->pair[qp->qp.qp_num], *peer = peer_of(own, qp->qp.qp_num);
    bool is_atomic = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
    uint64_t remote = is_atomic ? wr->wr.atomic.remote_addr : wr->wr.rdma.remote_addr;
    uint32_t key = is_atomic ? wr->wr.atomic.rkey : wr->wr.rdma.rkey, access = access_of(wr->opcode);
    if (!peer)
        return IBV_WC_RETRY_EXC_ERR;
    if (wr->num_sge != 1 || !wr->sg_list->length) /* uat posts no such request */
        return IBV_WC_LOC_LEN_ERR;
    char *local = local_of(qp, wr);
    if (!local)
        return IBV_WC_LOC_PROT_ERR;
    if (is_atomic && (remote % sizeof(uint64_t) || wr->sg_list->length != sizeof(uint64_t)))
        return IBV_WC_REM_INV_REQ_ERR;
    if (!(peer->access & access) && access)
        return IBV_WC_REM_INV_REQ_ERR;
    char *far = fake_translate(key, remote, wr->sg_list->length, access, peer->domain);
    if (!far)
        return IBV_WC_REM_ACCESS_ERR;
    if (is_atomic)
        atomic(peer, wr, (uint64_t *)(void *)local, (uint64_t *)(void *)far);
    else if (wr->opcode == IBV_WR_RDMA_READ && own != peer && fake_state->device[own->device].wrong_reads)
        memset(local, 0xff, wr->sg_list->length);
    else if (wr->opcode == IBV_WR_RDMA_READ)
        copy(local, far, wr->sg_list->length);
    else
        write_to(&fake_state->device[own->device], far, local, wr->sg_list->length);
    if (!is_atomic) /* relaxed: as in fake_add() */
        __atomic_fetch_add(&fake_state->served[peer->host][peer->device], wr->sg_list->length, __ATOMIC_RELAXED);
    return IBV_WC_SUCCESS;
}

/* Add a completion. When it is polled, this request and the pair's unsignalled requests before it leave the send
 * queue. */
static void complete(struct fake_qp *qp, const struct ibv_send_wr *wr, enum ibv_wc_status status)
{
    struct fake_cq *cq = (struct fake_cq *)qp->qp.send_cq;
    if (cq->head - cq->tail == cq->size) {
        fprintf(stderr, "fakeverbs: more than %u completions in a completion queue\n", cq->size);
        abort();
    }
    unsigned at = cq->head++ % cq->size;
    cq->ring[at] =
        (struct ibv_wc){.wr_id = wr->wr_id, .status = status, .qp_num = qp->qp.qp_num, .byte_len = wr->sg_list->length};
    cq->from[at] = qp;
    cq->ends[at] = qp->unsignalled;
    qp->unsignalled = 0;
}

/* Does this device carry out the READ before the request that precedes it in its list? */
static bool passes(const struct ibv_qp *pair, const struct ibv_send_wr *wr)
{
    return fake_device_of(pair->context)->early_reads && wr && wr->opcode == IBV_WR_RDMA_READ &&
           !(wr->send_flags & IBV_SEND_FENCE);
}

int fake_post_send(struct ibv_qp *pair, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    const struct ibv_send_wr *early = NULL; /* the last READ that has passed the request before it */
    struct fake_qp *qp = (struct fake_qp *)pair;
    int error = fake_enter(FAKE_POST_SEND);
    /* Full fence: a doorbell orders the earlier stores before the adapter's operations, which follow here. Pairs with
     * any full fence of a peer. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (; wr && !error; wr = wr->next) {
        bool broken = pair->state == IBV_QPS_ERR;
        if (qp->used == qp->depth || (pair->state != IBV_QPS_RTS && !broken)) {
            error = qp->used == qp->depth ? ENOMEM : EINVAL;
            break;
        }
        fake_add(FAKE_REQUESTS, 1);
        qp->used++;
        qp->unsignalled++;
        enum ibv_wc_status status = broken ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS;
        if (!broken && wr->opcode != IBV_WR_RDMA_READ && passes(pair, wr->next))
            status = carry_out(qp, early = wr->next);
        if (early == wr->next && early)
            sched_yield(); /* the peer may change the word that was READ */
        if (!broken && wr != early && status == IBV_WC_SUCCESS)
            status = carry_out(qp, wr);
        if (status != IBV_WC_SUCCESS)
            pair->state = IBV_QPS_ERR;
        if (status != IBV_WC_SUCCESS || (wr->send_flags & IBV_SEND_SIGNALED) || qp->signal_all)
            complete(qp, wr, status);
    }
    /* Full fence: everything that the operations read and wrote precedes all later accesses of the process. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (error && bad)
        *bad = wr;
    return error;
}

int fake_poll_cq(struct ibv_cq *queue, int room, struct ibv_wc *wc)
{
    struct fake_cq *cq = (struct fake_cq *)queue;
    int n = 0, error = fake_enter(FAKE_POLL_CQ);
    if (late.bytes)
        sched_yield(); /* the peer may look at the words before the WRITE reaches them */
    carry_out_late();
    for (; !error && n < room && cq->tail != cq->head; n++) {
        unsigned at = cq->tail++ % cq->size;
        wc[n] = cq->ring[at];
        cq->from[at]->used -= cq->ends[at];
    }
    errno = error ? error : errno;
    return error ? -1 : n;
}
