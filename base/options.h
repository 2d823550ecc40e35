/* SPDX-License-Identifier: MIT */
/* The settings: environment variables UAT_*, read once at start-up. One table in options.c describes them all. */
#ifndef UAT_OPTIONS_H
#define UAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/network.h"

enum uat_deque_protocol { UAT_DEQUE_LOCK, UAT_DEQUE_CLAIM, UAT_DEQUE_MESSAGE };
enum uat_transport_choice { UAT_TRANSPORT_AUTO, UAT_TRANSPORT_SHM, UAT_TRANSPORT_IBV, UAT_TRANSPORT_SIM };
enum uat_victims_order { UAT_VICTIMS_RANDOM, UAT_VICTIMS_NEAR };
enum uat_bind { UAT_BIND_AUTO, UAT_BIND_CORE, UAT_BIND_NONE };
enum { UAT_TRACE_NAME_MAX = 512 /* bytes, the 0 at the end included */ };
enum uat_sim_network_choice { UAT_SIM_NETWORK_CX6, UAT_SIM_NETWORK_FX10, UAT_SIM_NETWORK_QDR };
enum uat_sim_order { UAT_SIM_ORDER_PROMISE, UAT_SIM_ORDER_CHAIN };

struct uat_options {
    uint64_t segment_address; /* UAT_SEGMENT_ADDRESS: virtual address of the segment, a multiple of 2 MiB */
    uint64_t stack_size;      /* UAT_STACK_SIZE: bytes of the uni-address region */
    uint64_t heap_size;       /* UAT_HEAP_SIZE: bytes of the evacuation heap */
    uint64_t records;         /* UAT_RECORDS: join records per worker */
    uint64_t result_max;      /* UAT_RESULT_MAX: largest result of a task, bytes */
    uint64_t deque_entries;   /* UAT_DEQUE_ENTRIES: depth of spawns on one worker */
    int deque;                /* UAT_DEQUE: enum uat_deque_protocol */
    int peek;                 /* UAT_PEEK: 0 = the lock and the message protocol try without looking first */
    int peeks;                /* UAT_PEEKS: victims an idle worker looks at in one round trip; 0 = by the hosts */
    int victims;              /* UAT_VICTIMS: enum uat_victims_order */
    int transport;            /* UAT_TRANSPORT: enum uat_transport_choice */
    int bind;                 /* UAT_BIND: enum uat_bind */
    int log;                  /* UAT_LOG: enum uat_log_level */
    int stall_timeout;        /* UAT_STALL_TIMEOUT: seconds until a wait for a peer's step is reported; 0 = never */
    int stall_limit;          /* UAT_STALL_LIMIT: seconds until it ends the job; 0 = never */
    uint64_t global_size;     /* UAT_GLOBAL_SIZE: bytes of objects in one worker's part */
    uint64_t cache_size;      /* UAT_CACHE_SIZE: bytes of the cache of far memory */
    int global_hosts;         /* UAT_GLOBAL_HOSTS: 0 = as they are */
    int global_latency;       /* UAT_GLOBAL_LATENCY: ns */
    uint64_t seed;            /* UAT_SEED: of the victims' order */
    bool torture_evacuate;    /* UAT_TORTURE=evacuate */
    bool torture_steal;       /* UAT_TORTURE=steal */
    bool torture_delay;       /* UAT_TORTURE=delay=SEED */
    uint64_t torture_seed;
    struct uat_network network;     /* UAT_NET_DEVICES, UAT_GID_INDEX, UAT_IB_*, UAT_CONNECT */
    char trace[UAT_TRACE_NAME_MAX]; /* UAT_TRACE: file of the timeline; "" = none */
    uint64_t sim_task;              /* UAT_SIM_TASK: ns */
    uint64_t sim_cpu;               /* UAT_SIM_CPU: percent of the measured processor time */
    uint64_t sim_quantum;           /* UAT_SIM_QUANTUM: ns */
    int sim_network;                /* UAT_SIM_NETWORK: enum uat_sim_network_choice */
    uint64_t sim_round_trip;        /* UAT_SIM_ROUND_TRIP: ns; 0, here and in the next four: the network's own */
    uint64_t sim_atomic;            /* UAT_SIM_ATOMIC: ns */
    uint64_t sim_gap;               /* UAT_SIM_GAP: ns */
    uint64_t sim_bandwidth;         /* UAT_SIM_BANDWIDTH: MB/s */
    uint64_t sim_node;              /* UAT_SIM_NODE: workers of a host */
    uint64_t sim_seed;              /* UAT_SIM_SEED: 0 = no adversary */
    int sim_order;                  /* UAT_SIM_ORDER: enum uat_sim_order */
    uint64_t sim_stop;              /* UAT_SIM_STOP: ns; 0 = never */
    int sim_stop_rank;              /* UAT_SIM_STOP_RANK: -1 = whoever comes there first */
    uint64_t sim_limit;             /* UAT_SIM_LIMIT: ms of virtual time; 0 = none */
};

/*
 * Read every UAT_* variable of env ("NAME=value" strings, NULL at the end) over the defaults. A comma-separated
 * UAT_TORTURE combines modes. Returns 0, or -EINVAL with one line in error: the variable, its value, what is
 * allowed, and for an unknown variable the nearest known name. *out is set only on success.
 */
int uat_options_parse(struct uat_options *out, char *const *env, char *error, size_t error_size);

/* The setting UAT_TORTURE as text, "none" if there is none. */
const char *uat_options_torture(const struct uat_options *options);

/* The setting UAT_DEQUE as text. */
const char *uat_options_deque(const struct uat_options *options);

/* Print the table of options: name, default, meaning; for --help. */
void uat_options_print(FILE *out);

#endif
