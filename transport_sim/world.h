/* SPDX-License-Identifier: MIT */
/*
 * The world of a simulation: what its worker processes share. Exactly one of them runs, the one that has the token; it
 * alone touches the world, so nothing here is atomic but the word that passes the token on. Whoever has the token also
 * carries out the operations of the others' chains; with many workers the keeper's executor takes its turn for that
 * (executor.h).
 *
 *   S1  Items of the queue are taken in the order of (time, kind, rank, the rank's own counter). Nothing else decides:
 *       no clock, no process number, no address. So a run is a function of program, settings and seed.
 *   S2  A worker goes on at its clock t only if nothing can change its segment, or read it, at a time before t:
 *       every other item of the queue is at t - lookahead or later, and every operation under way that has this worker
 *       as its target or as its initiator (for READs land there) is later than t.
 *   S3  The clock of a worker moves only in the hooks, and a hook comes back only when S2 holds. Without an adversary
 *       two hooks may put that off: a post, and a task for UAT_SIM_QUANTUM at most. Then what the worker looks at may
 *       be as old as what was put off; what it does still has its time, for every step of a protocol catches up first.
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
    SIM_CHAINS = 64,        /* under way from one worker; a send queue is no longer */
    SIM_PARTS = 4,          /* moments at which the words of one READ or WRITE are moved, at most */
    SIM_STORES = 32,        /* of one store buffer */
    SIM_BULKS = 64,         /* bulk operations under way from one worker; a send queue is no longer */
    SIM_BULK_BYTES = 65536, /* of one; larger ones are several */
    SIM_OBJECTS = 4096,     /* memory objects of global memory, on all hosts together */
    /* Items of one worker: of each chain, the parts of its operations and its end; the oldest store; itself. */
    SIM_ITEMS = SIM_CHAINS * (UAT_CHAIN_MAX * SIM_PARTS + 1) + SIM_BULKS * (SIM_PARTS + 1) + 2,
    SIM_MAPPED_MAX = 64,  /* up to so many workers map each other's segments; page tables grow with the square */
    SIM_BLOB_MAX = 16384, /* bytes that a worker publishes, at most */
    SIM_BLOB_ALIGNMENT = 64
};

#define SIM_NEVER UINT64_MAX

/* What happens first among items of one time. */
enum sim_kind { SIM_POST, SIM_OPERATION, SIM_END, SIM_BULK, SIM_BULK_END, SIM_STORE, SIM_WORKER };

struct sim_item {
    uint64_t time;  /* ns */
    uint64_t order; /* kind, rank, counter: see sim_order() */
    uint32_t chain; /* of an operation or an end */
    uint32_t part;  /* of an operation: its number in the chain, and which part of its words */
};

enum sim_state {
    SIM_RUNS,      /* has the token, or is in the queue to get it */
    SIM_WAITS,     /* for a change of its segment, or for the end of all chains that it waits for */
    SIM_WAITS_OWN, /* for the end of all chains that it waits for */
    SIM_WAITS_ANY, /* for the end of any of its chains */
    SIM_LEFT       /* the simulation */
};

struct sim_worker {
    uint64_t clock;    /* ns */
    uint64_t counter;  /* of its items */
    uint64_t changes;  /* of its segment by peers, and ends of all its chains: what it may wait for */
    uint64_t touched;  /* no operation under way that touches its segment is earlier than this */
    uint32_t touching; /* operations under way that have it as target or initiator */
    uint32_t awaited;  /* its chains under way that it may be waiting for: posted in this phase, not fire-and-forget */
    uint32_t phase;    /* counts what it did between posting and waiting (uat_sim_chain_turn_away()) */
    uint32_t chains;   /* all its chains under way */
    uint32_t state;    /* enum sim_state */
    uint32_t go;       /* futex: it has the token */
    int32_t pid;
    uint64_t stores_begun, stores_done; /* of its store buffer; entries [done, begun) have not reached memory */
    bool stores_queued;                 /* an item of the queue will look after them */
};

struct sim_store {
    uint64_t *word;
    uint64_t value;
    uint64_t time; /* when it reaches memory; not before the one before it */
};

enum sim_chain_state { SIM_FREE, SIM_UNDER_WAY, SIM_ENDED };

struct sim_chain {
    uint32_t state;
    int32_t initiator, target;
    uint32_t count, left; /* operations; parts of them that are still to be done */
    bool forget, queued;  /* queued: it has its place in the target adapter's queue */
    uint32_t phase;       /* of the initiator, when it posted it */
    uint64_t ends;        /* when its completion is seen */
    uint64_t random;      /* which words of a READ or WRITE belong to which part */
    struct uat_op ops[UAT_CHAIN_MAX];
    uint64_t copies[UAT_CHAIN_MAX][UAT_FORGET_WRITE_MAX / 8]; /* what a fire-and-forget chain WRITEs */
};

