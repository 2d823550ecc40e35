/* SPDX-License-Identifier: MIT */
/*
 * Bulk data over verbs: the declarations that its files share.
 *
 * The leader of a host registers the host's global memory once, with the leader's adapter. So all atomics on a word go
 * through one adapter, and each byte is locked only once. Each worker has a queue pair to the leader of each host, its
 * own host included. Steals use other queue pairs, so a steal never waits for bulk data. Two leaders use one queue pair
 * for both directions. A leader posts nothing on its queue pairs to workers that are not leaders. All operations of a
 * worker on a given byte use one queue pair. This guarantees B1, B2 and B4.
 *
 * A host whose workers use several adapters counts as one host for each adapter. Each of these hosts has its own part
 * of the bytes. So the adapters share the traffic, and all of the above holds. The coherence of global memory needs no
 * order between adapters: a release flushes each queue pair with WRITEs, and waits until these flushes are complete.
 */
#ifndef UAT_IBV_BULK_H
#define UAT_IBV_BULK_H

#include "transport/bulk.h"
#include "transport_ibv/ibv.h"

enum {
    UAT_IBV_BULK_DEPTH = 128,        /* work requests in one send queue */
    UAT_IBV_BULK_CQ_MAX = 4096,      /* maximum entries of the completion queue */
    UAT_IBV_BULK_PIECE = 1 << 20,    /* maximum bytes of one work request: after a lost packet, at most this is
                                      * repeated */
    UAT_IBV_BULK_REQUEST_BYTES = 128 /* bytes of one entry of a send queue, as the driver allocates it */
};

/* An operation in flight, for reports. */
struct uat_ibv_bulk_request {
    enum uat_opcode code;
    size_t bytes;
    uint64_t remote;
};

struct uat_ibv_bulk_link {
    struct uat_ibv_connection *pair;   /* the queue pair; its other end is at the host's leader */
    struct uat_ibv_bulk_request *ring; /* operation n is in entry n modulo depth */
    unsigned used;                     /* work requests in flight */
};

/* A region of memory that peers can access. */
struct uat_ibv_bulk_region {
    struct ibv_mr *mr;
    struct uat_ibv_bulk_region *next;
};

struct uat_ibv_bulk {
    struct uat_bulk head;
    struct uat_ibv *ibv;
    struct ibv_cq *cq;
    unsigned depth, cq_entries;
    unsigned under_way; /* completions that have yet to arrive, on all links; at most cq_entries */
    struct ibv_mr *arena;
    uint64_t locked; /* locked bytes of arena, queues and regions */
    struct uat_ibv_bulk_region *regions;
    struct uat_ibv_connection *pairs; /* ordered by the rank of the worker at the other end */
    int pair_count;
    struct uat_ibv_bulk_link *links; /* array of links, one to each host */
};

static inline struct uat_ibv_bulk *uat_ibv_bulk_of(const struct uat_bulk *b)
{
    return (struct uat_ibv_bulk *)(uintptr_t)b; /* `head` is the first member */
}

/* bulk_links.c: create and connect the completion queue and the queue pairs. Collective: if a step of one worker fails,
 * this worker still takes part in all exchanges. uat_ibv_bulk_links_close() undoes this call, even if it failed
 * halfway. */
int uat_ibv_bulk_links_open(struct uat_ibv_bulk *b, const struct uat_bulk_config *config);
void uat_ibv_bulk_links_close(struct uat_ibv_bulk *b);

/* bulk_memory.c: registration of the arena, and room(), expose() and conceal() of struct uat_bulk_class. */
int uat_ibv_bulk_room(struct uat_bulk *head, size_t bytes, bool reserved);
int uat_ibv_bulk_arena(struct uat_ibv_bulk *b, void *arena, size_t bytes);
int uat_ibv_bulk_expose(struct uat_bulk *head, int fd, void *address, size_t bytes, struct uat_bulk_key *key);
void uat_ibv_bulk_conceal(struct uat_bulk *head, void *address);
void uat_ibv_bulk_memory_close(struct uat_ibv_bulk *b);

/* bulk_posting.c: post(), progress() and reaches() of struct uat_bulk_class. */
int uat_ibv_bulk_post(struct uat_bulk *head, int link, const struct uat_bulk_op *op);
int uat_ibv_bulk_progress(struct uat_bulk *head);
bool uat_ibv_bulk_reaches(const struct uat_bulk *head, const void *local, size_t bytes);

/*
 * Calls of verbs that one worker makes side by side. A call that creates or connects a queue pair waits for the
 * adapter's firmware, up to milliseconds. With global memory the first worker of a host makes a queue pair for each
 * worker of the job, and all other workers wait for it. So it makes these calls in several threads, which live only as
 * long as uat_ibv_side_by_side().
 */

enum { UAT_IBV_SIDES = 8 /* maximum threads */ };

/* Call one(context, i) once for each i from 0 to count - 1, in up to `threads` threads, the caller's included. After a
 * failure no further calls begin. Returns 0, or the negative errno of the first call that failed; *failed is its i. If
 * no thread can be created, the caller's thread makes all calls. */
int uat_ibv_side_by_side(int (*one)(void *context, int i), void *context, int count, int threads, int *failed);

#endif
