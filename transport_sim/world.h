/* SPDX-License-Identifier: MIT */
/*
 * The world of a simulation: the memory that its worker processes share. Exactly one process runs: the one that has
 * the token. Only that process accesses the world. So after the start, the only atomics here are on the words that
 * pass the token on, on `executes`, on the sums of processor time in `cost`, and on the words that progress.c shows.
 * That process also executes the operations of the other workers' chains. With many workers, the keeper's executor
 * gets the token to execute operations (keeper.h).
 *
 *   S1  Items leave the queue in the order of (time, kind, rank, the rank's own counter). The order depends on no real
 *       clock, no process number and no address. So a run is a function of program, settings and seed.
 *   S2  A worker continues at its clock t only if nothing can change or read its segment at a time before t. This holds
 *       under two conditions. Every other item of the queue is later than t - lookahead. Every operation in flight that
 *       has this worker as its target or initiator is later than t. (A READ stores its data in the initiator's
 *       segment.)
 *   S3  The clock of a worker moves only in the hooks, and a hook returns only when S2 holds. Without an adversary, two
 *       hooks may return earlier: the hook of a post, and the hook of a task if the worker is at most the quantum of
 *       UAT_SIM_TASK ahead. Until S2 holds again, the worker may see an old state: at most as old as the worker is
 *       ahead. The worker's actions still take effect at the right time, because every step of a protocol restores S2
 *       first.
 */
#ifndef UAT_SIM_WORLD_H
#define UAT_SIM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "transport/transport.h"
#include "transport_sim/network.h"

enum {
    SIM_CHAINS = 64,        /* maximum chains in flight per worker (the send queue's depth) */
    SIM_PARTS = 4,          /* maximum number of different times at which the words of one READ or WRITE move */
    SIM_STORES = 32,        /* capacity of one store buffer */
    SIM_BULKS = 64,         /* maximum bulk operations in flight per worker (the send queue's depth) */
    SIM_BULK_BYTES = 65536, /* maximum bytes of one bulk operation; larger ones are split */
    SIM_OBJECTS = 4096,     /* maximum memory objects of global memory, on all hosts together */
    /* Maximum items of one worker: the parts and the end of each chain and of each bulk operation; the stores; the
     * worker itself. */
    SIM_ITEMS = SIM_CHAINS * (UAT_CHAIN_MAX * SIM_PARTS + 1) + SIM_BULKS * (SIM_PARTS + 1) + SIM_STORES + 1,
    SIM_MAPPED_MAX = 64,  /* maximum workers that map each other's segments; page tables grow with the square of the
                           * number of workers */
    SIM_BLOB_MAX = 16384, /* maximum bytes that a worker publishes */
    SIM_LOCKS = 512,      /* an adapter's locks of words: bits 3 to 11 of the address choose the lock */
    SIM_BLOB_ALIGNMENT = 64
};

#define SIM_NEVER UINT64_MAX

/* Kinds of items. Items of the same time leave the queue in this order. */
enum sim_kind { SIM_POST, SIM_OPERATION, SIM_END, SIM_BULK, SIM_BULK_END, SIM_STORE, SIM_WORKER };

struct sim_item {
    uint64_t time;  /* ns */
    uint64_t order; /* kind, rank, counter: see uat_sim_queue_add() */
    uint32_t chain; /* number of the chain or bulk operation */
    uint32_t part;  /* two numbers, encoded: the operation's index in the chain, and the part of its words */
};

enum sim_state {
    SIM_RUNS,      /* has the token, or is queued for it */
    SIM_WAITS,     /* waits for a change to its segment, a bulk completion, or the end of all chains that it awaits */
    SIM_WAITS_OWN, /* waits for the end of all chains that it awaits */
    SIM_WAITS_ANY, /* waits for the end of any of its chains */
    SIM_LEFT       /* has left the simulation */
};

