/* SPDX-License-Identifier: MIT */
/*
 * The transport over reliable connections: what its files share.
 *
 * One protection domain. One memory region over the own segment, for what lands here, and two windows on the segment of
 * each worker of the group (group.h), itself included: peers may READ its stacks, and do all with the words behind
 * them. One completion queue. One RC queue pair to one worker of each group, and one to this worker itself.
 *
 * A chain becomes a list of work requests. All of them carry, as wr_id, the address of the chain's entry in its peer's
 * ring plus their position in the chain. Completions of one queue pair come in the order of posting, so that one
 * completion also ends all chains posted before it.
 */
#ifndef UAT_IBV_IBV_H
#define UAT_IBV_IBV_H

#include <infiniband/verbs.h>

#include "transport/colour.h"
#include "transport/transport.h"
#include "transport_ibv/address.h"
#include "transport_ibv/group.h"
#include "transport_ibv/port.h"

enum {
    UAT_IBV_DEPTH = 32,                      /* work requests in one send queue: four full chains */
    UAT_IBV_DEPTH_MIN = 16,                  /* the least a device must offer: two chains */
    UAT_IBV_CQ_MAX = 512,                    /* entries of the completion queue */
    UAT_IBV_POLL = 16,                       /* completions taken at once */
    UAT_IBV_EVENT_POLLS = 4096,              /* empty polls between two looks for asynchronous events */
    UAT_IBV_EVENT_POLLS_OVERSUBSCRIBED = 64, /* the same where it may sleep between two polls: uat_relax_long() */
    UAT_IBV_SLACK = 4,                       /* InfiniBand lets an adapter take so many times the timeout */
    UAT_IBV_RNR_RETRIES = 7,                 /* for ever; nothing here uses receive buffers */
    UAT_IBV_HOST = 64,
    UAT_IBV_SLOT = UAT_FORGET_WRITE_MAX
};
_Static_assert(UAT_IBV_DEPTH_MIN >= 2 * UAT_CHAIN_MAX, "a chain must fit while another one drains");

/*
 * The transport's part of the segment. Fire-and-forget WRITEs that the device cannot take inline are copied to a slot,
 * which is free again when their chain is complete.
 */
struct uat_ibv_scratch {
    uint64_t nonce; /* by which neighbours know the segment: see uat_card_make() */
    uint64_t sink;  /* where old values nobody wants land; never read */
    char pad[UAT_IBV_SLOT - 2 * sizeof(uint64_t)];
    /* The targets of the peers' quiet(), who take the first word of the line of this worker's colour: atomics only, and
     * they add 0. */
    uint64_t flushed[UAT_COLOURS][UAT_COLOUR_STEP / sizeof(uint64_t)];
    char slots[UAT_TRANSPORT_SCRATCH / UAT_IBV_SLOT - 1 - UAT_COLOURS][UAT_IBV_SLOT];
};
_Static_assert((int)UAT_COLOUR_STEP == (int)UAT_IBV_SLOT, "a line for each colour is as large as a slot");
_Static_assert(sizeof(struct uat_ibv_scratch) <= UAT_TRANSPORT_SCRATCH, "the scratch must fit into its room");
enum { UAT_IBV_SLOTS = UAT_TRANSPORT_SCRATCH / UAT_IBV_SLOT - 1 - UAT_COLOURS };

/* A chain posted and not known to be complete. Aligned so that wr_id has room for a position below the address. */
struct uat_ibv_chain {
    struct uat_pending *pending; /* NULL: fire and forget */
    int peer;
    uint8_t count; /* work requests */
    uint8_t slot_count;
    bool signalled;              /* its end gives a completion */
    uint8_t code[UAT_CHAIN_MAX]; /* enum uat_opcode of each request, for reports */
    uint16_t slot[UAT_CHAIN_MAX];
    void *remote[UAT_CHAIN_MAX];
} __attribute__((aligned(64)));
_Static_assert(UAT_CHAIN_MAX <= 64, "the position must fit into the alignment");

