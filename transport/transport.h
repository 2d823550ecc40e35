/* SPDX-License-Identifier: MIT */
/*
 * The transport offers one thing: ordered chains of one-sided operations on the segments of peers.
 *
 * Every worker has one segment, mapped at the same virtual address in all workers. So a caller names a remote object by
 * the address of the same object in its own segment. Operands are aligned to 8 bytes, and their sizes are multiples of
 * 8.
 *
 * What a chain promises
 *   O1  A WRITE is in the peer's memory before any later atomic takes effect. An atomic takes effect before any later
 *       READ samples memory. Other operations in between do not matter. So { WRITE; atomic; READ } is in order.
 *   O2  No other two operations are ordered. So these pairs have no order: two WRITEs; two atomics; two READs; an
 *       atomic and a later WRITE; a WRITE and a later READ without an atomic between them. The 8-byte words of one READ
 *       or WRITE have no order, either.
 *   O3  In particular, an operation posted after a READ may take effect before that READ has sampled memory. Only a
 *       completion orders a READ before another operation: see O7.
 *   O4  An aligned 8-byte word is read and written whole.
 *   O5  Two chains to one peer, posted one after the other, keep the order of O1-O3 as if they were one chain.
 *   O6  FETCH_ADD and CMP_SWAP are atomic only among themselves. No CPU instruction and no WRITE may change a word that
 *       these operations change. A CPU may load such a word at any time. Exception: with cpu_atomics, a worker's CPU
 *       may change such a word of its own segment by atomic instructions.
 *   O7  When a worker has seen the completion of a chain, all data that the chain READ are in local memory. Each
 *       operation that the worker posts to that peer afterwards takes effect after the chain.
 * InfiniBand adapters guarantee exactly O1 to O7 on one reliable connection, even with out-of-order delivery.
 * docs/verbs.md has the sources. transport_shm orders more, but no code may rely on that. Under torture it orders no
 * more than O1 to O7.
 */
#ifndef UAT_TRANSPORT_H
#define UAT_TRANSPORT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum uat_opcode { UAT_OP_READ, UAT_OP_WRITE, UAT_OP_FETCH_ADD, UAT_OP_CMP_SWAP, UAT_OP_KINDS };

/* One operation. Atomics work on 8 bytes and put the word's old value at `local`. */
struct uat_op {
    enum uat_opcode code;
    uint32_t size;    /* bytes; 8 for atomics; a READ or WRITE of 0 bytes does nothing */
    void *local;      /* in this worker's segment: destination of a READ or of an old value, or source of a WRITE */
    void *remote;     /* in the peer's segment, given as the local address of the same object */
    uint64_t operand; /* FETCH_ADD: the addend; CMP_SWAP: the new value */
    uint64_t compare; /* CMP_SWAP: the expected value */
};

enum {
    UAT_CHAIN_MAX = 8,             /* operations in one chain */
    UAT_UNSIGNALED_WRITE_MAX = 64, /* bytes of one WRITE in a fire-and-forget chain */
    UAT_ENDPOINT_MAX = 32768,      /* maximum bytes that a worker publishes for its peers: rkeys, queue pairs, ... */
    UAT_TRANSPORT_SCRATCH = 65536, /* bytes of the segment that belong to the transport */
    UAT_REACH_ROWS = 32            /* maximum number of unreachable workers that one worker reports by name */
};

/* A chain in flight. The caller owns this structure, and must not move or free it until `done` is true. */
struct uat_pending {
    bool done;
};

struct uat_transport_config {
    int rank, size;       /* rank: of this worker; size: number of workers */
    const char *host;     /* this worker's host name, for messages */
    void *segment;        /* this worker's segment, mapped and writable, aligned to a page */
    size_t segment_size;  /* bytes */
    size_t read_only;     /* number of bytes at the segment's start that peers may only READ (the stacks); whole pages,
                           * or 0 */
    size_t closed;        /* number of bytes at the segment's end that peers may not access at all; whole pages, or 0 */
    int segment_fd;       /* the segment's memory object */
    void *scratch;        /* UAT_TRANSPORT_SCRATCH bytes of the segment */
    bool shuffle;         /* torture: execute in any order that O1 allows, with delays */
    uint64_t seed;        /* seed of the random order under `shuffle` */
    int wait_report;      /* seconds until a wait for a peer is reported; 0: never */
    int wait_limit;       /* seconds until a wait for a peer ends the job; 0: never */
    const char *fallback; /* why this transport replaces one that reaches other hosts; NULL: it does not */
};

/* The bytes that a peer published. */
struct uat_endpoint {
    const void *data;
    size_t size;      /* bytes */
    const char *host; /* the peer's host name, for messages */
};

/* The result of a worker's test of its connections: which workers did not answer. */
struct uat_reach {
    char from[64], port[80]; /* from: this worker's host; port: its port */
    int count;               /* workers that did not answer; `row` has the first UAT_REACH_ROWS of them */
    struct uat_reach_row {
        int rank;
        char host[64], why[64];
    } row[UAT_REACH_ROWS];
};

struct uat_transport;
struct uat_bulk_class;

/* A kind of transport. The functions return 0 or a negative errno. They report errors themselves, so callers print
 * nothing. */
