/* SPDX-License-Identifier: MIT */
/*
 * Bulk data: one-sided operations on memory outside of the segment, of any size and alignment. For global memory.
 *
 * A link leads to one host: to the memory that the host's leader has exposed. Each link is a separate queue, so that
 * steals do not queue up after bulk data. Operations are posted one by one. The n-th operation of a link is complete
 * when the link's `completed` has reached n.
 *
 * What a link promises
 *   B1  A WRITE takes effect before an atomic that is posted after it.
 *   B2  An atomic takes effect before a READ that is posted after it samples memory.
 *   B3  When a READ or an atomic completes, it has taken effect and its data are in local memory. When a WRITE
 *       completes, its source may be reused; the completion says no more.
 *   B4  Completions arrive in the order of posting.
 *   B5  Atomics are atomic only among themselves. Nothing else changes a word that they change, with one exception: in
 *       a class with cpu_atomics, the CPUs' atomics and those of links are atomic among each other.
 * Nothing else is ordered: not two WRITEs, not a WRITE and a later READ, not two atomics. Under torture transport_shm
 * reorders all of these.
 */
#ifndef UAT_BULK_H
#define UAT_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

/* What a remote worker needs to reach an exposed object. Workers pass it on unchanged. */
struct uat_bulk_key {
    uint64_t base; /* remote address of the object's first byte */
    uint64_t rkey;
};

struct uat_bulk_op {
    enum uat_opcode code;
    size_t bytes;    /* 8 for atomics */
    void *local;     /* where data land, or the source of a WRITE: in the arena, the segment or an exposed object */
    uint64_t remote; /* key.base + offset */
    uint64_t rkey;
    uint64_t operand; /* FETCH_ADD: what to add; CMP_SWAP: the new value */
    uint64_t compare; /* CMP_SWAP: the expected value */
};

struct uat_bulk_link {
    uint64_t posted, completed; /* numbers of operations */
};

struct uat_bulk_class;

struct uat_bulk {
    const struct uat_bulk_class *class_;
    int links; /* one to each host, including this one */
    struct uat_bulk_link *link;
    struct uat_transport *transport;
};

struct uat_bulk_config {
    struct uat_transport *transport; /* open and connected; outlives the bulk */
    int hosts, host;                 /* number of hosts, and which one this is */
    const int *leader;               /* per host: the rank that exposes its memory */
    const int *host_of;              /* per rank: its host */
    void *arena;                     /* this worker's own memory for bulk data, mapped and writable */
    size_t arena_size;
    int latency;   /* for tests, shared memory only: ns from posting an operation to its completion */
    bool late;     /* torture: operations take effect as late and as disordered as B1 to B4 permit */
    uint64_t seed; /* seed of the random order under `late` */
    /* Collective: each worker gets the `bytes` bytes of each of these ranks, in their order; ranks is NULL: of ranks 0
     * to count - 1. Other workers' `mine` is not used. 0 or a negative errno. */
    int (*gather)(const int *ranks, int count, const void *mine, size_t bytes, void *all);
};

/* Functions return 0 or a negative errno and report an error, once, themselves. */
struct uat_bulk_class {
    bool cpu_atomics; /* see B5 */
    bool maps;        /* far objects are mapped here: key.base of a host is the address of that mapping */
    /* Collective. *out is owned by the caller, who closes it. */
    int (*open)(const struct uat_bulk_config *config, struct uat_bulk **out);
    /* Can `bytes` more bytes of memory be locked? Called before the bytes are touched. reserved: they come from the
     * machine's huge pages. room is NULL if nothing is locked. */
    int (*room)(struct uat_bulk *b, size_t bytes, bool reserved);
    /* A leader lets all workers reach [address, address + bytes), where the whole memory object fd is mapped. */
    int (*expose)(struct uat_bulk *b, int fd, void *address, size_t bytes, struct uat_bulk_key *key);
    void (*conceal)(struct uat_bulk *b, void *address);
    /* Post one operation. Waits for room if necessary. */
    int (*post)(struct uat_bulk *b, int link, const struct uat_bulk_op *op);
    /* Look for completions, without waiting. */
    int (*progress)(struct uat_bulk *b);
    /* May op.local be [local, local + bytes)? */
    bool (*reaches)(const struct uat_bulk *b, const void *local, size_t bytes);
    void (*close)(struct uat_bulk *b);
};

extern const struct uat_bulk_class uat_bulk_shm;
extern const struct uat_bulk_class uat_bulk_ibv;
extern const struct uat_bulk_class uat_bulk_sim;

/* Wait until the link has completed `end` operations. 0 or a negative errno. */
int uat_bulk_wait(struct uat_bulk *b, int link, uint64_t end);

#endif
