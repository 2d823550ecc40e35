/* SPDX-License-Identifier: MIT */
/* The settings of the simulation: see base/settings.h. */
#ifndef UAT_SIM_SETTINGS_H
#define UAT_SIM_SETTINGS_H

#include "base/settings.h"

#define UAT_SIM_WORKERS_VARIABLE "UATRUN_SIM_WORKERS" /* uatrun passes the number of workers by this variable */
enum { UAT_SIM_WORKERS_MAX = 16384 };

enum uat_sim_network_choice {
    UAT_SIM_NETWORK_CX6,
    UAT_SIM_NETWORK_CX6_IDEAL,
    UAT_SIM_NETWORK_CX5,
    UAT_SIM_NETWORK_CX7,
    UAT_SIM_NETWORK_CX7_NDR,
    UAT_SIM_NETWORK_FX10,
    UAT_SIM_NETWORK_QDR,
    UAT_SIM_NETWORK_TSUBAME,
    UAT_SIM_NETWORK_TSUBAME_AM
};
enum uat_sim_memory { UAT_SIM_MEMORY_HOST, UAT_SIM_MEMORY_DEVICE };
enum uat_sim_server { UAT_SIM_SERVER_AUTO, UAT_SIM_SERVER_NONE, UAT_SIM_SERVER_HOST, UAT_SIM_SERVER_WORKER };
enum uat_sim_order { UAT_SIM_ORDER_PROMISE, UAT_SIM_ORDER_CHAIN };
enum uat_sim_stores { UAT_SIM_STORES_TSO, UAT_SIM_STORES_WEAK };

struct uat_sim_settings {
    uint64_t task;        /* virtual time of a task in ns */
    uint64_t cpu;         /* percentage of the measured processor time that is added */
    uint64_t quantum;     /* ns that a worker's tasks may run ahead of other workers */
    int network;          /* enum uat_sim_network_choice */
    int node;             /* workers per host; 0: the network's default, also in the fields up to copy */
    uint64_t rtt, local;  /* round trips in ns; rtt: to another host; local: within a host */
    uint64_t atomic, gap; /* in ns; atomic: its additional time; gap: time between two requests at an adapter */
    uint64_t write, word, device, each, pairs, miss; /* struct sim_network explains them; write: write_gap there */
    int memory;                                      /* enum uat_sim_memory */
    uint64_t bandwidth;                              /* MB/s of an adapter */
    uint64_t copy;                                   /* MB/s at which a stack is copied in a worker's memory */
    uint64_t fault;                                  /* ns of a first touch of a page with iso-address; 0: none */
    int server;                                      /* enum uat_sim_server */
    uint64_t seed;                                   /* 0: no adversary */
    int order;                                       /* enum uat_sim_order */
    int stores;                                      /* enum uat_sim_stores */
    int stop_rank;                                   /* -1: the first worker that reaches the time below */
    uint64_t stop;                                   /* virtual time in ns at which a worker stops; 0: never */
    uint64_t limit;                                  /* ms of virtual time; 0: none */
};
extern struct uat_sim_settings uat_sim_settings;

