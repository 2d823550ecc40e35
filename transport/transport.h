/* SPDX-License-Identifier: MIT */
/*
 * The transport: ordered chains of one-sided operations on the segments of peers. Nothing else.
 *
 * Every worker has one segment, mapped at one virtual address that is the same in all workers, so a remote address
 * is written as the local address of the same object. All operands are aligned to 8 bytes and sized in multiples of 8.
 *
 * What a chain promises
 *   O1  A WRITE is in the peer's memory before a later atomic takes effect, whatever stands between them. An atomic
 *       takes effect before a later READ samples memory. So { WRITE; atomic; READ } is in order.
 *   O2  No other two operations are ordered: not two WRITEs, not two atomics, not an atomic and a later WRITE, not a
 *       WRITE and a later READ without an atomic between them, not two READs. The 8-byte words of one READ or WRITE are
 *       not ordered, either.
 *   O3  In particular, an operation after a READ may take effect before that READ has sampled memory. Only a completion
 *       orders a READ before something else: see O7.
 *   O4  An aligned 8-byte word is read and written whole.
 *   O5  Two chains to one peer, posted one after the other, keep the order of O1-O3 as if they were one chain.
 *   O6  FETCH_ADD and CMP_SWAP are atomic only among themselves. No CPU instruction and no WRITE changes a word that
 *       they change; a CPU may load it at any time. There is one exception: with cpu_atomics, a CPU's atomic
 *       instructions may change such a word in its own segment.
 *   O7  Once the completion of a chain has been seen, all that the chain read is in local memory, and whatever is
 *       posted to that peer from then on takes effect after the chain.
 * InfiniBand adapters guarantee exactly this on one reliable connection, even with out-of-order delivery; docs/verbs.md
 * has the sources. transport_shm gives more order, but no code may rely on that: under torture it does not.
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
    uint32_t size;    /* bytes; 8 for atomics; 0 is allowed for READ and WRITE and does nothing */
    void *local;      /* in this worker's segment: where a READ or an old value lands, or the source of a WRITE */
    void *remote;     /* in the peer's segment, as the local address of the same object */
    uint64_t operand; /* FETCH_ADD: what to add; CMP_SWAP: the new value */
    uint64_t compare; /* CMP_SWAP: the expected value */
};

enum {
    UAT_CHAIN_MAX = 8,             /* operations in one chain */
    UAT_UNSIGNALED_WRITE_MAX = 64, /* bytes of one WRITE in a fire-and-forget chain */
    UAT_ENDPOINT_MAX = 32768,      /* bytes of what a transport publishes: rkeys, queue pairs, ... */
    UAT_TRANSPORT_SCRATCH = 65536, /* bytes of the segment that belong to the transport */
    UAT_REACH_ROWS = 32            /* pairs of hosts that one worker reports */
};

/* A chain in flight. The caller owns it and keeps it in place until done is true. */
struct uat_pending {
    bool done;
};

struct uat_transport_config {
    int rank, size;       /* this worker's rank; number of workers */
    const char *host;     /* this worker's host name, for messages */
    void *segment;        /* this worker's segment, mapped and writable, aligned to a page */
    size_t segment_size;  /* bytes */
    size_t read_only;     /* first bytes of the segment, which peers only READ (the stacks); whole pages, or 0 */
    size_t closed;        /* last bytes of the segment, which peers do not touch at all; whole pages, or 0 */
    int segment_fd;       /* the segment's memory object */
    void *scratch;        /* UAT_TRANSPORT_SCRATCH bytes of the segment */
    bool shuffle;         /* torture: execute in any order that O1 allows, with delays */
    uint64_t seed;        /* seed of the random order under `shuffle` */
    int wait_report;      /* seconds until a wait for a peer is reported; 0: never */
    int wait_limit;       /* seconds until a wait for a peer ends the job; 0: never */
    const char *fallback; /* why this transport was taken in place of one that reaches other hosts; NULL: it was not */
};

/* The bytes that a peer published. */
struct uat_endpoint {
    const void *data;
    size_t size;      /* bytes */
    const char *host; /* the peer's host name, for messages */
};

/* The workers that did not answer when this worker looked whether it reaches them. */
struct uat_reach {
    char from[64], port[80]; /* this worker's host and port */
    int count;               /* workers that did not answer; the first UAT_REACH_ROWS of them are in `row` */
    struct uat_reach_row {
        int rank;
        char host[64], why[64];
    } row[UAT_REACH_ROWS];
};

