/* SPDX-License-Identifier: MIT */
/*
 * Bulk data, for global memory: one-sided operations of any size and alignment on memory outside the segment.
 *
 * A link reaches the memory that the leader of one host has exposed. A host with several adapters may count as several
 * hosts, one for each adapter. Each link has its own queue, so that steals do not wait for bulk data. Each operation is
 * posted by a call of its own. The n-th operation of a link is complete when the link's `completed` has reached n.
 *
 * What a link promises
 *   B1  A WRITE takes effect before an atomic that is posted after it.
 *   B2  If a READ is posted after an atomic, the atomic takes effect before the READ samples memory.
 *   B3  When a READ or an atomic completes, it has taken effect and its data are in local memory. When a WRITE
 *       completes, the caller may reuse its source, but the WRITE may take effect later.
 *   B4  Completions arrive in the order of posting.
 *   B5  Atomics are atomic only among themselves. Nothing else may change a word that these atomics change. Exception:
 *       if a class has cpu_atomics, CPU atomics and the atomics of links are atomic with respect to each other.
 * No other operations are ordered. So these pairs have no order: two WRITEs; a WRITE and a later READ; two atomics.
 * Under torture, transport_shm reorders all of these.
 */
#ifndef UAT_BULK_H
#define UAT_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/transport.h"

/* The address and the key by which a remote worker reaches an exposed object. Workers pass this structure on
 * unchanged. */
struct uat_bulk_key {
    uint64_t base; /* remote address of the object's first byte */
    uint64_t rkey;
};

struct uat_bulk_op {
    enum uat_opcode code;
    size_t bytes;    /* 8 for atomics */
    void *local;     /* the destination of data or the source of a WRITE; it is in the arena, the segment or an exposed
                      * object */
    uint64_t remote; /* key.base + offset */
    uint64_t rkey;
    uint64_t operand; /* FETCH_ADD: the addend; CMP_SWAP: the new value */
    uint64_t compare; /* CMP_SWAP: the expected value */
};

struct uat_bulk_link {
    uint64_t posted, completed; /* number of operations posted, and of operations completed */
};

struct uat_bulk_class;

struct uat_bulk {
    const struct uat_bulk_class *class_;
    int links; /* number of links: one to each host, including this one */
    struct uat_bulk_link *link;
    struct uat_transport *transport;
};

struct uat_bulk_config {
    struct uat_transport *transport; /* open and connected; must outlive the bulk */
    int hosts, host;                 /* hosts: number of hosts; host: this worker's host */
    const int *leader;               /* per host: the rank that exposes its memory */
    const int *host_of;              /* per rank: its host */
    void *arena;                     /* this worker's own memory for bulk data, mapped and writable */
    size_t arena_size;
    int latency;   /* for tests over shared memory: ns from posting an operation to its completion */
    bool late;     /* torture: operations take effect late, in any order that B1 to B4 permit */
    uint64_t seed; /* seed of the random order under `late` */
    /* Collective. Copies `bytes` bytes from `mine` of each rank in ranks[0..count) to `all` of every worker. `all` is
     * in the order of ranks[]. If ranks is NULL, the ranks are 0 to count - 1. `mine` of any other worker is ignored.
     * Returns 0 or a negative errno. */
    int (*gather)(const int *ranks, int count, const void *mine, size_t bytes, void *all);
};

/* The functions return 0 or a negative errno. They report each error once, so callers print nothing. */
struct uat_bulk_class {
    bool cpu_atomics; /* see B5 */
    /* Returns the number of the adapter that worker `rank` uses. Two workers of one host have the same number if they
     * use the same adapter. All callers get the same number for a rank. NULL: there are no adapters to tell apart. */
    int (*adapter)(struct uat_transport *t, int rank);
    bool maps; /* remote objects are mapped into this process, and key.base is the address of the mapping */
    /* Collective. The caller owns *out and must close it. */
    int (*open)(const struct uat_bulk_config *config, struct uat_bulk **out);
    /* Can this process lock `bytes` more bytes of memory? Call this before touching the bytes. reserved: the bytes come
     * from the machine's reserved huge pages. NULL if this class locks no memory. */
    int (*room)(struct uat_bulk *b, size_t bytes, bool reserved);
    /* Called by a leader: let all workers reach [address, address + bytes). The whole memory object fd is mapped
     * there. */
    int (*expose)(struct uat_bulk *b, int fd, void *address, size_t bytes, struct uat_bulk_key *key);
    void (*conceal)(struct uat_bulk *b, void *address);
    /* Post one operation. Waits for space in the link's queue if necessary. */
    int (*post)(struct uat_bulk *b, int link, const struct uat_bulk_op *op);
    /* Poll for completions, without waiting. */
    int (*progress)(struct uat_bulk *b);
    /* May op.local be the memory [local, local + bytes)? */
    bool (*reaches)(const struct uat_bulk *b, const void *local, size_t bytes);
    void (*close)(struct uat_bulk *b);
};

extern const struct uat_bulk_class uat_bulk_shm;
extern const struct uat_bulk_class uat_bulk_ibv;
extern const struct uat_bulk_class uat_bulk_sim;

/* Wait until the link has completed `end` operations. Returns 0 or a negative errno. */
int uat_bulk_wait(struct uat_bulk *b, int link, uint64_t end);

#endif