/* A queue pair and what is under way on it. */
struct uat_ibv_connection {
    struct ibv_qp *qp;
    struct uat_ibv_chain *chains; /* ring of `depth` */
    int rank;                     /* the worker at its other end */
    int colour;                   /* of that worker, among those that may share its adapter: transport/colour.h */
    unsigned head, tail;          /* chains posted, chains complete; modulo depth the place in the ring */
    unsigned atomic_end;          /* head behind the last chain that has an atomic */
    unsigned used;                /* work requests posted and not known to be complete */
    unsigned unsignalled;         /* of them, those posted after the last signalled one */
    bool fence;                   /* its device has PCIe atomics */
    bool atomic_open;             /* an atomic was posted and nothing that waited for it since */
    bool written;                 /* a WRITE or an atomic was posted since the last quiet() */
    char host[UAT_IBV_HOST];
};

/* The parts of a segment that peers reach, each with a key of its own. What lies behind them they do not reach. */
enum uat_ibv_window { UAT_IBV_STACKS /* to READ only */, UAT_IBV_WORDS, UAT_IBV_WINDOWS };

/* A worker of the job: how its segment is reached. */
struct uat_ibv_peer {
    uint32_t rkey[UAT_IBV_WINDOWS];
    uint32_t connection; /* its place in uat_ibv.connections */
    char *map;           /* its segment as mapped here; NULL: this worker's adapter READs and WRITEs it */
};

/* A neighbour's segment, at the own registration with the addresses that it has there. */
struct uat_ibv_neighbour {
    int rank;
    char *map;
    struct ibv_mr *mr[UAT_IBV_WINDOWS]; /* NULL: the window is empty */
};

struct uat_ibv_rdmacm;

struct uat_ibv {
    struct uat_transport base;
    struct uat_network network; /* the settings */
    void *segment;
    size_t segment_size;
    size_t read_only, closed; /* of it: see struct uat_transport_config */
    char host[UAT_IBV_HOST];
    struct uat_ibv_address addresses[UAT_IBV_ADDRESSES_MAX]; /* that it could take, best first */
    int address_count;
    struct uat_ibv_port port; /* the port in use */
    int gid_index;
    struct ibv_gid_entry gid;
    uint16_t pkey, pkey_index;
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_cq *cq;
    struct uat_ibv_peer *peers;             /* one per rank */
    struct uat_ibv_connection *connections; /* by rising rank of the worker at the other end */
    int connection_count;
    struct uat_ibv_neighbour *neighbours; /* all workers of the own group, this one included, by rising rank */
    int neighbour_count;
    struct uat_ibv_groups groups; /* until the connections are made */
    struct uat_card card;         /* by which neighbours find the segment; all zero if alone */
    bool alone;                   /* a group of its own */
    uint32_t psn;                 /* of the first packet that this worker sends on each connection */
    struct uat_ibv_rdmacm *cm;    /* UAT_CONNECT=rdmacm only */
    uint16_t cm_port;             /* where it listens, in network byte order; 0: it does not */
    struct uat_ibv_scratch *scratch;
    unsigned depth;      /* of a send queue */
    uint64_t locked;     /* bytes that count as locked memory: segments and queues */
    unsigned inline_max; /* bytes a WRITE may carry in its request */
    bool plain_queues;   /* the device does not know send_ops_flags */
    unsigned signalled;  /* completions to come, at most the entries of the queue */
    unsigned cq_entries;
    unsigned idle_polls;
    uint16_t free_slots[UAT_IBV_SLOTS];
    unsigned free_count;
    int error; /* the first failure; every call returns it from then on */
};

/* device.c: find this worker's addresses; open the port of the best one, or of another one, and register the segment;
 * uat_ibv_device_close undoes it, also when half done. */
int uat_ibv_device_open(struct uat_ibv *ibv);
int uat_ibv_device_open_at(struct uat_ibv *ibv, const struct uat_ibv_address *address);
void uat_ibv_device_close(struct uat_ibv *ibv);

/* network.c: go over to the best address in the network of rank 0, which shows its own in its card. */
int uat_ibv_network_join(struct uat_ibv *ibv, const struct uat_endpoint *cards);

/* limits.c: refuse a segment, or a number of connections, that the device cannot hold. They set ibv->depth and
 * ibv->cq_entries. */
