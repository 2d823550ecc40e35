/* SPDX-License-Identifier: MIT */
/*
 * The transport over reliable connections: the declarations that its files share.
 *
 * A worker has
 * - one protection domain;
 * - one memory region over its own segment, for the local side of its operations;
 * - two memory regions over the pool (pool.c). The pool contains the segments of the worker's group (group.h), the
 *   worker's own included. The first region has the stacks; peers may only READ it. The second region has the words
 *   after the stacks; peers may do all operations on it;
 * - one completion queue;
 * - at least one RC queue pair to each other group, and one to itself.
 *
 * A chain becomes a list of work requests. The wr_id of a request is the sum of two numbers: the address of the chain's
 * entry in the connection's ring, and the request's position in the chain. Completions of one queue pair arrive in
 * posting order, so a completion also ends all chains posted before its own.
 */
#ifndef UAT_IBV_IBV_H
#define UAT_IBV_IBV_H

#include <infiniband/verbs.h>

#include "base/secret.h"
#include "transport/colour.h"
#include "transport/transport.h"
#include "transport_ibv/address.h"
#include "transport_ibv/group.h"
#include "transport_ibv/port.h"

enum {
    UAT_IBV_DEPTH = 32,                      /* work requests in one send queue: four full chains */
    UAT_IBV_DEPTH_MIN = 16,                  /* the minimum that a device must offer: two chains */
    UAT_IBV_CQ_MAX = 512,                    /* entries of the completion queue */
    UAT_IBV_POLL = 16,                       /* completions taken in one poll */
    UAT_IBV_EVENT_POLLS = 4096,              /* empty polls between two checks for asynchronous events */
    UAT_IBV_EVENT_POLLS_OVERSUBSCRIBED = 64, /* the same, if a worker may sleep between two polls (uat_relax_long()) */
    UAT_IBV_SLACK = 4,                       /* InfiniBand lets an adapter wait up to this many times the timeout */
    UAT_IBV_RNR_RETRIES = 7,                 /* 7 means forever; uat uses no receive buffers */
    UAT_IBV_HOST = 64,
    UAT_IBV_NUMBER_MAX = 0xffffff, /* highest number of a queue pair or packet: 24 bits */
    UAT_IBV_SLOT = UAT_UNSIGNALED_WRITE_MAX
};
_Static_assert(UAT_IBV_DEPTH_MIN >= 2 * UAT_CHAIN_MAX, "a chain must fit while another one drains");

/* The two parts of a segment that peers can access. Each part has its own key. The rest of the segment follows these
 * parts; peers cannot access it. */
enum uat_ibv_window { UAT_IBV_STACKS /* peers may only READ */, UAT_IBV_WORDS, UAT_IBV_WINDOWS };

/* The device and protection domain that a group's first worker offers to the others: see share.c. Only CPUs access
 * it. */
struct uat_ibv_offer {
    uint32_t state;                /* enum uat_ibv_offer_state; if it is UAT_IBV_OFFER_SHARED, the other fields are
                                    * valid */
    int32_t fd;                    /* the first worker's descriptor of the open device */
    uint32_t pd;                   /* the kernel's number of the first worker's protection domain */
    uint32_t key[UAT_IBV_WINDOWS]; /* keys of the pool's rows */
};
enum uat_ibv_offer_state { UAT_IBV_OFFER_LATER, UAT_IBV_OFFER_NONE, UAT_IBV_OFFER_SHARED };

/*
 * The transport's part of the segment. If the device cannot take the payload of a fire-and-forget WRITE inline, the
 * payload is copied to a slot. The slot is free again when the chain is complete.
 */
struct uat_ibv_scratch {
    uint64_t nonce; /* identifies the segment to neighbours: see uat_attach_info_make() */
    uint64_t sink;  /* destination of unwanted old values; never read */
    struct uat_ibv_offer offer;
    char pad[UAT_IBV_SLOT - 2 * sizeof(uint64_t) - sizeof(struct uat_ibv_offer)];
    /* The targets of the peers' flush(). A peer adds 0 to the first word of the line that belongs to this worker's
     * colour. Only atomics access these words. */
    uint64_t flushed[UAT_COLOURS][UAT_COLOUR_STEP / sizeof(uint64_t)];
    char slots[UAT_TRANSPORT_SCRATCH / UAT_IBV_SLOT - 1 - UAT_COLOURS][UAT_IBV_SLOT];
};
_Static_assert((int)UAT_COLOUR_STEP == (int)UAT_IBV_SLOT, "a line for each colour is as large as a slot");
_Static_assert(sizeof(struct uat_ibv_scratch) <= UAT_TRANSPORT_SCRATCH, "the scratch must fit into its room");
enum { UAT_IBV_SLOTS = UAT_TRANSPORT_SCRATCH / UAT_IBV_SLOT - 1 - UAT_COLOURS };

