/* SPDX-License-Identifier: MIT */
/* Workers for tests of bulk data: links to all hosts, and regions that the hosts' leaders expose. */
#ifndef UAT_TEST_BULK_WORKER_H
#define UAT_TEST_BULK_WORKER_H

#include "tests/unit/peers.h"
#include "transport/bulk.h"

enum {
    BULK_REGIONS = 3,
    BULK_REGION = 3 << 20, /* bytes */
    BULK_ARENA = 4 << 20,
    BULK_GATHER = 1 << 16,
    BULK_WORD = 64 /* offset of the atomic word in a host's first region */
};

/* The state that all workers of one test share. The regions are at the same addresses in all workers. */
struct bulk_shared {
    uint64_t turn; /* for use by a test; 0 at first */
    char gather[PEERS_MAX][BULK_GATHER];
    struct uat_bulk_key key[PEERS_MAX][BULK_REGIONS]; /* the keys of each host's regions */
    char region[PEERS_MAX][BULK_REGIONS][BULK_REGION];
};

struct bulk_test {
    struct bulk_shared *shared; /* set by bulk_run() */
    int hosts;
    bool late;
    uint64_t memlock; /* bytes; 0: unlimited */
};

/* This worker. */
struct bulk_worker {
    struct peer *peer;
    struct bulk_shared *shared;
    int host, hosts, size;
    int leader[PEERS_MAX], host_of[PEERS_MAX];
    struct uat_bulk *bulk;
    char *arena;
};
extern struct bulk_worker bulk_my;

/* Run fn(me, &test) in `workers` workers over this transport. If a worker fails, the cmocka test fails. */
void bulk_run(const struct uat_transport_class *transport, peer_fn *fn, int workers, struct bulk_test test);

/* Call these in a worker. bulk_open() opens only the links. bulk_begin() also exposes the regions of all hosts.
 * bulk_end() closes both. */
int bulk_open(struct peer *me, const struct bulk_test *test);
void bulk_begin(struct peer *me, const struct bulk_test *test);
void bulk_end(struct peer *me);

bool bulk_is_leader(void);

/* Make an operation; post it; wait for all operations to a host; FETCH_ADD to a host's word (returns the old value). */
struct uat_bulk_op bulk_operation(enum uat_opcode code, int host, int region, size_t offset, void *local, size_t bytes);
void bulk_post(int host, struct uat_bulk_op op);
void bulk_await(int host);
uint64_t bulk_add(int host, uint64_t addend);

#endif