struct sim_worker {
    uint64_t clock;    /* ns */
    uint64_t counter;  /* number of this worker's items so far; it is the last part of the items' order */
    uint64_t changes;  /* counts the events for which the worker may wait: a peer changes its segment, all awaited
                        * chains end, or a bulk operation completes */
    uint64_t touched;  /* no operation in flight touches its segment before this time */
    uint32_t touching; /* operations in flight that have this worker as target or initiator */
    uint32_t awaited;  /* its chains in flight for which it may wait: posted in this phase, and not fire-and-forget */
    uint32_t phase;    /* number of calls of uat_sim_chain_turn_away() */
    uint32_t chains;   /* all its chains in flight */
    uint32_t state;    /* enum sim_state */
    uint32_t go;       /* futex: 1 when the worker is given the token */
    int32_t pid;
    /* The store buffer: entries stores_done up to stores_begun. An entry whose word is NULL has already reached
     * memory. */
    uint64_t stores_begun, stores_done;
    uint64_t stores_next;   /* time of the earliest queue item that will move stores; SIM_NEVER: there is no item */
    uint32_t stores_queued; /* number of these items */
};

struct sim_store {
    uint64_t *word; /* NULL: the store has reached memory */
    uint64_t value;
    uint64_t time; /* when the store reaches memory; see order() in stores.c */
};

enum sim_chain_state { SIM_FREE, SIM_UNDER_WAY, SIM_ENDED };

struct sim_chain {
    uint32_t state;
    int32_t initiator, target;
    uint32_t count, left;    /* count: operations; left: parts of operations that have not taken effect */
    bool unsignaled, queued; /* queued: the chain has a place in the target adapter's queue */
    uint32_t phase;          /* the initiator's phase at the post */
    uint64_t ends;           /* time at which the initiator sees the chain's completion */
    uint64_t random;         /* decides which words of a READ or WRITE belong to which part */
    struct uat_op ops[UAT_CHAIN_MAX];
    uint64_t copies[UAT_CHAIN_MAX][UAT_UNSIGNALED_WRITE_MAX / 8]; /* the payload of a fire-and-forget chain's WRITEs */
};

/* A bulk operation in flight (bulk_plan.h). Operation i of rank r is bulk[i * size + r]. */
struct sim_bulk {
    enum uat_opcode code;
    int32_t initiator, target; /* target: the leader of the home's host */
    uint32_t link;             /* number of the home's host */
    uint32_t object, bytes;
    uint64_t serial, offset; /* serial: of the object; offset: in the object */
    uint64_t operand, compare;
    uint64_t ends, random; /* ends (fair): the end of its service; random (adverse): decides which bytes belong to which
                            * part */
    uint32_t left;         /* parts that have not taken effect */
    bool used, queued, ended, told, last; /* last: the last piece of the caller's operation */
};

/* Memory of a host that its leader exposes to all workers. */
struct sim_object {
    uint64_t serial; /* never used twice; 0: free entry */
    void *address;   /* in the leader's address space */
    size_t bytes;
    int32_t pid, fd; /* pid: the leader's process; fd: its descriptor of the memory */
};

struct sim_settings {
    int size;
    uint64_t task, cpu_percent, quantum, seed, limit; /* all but cpu_percent and seed are in ns */
    uint64_t stop;                                    /* virtual time in ns at which a worker stops for a debugger; 0:
                                                       * never */
    int stop_rank;                                    /* the worker that stops; -1: the first worker that reaches that
                                                       * time */
    bool chain_order;
    bool weak_stores; /* stores reach memory in any order, except at a release or a fence */
    bool report;      /* report the cost of the simulation */
    struct sim_network network;
    uint64_t lookahead; /* minimum time in ns until an action affects another worker */
};

/* A queue pair in an adapter's cache. */
struct sim_pair {
    uint64_t number;  /* 0: none */
    uint64_t arrives; /* time at which the cache has it */
};

/* The real (not virtual) cost, for the report. */
struct sim_cost {
    uint64_t begun, started, left; /* ns of the host's monotonic clock; left: when the first worker leaves */
    uint64_t before, until;        /* processor time of all workers in ns; before: up to the start; until: until each
                                    * worker leaves */
    uint64_t kilobytes;            /* memory of all workers, page tables included */
};