/* A bulk operation under way (bulk_plan.h): operation i of rank r is [i * size + r]. */
struct sim_bulk {
    enum uat_opcode code;
    int32_t initiator, target; /* target: the leader of the home's host */
    uint32_t link;             /* number of that host */
    uint32_t object, bytes;
    uint64_t serial, offset; /* of the object; in it */
    uint64_t operand, compare;
    uint64_t ends, random; /* fair: when its service is over; adverse: which bytes belong to which part */
    uint32_t left;         /* parts that have not taken effect */
    bool used, queued, ended, told, last; /* last: it ends an operation of the caller's */
};

/* Memory of a host that its leader lets all reach. */
struct sim_object {
    uint64_t serial; /* never used twice; 0: none */
    void *address;   /* in the leader */
    size_t bytes;
    int32_t pid, fd; /* of the leader, and there */
};

struct sim_settings {
    int size;
    uint64_t task, cpu_percent, quantum, seed, limit; /* ns, percent, ns, -, ns */
    uint64_t stop;                                    /* ns at which a worker stops for a debugger; 0: never */
    int stop_rank;                                    /* which; -1: the first to come there */
    bool chain_order;
    bool report; /* what the simulation costs */
    struct sim_network network;
    uint64_t lookahead; /* ns: nothing acts on another worker sooner than that */
};

/* Of the real world, for the report. */
struct sim_cost {
    uint64_t begun, started, left; /* ns of the host's monotonic clock; left: when the first worker does */
    uint64_t before, until;        /* ns of processor time of all workers: when they begin, and when they leave */
    uint64_t kilobytes;            /* of all workers, page tables included */
};

struct sim_world {
    struct sim_settings settings;
    int object;       /* descriptor of the memory object that holds all segments, one behind the other */
    int core;         /* on which all run; -1: anywhere */
    bool executes;    /* the keeper carries out operations: executor.h */
    uint32_t execute; /* futex: the keeper has the token */
    char *segment;    /* where each worker maps its own segment */
    size_t segment_size;
    uint32_t met, arrived;    /* at the barriers of the start */
    uint32_t left;            /* workers that have left */
    uint64_t switches, items; /* for the report; a post is not counted as a step */
    struct sim_cost cost;
    uint64_t stop_at; /* of settings.stop; SIM_NEVER when that is over */
    size_t count;     /* items in the queue */
    struct sim_worker *worker;
    struct sim_chain *chain; /* chain c of rank r: [c * size + r], so that those in use are neighbours */
    struct sim_item *item;   /* a heap */
    struct sim_store *store; /* store s of rank r: [r * SIM_STORES + s % SIM_STORES] */
    struct sim_bulk *bulk;
    char *bulk_room;    /* SIM_BULK_BYTES of each */
    uint64_t *bulk_end; /* when the latest completion of a link is seen: [rank * size + host] */
    struct sim_object *object_table;
    uint64_t objects;  /* exposed ever */
    uint64_t *adapter; /* per host: when it is free for the next request from outside */
    uint64_t *sender;  /* ... for the next one from inside */
    uint64_t *busy;    /* per host: ns that its adapter has served requests from outside and inside */
    char *blob;        /* what the workers publish, one behind the other: few pages, as every worker reads all of it */
    uint64_t blobs;    /* bytes of it in use */
    uint64_t *blob_at; /* where that of a rank begins */
    uint32_t *blob_size;
};

/* This process. */
struct sim_self {
    struct sim_world *world;
    int rank;              /* -1 before uat_sim_start() */
    struct sim_worker *me; /* &world->worker[rank] */
    char *segment;         /* where every segment is mapped by its owner */
    size_t segment_size;
    char *all;          /* all segments, mapped one behind the other; NULL if they are too many */
    uint64_t random;    /* of the adversary's choices for this worker */
    uint64_t ahead;     /* ns that the clock has moved since S2 was seen to */
    bool inside;        /* between begin and end of the simulation */
    void (*fail)(void); /* in the keeper: end all; does not come back */
};
extern struct sim_self uat_sim;

/* Map a new world for these settings. NULL with errno. */
struct sim_world *uat_sim_world_open(const struct sim_settings *settings);

/* Random number below `below`, of this worker. Nobody else draws from it, so it is a function of the run. */
uint64_t uat_sim_random(uint64_t below);

/* One more, or one less, operation under way that touches rank's segment; the new one at `time`. */
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