#ifdef UAT_SETTINGS_ROWS
#define SIM(member) UAT_FIELD(struct uat_sim_settings, member)
#define LATENCY     UAT_TIME(0, UAT_SECONDS, 1)
static const struct uat_setting uat_sim_task_parts[] = {
    {"time", "1us", UAT_MAY_DIFFER, SIM(task), UAT_TIME(1, 1000 * UAT_SECONDS, 1), "a fixed time for each task"},
    {"cpu", "0", UAT_MAY_DIFFER, SIM(cpu), UAT_NUMBER(0, 1000000),
     "percentage of the measured processor time that is added; 0: runs are reproducible"},
    {"quantum", "0", UAT_MAY_DIFFER, SIM(quantum), UAT_TIME(0, UAT_SECONDS, 1),
     "time by which a worker's tasks may run ahead of other workers; 0: exact"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_sim_network_parts[] = {
    {"name", "cx6", UAT_MAY_DIFFER, SIM(network),
     UAT_CHOICE({"cx6", UAT_SIM_NETWORK_CX6}, {"cx6-ideal", UAT_SIM_NETWORK_CX6_IDEAL}, {"cx5", UAT_SIM_NETWORK_CX5},
                {"cx7", UAT_SIM_NETWORK_CX7}, {"cx7-ndr", UAT_SIM_NETWORK_CX7_NDR}, {"fx10", UAT_SIM_NETWORK_FX10},
                {"qdr", UAT_SIM_NETWORK_QDR}, {"tsubame", UAT_SIM_NETWORK_TSUBAME},
                {"tsubame-am", UAT_SIM_NETWORK_TSUBAME_AM}),
     "a predefined network; the parts below change it; 0 keeps the predefined value"},
    {"rtt", "0", UAT_MAY_DIFFER, SIM(rtt), LATENCY,
     "round trip of a small READ to another host; within a host it is at most this"},
    {"local", "0", UAT_MAY_DIFFER, SIM(local), LATENCY, "round trip of a small READ within a host"},
    {"atomic", "0", UAT_MAY_DIFFER, SIM(atomic), LATENCY, "additional time of an atomic"},
    {"gap", "0", UAT_MAY_DIFFER, SIM(gap), LATENCY, "time between two requests at an adapter"},
    {"write", "0", UAT_MAY_DIFFER, SIM(write), LATENCY, "the same after a WRITE"},
    {"word", "0", UAT_MAY_DIFFER, SIM(word), LATENCY,
     "time for which an atomic holds the words of its adapter that agree in the low 12 bits of the address"},
    {"device", "0", UAT_MAY_DIFFER, SIM(device), LATENCY, "the same for words in the adapter's own memory"},
    {"memory", "host", UAT_MAY_DIFFER, SIM(memory),
     UAT_CHOICE({"host", UAT_SIM_MEMORY_HOST}, {"device", UAT_SIM_MEMORY_DEVICE}),
     "memory of all words that atomics change; device: the adapter's own"},
    {"each", "0", UAT_MAY_DIFFER, SIM(each), LATENCY, "time between two atomics of an adapter, on any words"},
    {"pairs", "0", UAT_MAY_DIFFER, SIM(pairs), UAT_NUMBER(0, 1 << 20), "queue pairs that an adapter's cache holds"},
    {"miss", "0", UAT_MAY_DIFFER, SIM(miss), LATENCY, "time to fetch a queue pair into this cache"},
    {"bandwidth", "0", UAT_MAY_DIFFER, SIM(bandwidth), UAT_NUMBER(0, 1000000000), "MB/s of an adapter"},
    {"node", "0", UAT_MAY_DIFFER, SIM(node), UAT_NUMBER(0, 65536), "workers per host"},
    {"server", "auto", UAT_MAY_DIFFER, SIM(server),
     UAT_CHOICE({"auto", UAT_SIM_SERVER_AUTO}, {"none", UAT_SIM_SERVER_NONE}, {"host", UAT_SIM_SERVER_HOST},
                {"worker", UAT_SIM_SERVER_WORKER}),
     "what executes atomics; none: the adapter; host, worker: one processor per host or worker, one after the "
     "other; auto: as predefined"},
    {"copy", "0", UAT_MAY_DIFFER, SIM(copy), UAT_NUMBER(0, 1000000000),
     "MB/s at which a waiting task's stack is copied; predefined only for fx10, tsubame and tsubame-am, else copies "
     "take no time"},
    {"fault", "0", UAT_MAY_DIFFER, SIM(fault), LATENCY,
     NULL}, /* time of each first touch of a page of a stack with UAT_STACKS=iso; 0: none */
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_sim_seed_parts[] = {
    {"seed", "0", UAT_MAY_DIFFER, SIM(seed), UAT_NUMBER(0, UINT64_MAX), "seed of the random orders; 0: no adversary"},
    {"order", "promise", UAT_MAY_DIFFER, SIM(order),
     UAT_CHOICE({"promise", UAT_SIM_ORDER_PROMISE}, {"chain", UAT_SIM_ORDER_CHAIN}),
     "order within a chain; promise: only what the transport promises; chain: WRITEs and atomics also stay in order"},
    {"stores", "tso", UAT_MAY_DIFFER, SIM(stores),
     UAT_CHOICE({"tso", UAT_SIM_STORES_TSO}, {"weak", UAT_SIM_STORES_WEAK}),
     "order in which an owner's stores reach memory; tso: program order; weak: any, except at a release or a fence"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_sim_limit_parts[] = {
    {"time", "0", UAT_MAY_DIFFER, SIM(limit), UAT_TIME(0, 1000000000 * UAT_SECONDS, UAT_MILLISECONDS),
     "virtual time after which the job counts as failed; 0: never"},
    {"stop", "0", UAT_MAY_DIFFER, SIM(stop), UAT_TIME(0, 1000000 * UAT_SECONDS, 1),
     "virtual time at which a worker stops, for a debugger; 0: never"},
    {"rank", "any", UAT_MAY_DIFFER, SIM(stop_rank), UAT_NUMBER_OR(0, UAT_SIM_WORKERS_MAX - 1, {"any", (uint64_t)-1}),
     "the worker to stop; any: the first that reaches this time"},
    UAT_LAST_SETTING,
};
static const struct uat_setting uat_sim_rows[] = {
    {"UAT_SIM_NETWORK", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_sim_network_parts), "the simulated network"},
    {"UAT_SIM_TASK", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_sim_task_parts),
     "virtual time that a task takes"},
    {"UAT_SIM_SEED", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_sim_seed_parts),
     "an adversary: the worst orders that the transport's promises allow"},
    {"UAT_SIM_LIMIT", NULL, UAT_MAY_DIFFER, UAT_NO_FIELD, UAT_PARTS(uat_sim_limit_parts),
     "points in virtual time at which the job fails, or a worker stops"},
    UAT_LAST_SETTING,
};
#endif

#endif