struct sim_world {
    struct sim_settings settings;
    int object;       /* descriptor of the memory object that holds all segments, one after the other */
    int core;         /* the core on which all workers run; -1: any */
    bool executes;    /* the executor executes operations: keeper.h */
    uint32_t execute; /* futex: 1 when the executor is given the token */
    char *segment;    /* the address at which each worker maps its own segment */
    size_t segment_size;
    uint32_t met, arrived;    /* number of workers that have reached a barrier of the start; met: the first one;
                               * arrived: the second one */
    uint32_t left;            /* workers that have left */
    uint64_t steals, faults;  /* counted only if settings.network.fault is not 0 */
    uint64_t switches, items; /* for the report; items do not include posts */
    uint64_t tasks;           /* tasks that have started, for the line of progress.h */
    uint32_t runs;            /* workers in a run */
    bool drawn;               /* this line is on the terminal */
    struct sim_cost cost;
    uint64_t stop_at; /* settings.stop; SIM_NEVER once a worker has stopped */
    size_t count;     /* items in the queue */
    struct sim_worker *worker;
    struct sim_chain *chain; /* chain c of rank r is [c * size + r], so that the chains in use are close together */
    struct sim_item *item;   /* a heap */
    struct sim_store *store; /* store s of rank r is [r * SIM_STORES + s % SIM_STORES] */
    struct sim_bulk *bulk;
    char *bulk_room;    /* SIM_BULK_BYTES for each bulk operation */
    uint64_t *bulk_end; /* [rank * size + host]: time at which the worker sees the link's latest completion */
    struct sim_object *object_table;
    uint64_t objects;      /* number of objects exposed so far; serials come from it */
    uint64_t *adapter;     /* per host: time at which its adapter is free for the next incoming request */
    uint64_t *sender;      /* per host: time at which its adapter is free for the next outgoing request */
    uint64_t *server;      /* per host or worker: time at which its server of atomics is free (enum sim_server) */
    uint64_t *served;      /* per worker: time at which its last posted atomic takes effect, if it may have to wait */
    uint64_t *busy;        /* per host: ns for which its adapter has served chains from all hosts */
    uint64_t *lock;        /* [host * SIM_LOCKS + i]: time at which the adapter's lock is free */
    uint64_t *atomics;     /* per host: time at which the adapter's unit of atomics is free */
    struct sim_pair *pair; /* [host * network.pairs + i]: an entry of the adapter's cache */
    uint64_t misses, lock_waits; /* for the report; lock_waits: ns for which atomics have waited for their words */
    char *blob;        /* the bytes that the workers publish, in few pages, because every worker reads all bytes */
    uint64_t blobs;    /* bytes of `blob` in use */
    uint64_t *blob_at; /* where a rank's blob starts in `blob` */
    uint32_t *blob_size;
};

/* This process. */
struct sim_self {
    struct sim_world *world;
    int rank;              /* -1 before uat_sim_start() */
    struct sim_worker *me; /* &world->worker[rank] */
    char *segment;         /* address at which each worker maps its own segment; the same in all workers */
    size_t segment_size;
    char *all;          /* the mapping of all segments, one after the other; NULL if there are too many */
    uint64_t random;    /* state of the random generator for the adversary's choices in this worker */
    uint64_t ahead;     /* ns by which the clock has moved since S2 last held */
    bool inside;        /* the simulation has started, and this worker has not left it */
    void (*fail)(void); /* in the keeper: end the job; does not return */
};
extern struct sim_self uat_sim;

/* Map a new world with these settings. On failure returns NULL and sets errno. */
struct sim_world *uat_sim_world_open(const struct sim_settings *settings);

/* A random number less than `below`. Each worker has its own generator. So a repeated run gets the same numbers. */
uint64_t uat_sim_random(uint64_t below);

/* Count one more operation in flight that touches the segment of worker `rank` at `time`. sim_untouch() counts one
 * operation less. */
static inline void sim_touch(int rank, uint64_t time)
{
    struct sim_worker *worker = &uat_sim.world->worker[rank];
    if (worker->touching++ == 0 || time < worker->touched)
        worker->touched = time;
}
static inline void sim_untouch(int rank)
{
    uat_sim.world->worker[rank].touching--;
}

static inline bool sim_adverse(void)
{
    return uat_sim.world->settings.seed != 0;
}

#endif