struct uat_transport_class {
    const char *name;
    /* Open the device and register the segment. The caller owns *out and must close it. */
    int (*open)(const struct uat_transport_config *config, struct uat_transport **out);
    /* The first round of the exchange, before endpoint(): each worker publishes an attach info to all workers. Copies
     * this worker's attach info to data, at most UAT_ENDPOINT_MAX bytes, and sets *size to its size. NULL: the
     * transport has no first round. */
    int (*attach_info)(struct uat_transport *t, void *data, size_t *size);
    /* Receive all workers' attach infos. infos[i] is rank i's, and valid only during the call. Called if attach_info is
     * not NULL. */
    int (*attach)(struct uat_transport *t, const struct uat_endpoint *infos);
    /* Copy this worker's endpoint to data, at most UAT_ENDPOINT_MAX bytes, and set *size to its size. Peers need the
     * endpoint to connect. */
    int (*endpoint)(struct uat_transport *t, void *data, size_t *size);
    /* Does connect() need the endpoint of this rank? Only for a transport with a first round. NULL: connect() needs
     * every rank's endpoint. */
    bool (*needs)(struct uat_transport *t, int rank);
    /* Connect to all peers, including this worker itself. peers[i] is rank i's endpoint, valid only during the call.
     * Endpoints that connect() does not need may be missing. */
    int (*connect)(struct uat_transport *t, const struct uat_endpoint *peers);
    /* Returns the worker that calls look() for `rank` and for the workers that share connections with `rank`. For rank
     * 0, that is rank 0 itself. Returns -1 if no worker needs to call look(). NULL: no worker needs to call look(). */
    int (*looker)(struct uat_transport *t, int rank);
    /* Test the connections: READ a word from each worker to which this worker is connected. Stores this worker's port
     * and the workers that did not answer in *found, which the caller has zeroed. Called once, when all workers are
     * connected and no operation is in flight. */
    int (*look)(struct uat_transport *t, struct uat_reach *found);
    /* Post a chain of count operations (1..UAT_CHAIN_MAX). p->done becomes true when all of them are complete. p ==
     * NULL: a fire-and-forget chain. Such a chain must not contain a READ. Each of its WRITEs has at most
     * UAT_UNSIGNALED_WRITE_MAX bytes, and post() copies these bytes before it returns. Its atomics may have local ==
     * NULL. */
    int (*post)(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p);
    /* Poll for completions, without waiting. */
    int (*progress)(struct uat_transport *t);
    /* Wait until every chain of this worker is complete, including fire-and-forget chains. Then all data that this
     * worker wrote are in the peers' memory. */
    int (*flush)(struct uat_transport *t);
    void (*close)(struct uat_transport *t);
    /* Add 1 to the peer's word *bell, and wake the peer if it sleeps on the word's low half by FUTEX_WAIT. NULL: this
     * transport cannot wake a peer. */
    void (*ring)(struct uat_transport *t, int peer, uint64_t *bell);
    const struct uat_bulk_class *bulk; /* for global memory (transport/bulk.h); NULL: this transport does not support
                                        * global memory */
};

/* The common head of a transport. */
struct uat_transport {
    const struct uat_transport_class *class_;
    int rank, size;
    bool cpu_atomics; /* CPU atomics and the adapter's atomics on this worker's segment are atomic with respect to each
                       * other (O6) */
    uint64_t ops[UAT_OP_KINDS];      /* operations posted */
    uint64_t requests[UAT_OP_KINDS]; /* operations that an adapter executed; none over shared memory */
    uint64_t doorbells;              /* calls that pass requests to the adapter; each call rings the doorbell once */
    uint64_t bytes_read, bytes_written;
    uint64_t round_trips;  /* waits for completions */
    int lost;              /* rank of the worker that did not answer an operation, if lost_host is set */
    const char *lost_host; /* host of that worker; NULL while all operations are answered */
};

extern const struct uat_transport_class uat_transport_shm;
extern const struct uat_transport_class uat_transport_ibv;
extern const struct uat_transport_class uat_transport_sim;

/* Post a chain; see uat_transport_class.post. Counts the operations. */
int uat_transport_post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p);

/* Wait until all n chains are done. For any n, this takes one round trip. Returns 0 or a negative errno. */
int uat_transport_wait(struct uat_transport *t, struct uat_pending *const *pending, int n);

/* Post a chain and wait for its completion: one round trip. */
int uat_transport_do(struct uat_transport *t, int peer, const struct uat_op *ops, int count);

/* Post a fire-and-forget chain. */
static inline int uat_transport_post_unsignaled(struct uat_transport *t, int peer, const struct uat_op *ops, int count)
{
    return uat_transport_post(t, peer, ops, count, NULL);
}

/* Constructors of operations. With them, chains read like the protocol's text. */
static inline struct uat_op uat_op_read(void *local, const void *remote, size_t size)
{
    assert(size <= UINT32_MAX);
    return (struct uat_op){.code = UAT_OP_READ, .size = (uint32_t)size, .local = local, .remote = (void *)remote};
}
static inline struct uat_op uat_op_write(const void *local, void *remote, size_t size)
{
    assert(size <= UINT32_MAX);
    return (struct uat_op){.code = UAT_OP_WRITE, .size = (uint32_t)size, .local = (void *)local, .remote = remote};
}
static inline struct uat_op uat_op_fetch_add(uint64_t *old, uint64_t *remote, uint64_t addend)
{
    return (struct uat_op){.code = UAT_OP_FETCH_ADD, .size = 8, .local = old, .remote = remote, .operand = addend};
}
static inline struct uat_op uat_op_cmp_swap(uint64_t *old, uint64_t *remote, uint64_t expected, uint64_t desired)
{
    return (struct uat_op){
        .code = UAT_OP_CMP_SWAP, .size = 8, .local = old, .remote = remote, .operand = desired, .compare = expected};
}

#endif
