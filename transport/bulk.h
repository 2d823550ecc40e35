/* SPDX-License-Identifier: MIT */
/*
 * Bulk data: one-sided operations on memory that is not the segment, of any size and at any byte. For global memory.
 *
 * A link leads to one host: to the memory that its leader has exposed. It is a queue of its own, so that steals do not
 * wait behind bulk data. Operations are posted one by one; the n-th operation of a link is complete when the link's
 * `completed` has reached n.
 *
 * What a link promises
 *   B1  A WRITE takes effect before an atomic that is posted behind it.
 *   B2  An atomic takes effect before a READ that is posted behind it has sampled memory.
 *   B3  The completion of a READ or an atomic tells that it has taken effect, and its data stand in local memory. The
 *       completion of a WRITE tells only that its source may be used again.
 *   B4  Completions come in the order of posting.
 *   B5  Atomics are atomic among themselves only. A word that they change is changed by nothing else, unless the class
 *       has cpu_atomics: then the CPUs' own atomics and those of links are the same thing.
 * Nothing else has an order: neither two WRITEs, nor a READ behind a WRITE. Under torture transport_shm makes use of
 * it.
 */
#ifndef UAT_BULK_H
#define UAT_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

/* What a host's other end must know to reach an exposed object. Goes from worker to worker as it is. */
struct uat_bulk_key {
    uint64_t base; /* remote address of the object's first byte */
    uint64_t rkey;
};

struct uat_bulk_op {
    enum uat_opcode code;
    size_t bytes;    /* 8 for atomics */
    void *local;     /* in the arena, the segment or an exposed object: where data land, or the source of a WRITE */
    uint64_t remote; /* key.base + offset */
    uint64_t rkey;
    uint64_t operand; /* FETCH_ADD: what to add; CMP_SWAP: the new value */
    uint64_t compare; /* CMP_SWAP: the value expected */
};

struct uat_bulk_link {
    uint64_t posted, completed; /* operations */
};

struct uat_bulk_class;

struct uat_bulk {
    const struct uat_bulk_class *class_;
    int links; /* one to each host, this one included */
    struct uat_bulk_link *link;
    struct uat_transport *transport;
};

struct uat_bulk_config {
    struct uat_transport *transport; /* open and connected; outlives the bulk */
    int hosts, host;                 /* number of hosts, and which one this is */
    const int *leader;               /* of each host: the rank that exposes its memory */
    const int *host_of;              /* of each rank */
    void *arena;                     /* this worker's own memory for bulk data, mapped and writable */
    size_t arena_size;
    int latency;   /* for tests, shared memory only: ns from posting an operation to its completion */
    bool late;     /* torture: operations take effect as late and as disordered as B1 to B4 permit */
    uint64_t seed; /* of that order */
    /* Collective: all workers give `bytes` and get those of all, in the order of ranks. 0 or a negative errno. */
    int (*gather)(const void *mine, size_t bytes, void *all);
};

/* Functions return 0 or a negative errno and report an error, once, themselves. */
struct uat_bulk_class {
    bool cpu_atomics; /* see B5 */
    bool maps;        /* far objects are mapped here: key.base of a host is the address of that mapping */
    /* Collective. *out is owned by the caller, who closes it. */
    int (*open)(const struct uat_bulk_config *config, struct uat_bulk **out);
    /* A leader lets all workers reach [address, address + bytes), the mapping of all of memory object fd. */
    int (*expose)(struct uat_bulk *b, int fd, void *address, size_t bytes, struct uat_bulk_key *key);
    void (*conceal)(struct uat_bulk *b, void *address);
    /* Post one operation; waits for room if need be. */
    int (*post)(struct uat_bulk *b, int link, const struct uat_bulk_op *op);
    /* Look for completions, without waiting. */
    int (*progress)(struct uat_bulk *b);
    /* May op.local lie there? */
    bool (*reaches)(const struct uat_bulk *b, const void *local, size_t bytes);
    void (*close)(struct uat_bulk *b);
};

extern const struct uat_bulk_class uat_bulk_shm;
extern const struct uat_bulk_class uat_bulk_ibv;
extern const struct uat_bulk_class uat_bulk_sim;

/* Wait until the link has completed `end` operations. 0 or a negative errno. */
int uat_bulk_wait(struct uat_bulk *b, int link, uint64_t end);

#endif