struct uat_transport;
struct uat_bulk_class;

/* One way to reach the peers. Functions return 0 or a negative errno. They report an error themselves, so the
 * caller prints nothing. */
struct uat_transport_class {
    const char *name;
    /* Open the device and register the segment. *out is owned by the caller, who closes it. */
    int (*open)(const struct uat_transport_config *config, struct uat_transport **out);
    /* An optional first round before endpoint(), in which each worker shows something to all workers. NULL: there is
     * none. Copy this worker's part to data, at most UAT_ENDPOINT_MAX bytes, and its size to *size. */
    int (*attach_info)(struct uat_transport *t, void *data, size_t *size);
    /* Take what all workers showed. infos[i] is rank i's, valid during the call. Called if attach_info is not NULL. */
    int (*attach)(struct uat_transport *t, const struct uat_endpoint *infos);
    /* Copy to data what the peers must know, at most UAT_ENDPOINT_MAX bytes, and its size to *size. */
    int (*endpoint)(struct uat_transport *t, void *data, size_t *size);
    /* Does connect() need what this rank publishes? Only for a transport with a first round. NULL: connect() needs it
     * from every rank. */
    bool (*needs)(struct uat_transport *t, int rank);
    /* Connect to all peers, including this worker itself. peers[i] is what rank i published, at least if connect()
     * needs it. It is valid during the call. */
    int (*connect)(struct uat_transport *t, const struct uat_endpoint *peers);
    /* On each host one worker calls look(), for all workers of the host; on rank 0's host that is rank 0. Returns the
     * rank of that worker on the host of `rank`, or -1 if no host needs a look. If looker is NULL, none does. */
    int (*looker)(struct uat_transport *t, int rank);
    /* READ something from each worker to which this one is connected. found, all zero before, gets this worker's port
     * and the workers that did not answer. Called once, when all workers are connected and nothing is posted. */
    int (*look)(struct uat_transport *t, struct uat_reach *found);
    /* Post a chain of count operations (1..UAT_CHAIN_MAX). p becomes done when all of them are complete. p == NULL:
     * fire and forget. Then a WRITE has at most UAT_UNSIGNALED_WRITE_MAX bytes, which are copied before the call
     * returns. Atomics may have local == NULL. READs are not allowed. */
    int (*post)(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p);
    /* Look for completions, without waiting. */
    int (*progress)(struct uat_transport *t);
    /* Wait until every chain of this worker, including fire-and-forget ones, is complete and all that it wrote is in
     * the peers' memory. */
    int (*flush)(struct uat_transport *t);
    void (*close)(struct uat_transport *t);
    const struct uat_bulk_class *bulk; /* for global memory (transport/bulk.h); NULL: it has none */
};

/* The common head of a transport. */
struct uat_transport {
    const struct uat_transport_class *class_;
    int rank, size;
    bool cpu_atomics; /* CPU atomics and the adapter's are atomic among each other in this worker's segment (O6) */
    uint64_t ops[UAT_OP_KINDS];      /* operations posted */
    uint64_t requests[UAT_OP_KINDS]; /* operations that an adapter carried out; none over shared memory */
    uint64_t doorbells;              /* calls that hand requests to the adapter; each rings its doorbell once */
    uint64_t bytes_read, bytes_written;
    uint64_t round_trips;  /* waits for completions */
    int lost;              /* rank of the worker whose connection did not answer an operation, if lost_host is set */
    const char *lost_host; /* that worker's host; NULL while all operations are answered */
};

extern const struct uat_transport_class uat_transport_shm;
extern const struct uat_transport_class uat_transport_ibv;
extern const struct uat_transport_class uat_transport_sim;

/* Post a chain; see uat_transport_class.post. Counts the operations. */
int uat_transport_post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p);

/* Wait until all n chains are done: one round trip for any n. 0 or a negative errno. */
int uat_transport_wait(struct uat_transport *t, struct uat_pending *const *pending, int n);

/* Post a chain and wait for it: one round trip. */
int uat_transport_do(struct uat_transport *t, int peer, const struct uat_op *ops, int count);

/* Post a fire-and-forget chain. */
static inline int uat_transport_post_unsignaled(struct uat_transport *t, int peer, const struct uat_op *ops, int count)
{
    return uat_transport_post(t, peer, ops, count, NULL);
}

/* Constructors of operations, so that chains read like the protocol's text. */
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