/* A chain that was posted and is not known to be complete. Its alignment leaves the low bits of its address to wr_id:
 * these bits hold a request's position in the chain. */
struct uat_ibv_chain {
    struct uat_pending *pending; /* NULL: fire and forget */
    int peer;
    uint8_t count; /* work requests */
    uint8_t slot_count;
    bool signalled;              /* the chain's last request is signalled */
    uint8_t code[UAT_CHAIN_MAX]; /* enum uat_opcode of each request, for reports */
    uint16_t slot[UAT_CHAIN_MAX];
    void *remote[UAT_CHAIN_MAX];
} __attribute__((aligned(64)));
_Static_assert(UAT_CHAIN_MAX <= 64, "the position must fit into the alignment");

/* A queue pair and the chains in flight on it. */
struct uat_ibv_connection {
    struct ibv_qp *qp;
    struct uat_ibv_chain *chains;   /* ring of `depth` chains */
    int rank;                       /* the worker at the other end */
    uint32_t psn;                   /* number of the first packet that this worker sends; 24 bits */
    int colour;                     /* colour of that worker among the workers that may share its adapter: colour.h */
    uint32_t rkey[UAT_IBV_WINDOWS]; /* keys of the pool of that worker's group */
    unsigned head, tail;            /* head: chains posted; tail: chains complete; modulo `depth`, they are places in
                                     * the ring */
    unsigned atomic_end;            /* value of head after the last chain with an atomic */
    unsigned used;                  /* work requests posted and not known to be complete */
    unsigned unsignalled;           /* number of these requests that were posted after the last signalled one */
    bool fence;                     /* the peer's device has PCIe atomics */
    bool atomic_open;               /* an atomic may be in flight, and no fenced request has followed it */
    bool written;                   /* a WRITE or an atomic was posted since the last flush() */
    uint64_t nonce;                 /* the nonce of that worker's segment, as announced */
    char host[UAT_IBV_HOST];
};

/* How this worker reaches the segment of one worker of the job. */
struct uat_ibv_peer {
    uint32_t connection; /* index in uat_ibv.connections of the connection that reaches the worker */
    uint32_t place : 31; /* position of the segment in the pool of its group */
    uint32_t by_cpu : 1; /* 1: a neighbour, whose segment this worker's CPU READs and WRITEs */
};

/*
 * The segments of the group as this worker maps them. The stacks of all segments lie in one row, and the words of all
 * segments lie in another row. Both rows are ordered by rank. Each row is one memory region. Every segment has its
 * stacks at the same address, and its words at the same address. The region is registered with this address. So the
 * remote address of an object is its address in its own worker plus place x part, whichever worker registered the
 * region.
 */
struct uat_ibv_pool {
    char *map;                          /* address space of the rows; NULL: the group has only this worker */
    size_t size;                        /* bytes of this address space */
    char *row[UAT_IBV_WINDOWS];         /* start of each row */
    size_t part[UAT_IBV_WINDOWS];       /* bytes of one segment in a row */
    struct ibv_mr *mr[UAT_IBV_WINDOWS]; /* NULL: the row is empty, or another worker registered it */
    uint32_t key[UAT_IBV_WINDOWS];      /* key by which peers access a row; 0: the row is empty */
    bool shared;                        /* this worker uses domain and regions of the group's first worker: share.h */
};

struct uat_ibv_rdmacm;