int uat_ibv_limits_check_segment(struct uat_ibv *ibv);
int uat_ibv_limits_check_connections(struct uat_ibv *ibv);

/* neighbour.c: the class's card() and attach(): find, map and register the segments of the own group, and create the
 * queue pairs. uat_ibv_neighbours_close undoes it, also when half done. */
int uat_ibv_card(struct uat_transport *t, void *data, size_t *size);
int uat_ibv_attach(struct uat_transport *t, const struct uat_endpoint *cards);
void uat_ibv_neighbours_close(struct uat_ibv *ibv);

/* neighbour.c: do a chain by loads and stores of this CPU, if it is one for a neighbour that needs no adapter. False:
 * the adapter must do it. */
bool uat_ibv_neighbour_do(struct uat_ibv *ibv, int rank, const struct uat_op *ops, int count);

/* queues.c: completion queue and queue pairs. */
int uat_ibv_queues_create(struct uat_ibv *ibv);
void uat_ibv_queues_destroy(struct uat_ibv *ibv);

/* What a queue pair stands on: where its completions go, and how many requests its send queue holds. */
struct uat_ibv_queue {
    struct ibv_cq *cq;
    unsigned depth;
};

/* Create c->qp; may lower ibv->inline_max. NULL with errno. The caller destroys it. */
struct ibv_qp *uat_ibv_pair_create(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_queue *q);

/*
 * connection.c: bring c->qp to RTS, to queue pair qpn of the worker that published e. 0 or a negative errno, reported.
 */
struct uat_ibv_endpoint;
int uat_ibv_pair_connect(struct uat_ibv *ibv, struct uat_ibv_connection *c, const struct uat_ibv_endpoint *e,
                         uint32_t qpn);

/* connection.c and rdmacm.c: bring the queue pairs to RTS. */
int uat_ibv_connect(struct uat_transport *t, const struct uat_endpoint *peers);

/* posting.c */
int uat_ibv_post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p);

/* completion.c */
int uat_ibv_progress(struct uat_transport *t);

/* quiet.c */
int uat_ibv_quiet(struct uat_transport *t);

/* errors.c: report the completion that ends the job. Returns its errno, negative. */
int uat_ibv_report_completion(struct uat_ibv *ibv, const struct ibv_wc *wc);

/* errors.c: of what such reports consist: the operation's name, what to look at, the errno, negative. */
extern const char *const uat_ibv_names[UAT_OP_KINDS] __attribute__((visibility("hidden")));
const char *uat_ibv_status_advice(enum ibv_wc_status status);
int uat_ibv_status_errno(enum ibv_wc_status status);

/* events.c: acknowledge and judge what the device has to say. 0 or the negative errno that ends the job. */
int uat_ibv_events_poll(struct uat_ibv *ibv);
/* The same once in many polls that found no completion: it is a system call. */
int uat_ibv_events_poll_seldom(struct uat_ibv *ibv);

static inline struct uat_ibv *uat_ibv_of(struct uat_transport *t)
{
    return (struct uat_ibv *)t; /* base is the first member */
}

/* Seconds until an operation that is not answered fails; the adapter may take UAT_IBV_SLACK times as long. */
static inline double uat_ibv_retry_bound(const struct uat_network *network)
{
    return 4.096e-6 * (double)(1u << network->timeout) * (network->retries + 1);
}

/* The key of a word of this worker. */
static inline uint32_t uat_ibv_key(const struct uat_ibv *ibv, int rank, const void *remote)
{
    bool stacks = (uintptr_t)remote < (uintptr_t)ibv->segment + ibv->read_only;
    return ibv->peers[rank].rkey[stacks ? UAT_IBV_STACKS : UAT_IBV_WORDS];
}

/* The connection through which a worker's segment is reached. */
static inline struct uat_ibv_connection *uat_ibv_way(const struct uat_ibv *ibv, int rank)
{
    return &ibv->connections[ibv->peers[rank].connection];
}

/* The connection whose other end is this worker, or NULL. */
struct uat_ibv_connection *uat_ibv_connection_to(const struct uat_ibv *ibv, int rank);

#endif