struct uat_ibv {
    struct uat_transport base;
    struct uat_ibv_settings settings;
    int wait_report, wait_limit; /* seconds: see struct uat_transport_config */
    void *segment;
    size_t segment_size;
    size_t read_only, closed; /* parts of the segment: see struct uat_transport_config */
    char host[UAT_IBV_HOST];
    struct uat_ibv_address addresses[UAT_IBV_ADDRESSES_MAX]; /* the addresses that this worker may take, best first */
    int address_count;
    struct uat_ibv_port port; /* the port in use */
    int gid_index;
    struct ibv_gid_entry gid;
    uint16_t pkey, pkey_index;
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_td *thread;   /* tells the driver that one thread uses the queues; NULL: there is no thread domain */
    struct ibv_pd *queue_pd; /* the domain of the queue pairs: `pd`, or a parent domain of `pd` and `thread` */
    struct ibv_mr *mr;
    struct ibv_cq *cq;
    struct uat_ibv_peer *peers;             /* one per rank */
    struct uat_ibv_connection *connections; /* ordered by the rank of the worker at the other end */
    int connection_count;
    int64_t group_connections; /* connections of all workers of this host that use this adapter */
    int *neighbours;           /* the ranks of this worker's group in ascending order, its own included */
    int neighbour_count;
    struct uat_ibv_pool pool; /* the segments of this worker's group */
    struct uat_ibv_groups groups;
    int sharing;                 /* workers of this host that use this worker's adapter, itself included */
    struct uat_attach_info info; /* by this, neighbours find the segment; all zero if `alone` */
    bool alone;                  /* this worker is a group of its own */
    struct uat_secret token;     /* the job's token; rank 0 draws it and publishes it in its attach info */
    struct uat_ibv_rdmacm *cm;   /* UAT_CONNECT=rdmacm only */
    uint16_t cm_port;            /* the port where this worker listens, in network byte order; 0: none */
    struct uat_ibv_scratch *scratch;
    unsigned depth;      /* requests in a send queue */
    uint64_t locked;     /* bytes of locked memory: segments and queues */
    unsigned inline_max; /* maximum bytes of a WRITE in its request */
    bool plain_queues;   /* the device does not support send_ops_flags */
    bool settled;        /* inline_max and plain_queues are final */
    bool said;           /* an error of a connection was reported */
    unsigned signalled;  /* completions that have yet to arrive, at most cq_entries */
    unsigned cq_entries;
    unsigned idle_polls;
    uint16_t free_slots[UAT_IBV_SLOTS];
    unsigned free_count;
    int error; /* the first failure; every later call returns it */
};

/* device.c: uat_ibv_device_open() finds this worker's addresses and takes the best one; uat_ibv_device_open_at() takes
 * the given one. Both open the address's port. uat_ibv_device_close() undoes either call, even if it failed halfway. */
int uat_ibv_device_open(struct uat_ibv *ibv);
int uat_ibv_device_open_at(struct uat_ibv *ibv, const struct uat_ibv_address *address);
void uat_ibv_device_close(struct uat_ibv *ibv);

/* domain.c: make the protection domain and the thread domain, and register the segment. If ibv->pd is already another
 * worker's protection domain, use that one. uat_ibv_domains_close() undoes this call, even if it failed halfway. */
int uat_ibv_domains_open(struct uat_ibv *ibv);
void uat_ibv_domains_close(struct uat_ibv *ibv);

/* network.c: switch to this worker's best address in rank 0's network. Rank 0's attach info names that network. */
int uat_ibv_network_join(struct uat_ibv *ibv, const struct uat_endpoint *infos);

/* limits.c: refuse a segment or a number of connections that exceeds a limit of the device. The first function sets
 * ibv->depth. The second one sets ibv->cq_entries and ibv->locked. */
int uat_ibv_limits_check_segment(struct uat_ibv *ibv);
int uat_ibv_limits_check_connections(struct uat_ibv *ibv);

/* pool.c: open the domains, map the segments of this worker's group, and register them. infos[i] is rank i's attach
 * info. Returns 0, or a negative errno after reporting the error. uat_ibv_pool_close() undoes mapping and registration
 * of the pool, even after a failure halfway. */
int uat_ibv_pool_open(struct uat_ibv *ibv, const struct uat_endpoint *infos);
void uat_ibv_pool_close(struct uat_ibv *ibv);

/* neighbour.c: the class's attach_info() and attach(). attach() lists this worker's group, opens the group's pool, and
 * creates the queue pairs. uat_ibv_neighbours_close() undoes all of this except the queue pairs, even if attach()
 * failed halfway. */
int uat_ibv_attach_info(struct uat_transport *t, void *data, size_t *size);
int uat_ibv_attach(struct uat_transport *t, const struct uat_endpoint *infos);
void uat_ibv_neighbours_close(struct uat_ibv *ibv);

/* neighbour.c: if the chain goes to a neighbour and does not need the adapter, execute it by this CPU's loads and
 * stores. Returns false if the adapter must execute the chain. */
bool uat_ibv_neighbour_do(struct uat_ibv *ibv, int rank, const struct uat_op *ops, int count);

/* queues.c: completion queue and queue pairs. */
int uat_ibv_queues_create(struct uat_ibv *ibv);
void uat_ibv_queues_destroy(struct uat_ibv *ibv);

/* The parameters of a queue pair: its completion queue, and the number of requests that its send queue holds. */
struct uat_ibv_queue {
    struct ibv_cq *cq;
    unsigned depth;
};

/* The operations that a peer may do through a queue pair to this worker. The memory keys determine on which memory the
 * peer may do these operations. */
enum { UAT_IBV_SERVES = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC };

/* Create c->qp and draw c->psn. The caller must destroy c->qp. Before ibv->settled, may lower ibv->inline_max. Later,
 * several threads may call it. On failure returns NULL and sets errno. */
struct ibv_qp *uat_ibv_pair_create(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_queue *q);

/* One end of a connection, as its worker publishes it. */
struct uat_ibv_end {
    uint32_t qpn; /* number of the queue pair; 0: there is no queue pair */
    uint32_t psn; /* number of the first packet that this end sends; random for each connection */
};

/*
 * connection.c: connect c->qp to the queue pair `end` of the worker that published e, and bring c->qp to RTS. access:
 * the operations that the peer may do on this worker's memory through the connection, as IBV_ACCESS_REMOTE_*. Several
 * threads may call it. Returns 0, or a negative errno after the first error was reported.
 */
struct uat_ibv_endpoint;
int uat_ibv_pair_connect(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_endpoint *e,
                         struct uat_ibv_end end, unsigned access);

/* connection.c: may this thread report the error of a connection? Only the first one that asks may. */
bool uat_ibv_says_first(struct uat_ibv *ibv);

/* connection.c and rdmacm.c: bring the queue pairs to RTS. */
int uat_ibv_connect(struct uat_transport *t, const struct uat_endpoint *peers);

/* litmus.c: test whether the adapter keeps the order of a chain, over the connection to this worker itself. Returns 0,
 * or a negative errno after reporting the error. */
int uat_ibv_litmus(struct uat_ibv *ibv);

/* reach.c: the class's looker() and look() */
int uat_ibv_looker(struct uat_transport *t, int rank);
int uat_ibv_look(struct uat_transport *t, struct uat_reach *found);

/* posting.c */
int uat_ibv_post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p);

/* completion.c */
int uat_ibv_progress(struct uat_transport *t);

/* flush.c */
int uat_ibv_flush(struct uat_transport *t);

/* errors.c: report a failed completion. The failure ends the job. way: the connection of the failed operation. what:
 * the operation, as the subject of the message. Returns a negative errno. Uses only the valid fields of a failed
 * completion: status, vendor_err, qp_num and wr_id. */
int uat_ibv_report_completion(struct uat_ibv *ibv, const struct uat_ibv_connection *way, const struct ibv_wc *wc,
                              const char *what);

extern const char *const uat_ibv_names[UAT_OP_KINDS] __attribute__((visibility("hidden")));

/* events.c: from now on, reads of asynchronous events do not block. Returns 0, or a negative errno after reporting the
 * error. */
int uat_ibv_events_open(const struct ibv_context *context, const char *device);

/* events.c: handle and acknowledge the device's asynchronous events. Returns 0, or the negative errno that ends the
 * job. */
int uat_ibv_events_poll(struct uat_ibv *ibv);
/* Count a poll that found no completion. After many such polls, call uat_ibv_events_poll(), which makes a system
 * call. */
int uat_ibv_events_poll_seldom(struct uat_ibv *ibv);

static inline struct uat_ibv *uat_ibv_of(struct uat_transport *t)
{
    return (struct uat_ibv *)t; /* base is the first member */
}

/* Seconds until an unanswered operation fails. An adapter may take up to UAT_IBV_SLACK times as long. */
static inline double uat_ibv_retry_bound(const struct uat_ibv_settings *settings)
{
    return 4.096e-6 * (double)(1u << settings->timeout) * (settings->retries + 1);
}

/* The window that contains an address of the segment. */
static inline enum uat_ibv_window uat_ibv_window_of(const struct uat_ibv *ibv, const void *address)
{
    return (uintptr_t)address < (uintptr_t)ibv->segment + ibv->read_only ? UAT_IBV_STACKS : UAT_IBV_WORDS;
}

/* The connection that reaches a worker's segment. */
static inline struct uat_ibv_connection *uat_ibv_way(const struct uat_ibv *ibv, int rank)
{
    return &ibv->connections[ibv->peers[rank].connection];
}

/* The connection whose other end is worker `rank`, or NULL. */
struct uat_ibv_connection *uat_ibv_connection_to(const struct uat_ibv *ibv, int rank);

#endif
