/* SPDX-License-Identifier: MIT */
#include "base/config.h"
#include "base/log.h"
#include "base/option.h"
#include "base/options.h"

static const char *const deque_choices[] = {
    [UAT_DEQUE_LOCK] = "lock", [UAT_DEQUE_CLAIM] = "claim", [UAT_DEQUE_MESSAGE] = "message", NULL};

const char *uat_options_deque(const struct uat_options *options)
{
    return deque_choices[options->deque];
}

static const char *const victims_choices[] = {[UAT_VICTIMS_RANDOM] = "random", [UAT_VICTIMS_NEAR] = "near", NULL};
static const char *const transport_choices[] = {[UAT_TRANSPORT_AUTO] = "auto",
                                                [UAT_TRANSPORT_SHM] = "shm",
                                                [UAT_TRANSPORT_IBV] = "ibv",
                                                [UAT_TRANSPORT_SIM] = "sim",
                                                NULL};
static const char *const bind_choices[] = {
    [UAT_BIND_AUTO] = "auto", [UAT_BIND_CORE] = "core", [UAT_BIND_NONE] = "none", NULL};
static const char *const log_choices[] = {
    [UAT_LOG_ERROR] = "error", [UAT_LOG_WARN] = "warn", [UAT_LOG_INFO] = "info", NULL};
static const char *const connect_choices[] = {
    [UAT_CONNECT_WORKER] = "worker", [UAT_CONNECT_HOST] = "host", [UAT_CONNECT_RDMACM] = "rdmacm", NULL};
static const char *const subnet_choices[] = {[UAT_SUBNET_SAME] = "same", [UAT_SUBNET_ANY] = "any", NULL};
static const char *const post_choices[] = {[UAT_POST_CHAIN] = "chain", [UAT_POST_ALONE] = "alone", NULL};
static const char *const neighbours_choices[] = {
    [UAT_NEIGHBOURS_CPU] = "cpu", [UAT_NEIGHBOURS_ADAPTER] = "adapter", NULL};

static const char *const sim_network_choices[] = {
    [UAT_SIM_NETWORK_CX6] = "cx6", [UAT_SIM_NETWORK_FX10] = "fx10", [UAT_SIM_NETWORK_QDR] = "qdr", NULL};
static const char *const sim_order_choices[] = {
    [UAT_SIM_ORDER_PROMISE] = "promise", [UAT_SIM_ORDER_CHAIN] = "chain", NULL};

#define FIELD(member) offsetof(struct uat_options, member)

#define UNSIGNED(label, member, config, step, unit_text, text)                                                         \
    {                                                                                                                  \
        .name = label, .kind = OPTION_UNSIGNED, .offset = FIELD(member), .initial = config##_DEFAULT,                  \
        .low = config##_MIN, .high = config##_MAX, .multiple = step, .unit = unit_text, .meaning = text                \
    }
#define INT(label, member, first, least, most, text)                                                                   \
    {                                                                                                                  \
        .name = label, .kind = OPTION_INT, .offset = FIELD(member), .initial = first, .low = least, .high = most,      \
        .unit = "", .meaning = text                                                                                    \
    }
#define CHOICE(label, member, first, words, text)                                                                      \
    {                                                                                                                  \
        .name = label, .kind = OPTION_CHOICE, .offset = FIELD(member), .initial = first, .choices = words, .unit = "", \
        .meaning = text                                                                                                \
    }

const struct uat_option uat_option_table[] = {
    {.name = "UAT_SEGMENT_ADDRESS",
     .kind = OPTION_ADDRESS,
     .offset = FIELD(segment_address),
     .initial = UAT_SEGMENT_ADDRESS_DEFAULT,
     .low = UAT_SEGMENT_ADDRESS_MIN,
     .high = UAT_SEGMENT_ADDRESS_MAX,
     .multiple = UAT_SEGMENT_ADDRESS_ALIGNMENT,
     .unit = "",
     .meaning = "virtual address of the segment, the same in all workers; a multiple of 2 MiB"},
    UNSIGNED("UAT_STACK_SIZE", stack_size, UAT_STACK_SIZE, UAT_PAGE_SIZE, "bytes",
             "room for the stacks of running tasks"),
    UNSIGNED("UAT_HEAP_SIZE", heap_size, UAT_HEAP_SIZE, UAT_PAGE_SIZE, "bytes", "room for the stacks of waiting tasks"),
    UNSIGNED("UAT_RECORDS", records, UAT_RECORDS, 1, "", "join records per worker"),
    UNSIGNED("UAT_RESULT_MAX", result_max, UAT_RESULT_MAX, UAT_RESULT_MAX_MULTIPLE, "bytes",
             "largest result of a task"),
    UNSIGNED("UAT_DEQUE_ENTRIES", deque_entries, UAT_DEQUE_ENTRIES, 1, "", "depth of spawns on one worker"),
    UNSIGNED("UAT_GLOBAL_SIZE", global_size, UAT_GLOBAL_SIZE, UAT_PAGE_SIZE, "bytes",
             "room for a worker's objects in global memory"),
    UNSIGNED("UAT_CACHE_SIZE", cache_size, UAT_CACHE_SIZE, UAT_PAGE_SIZE, "bytes",
             "a worker's cache of far global memory"),
    INT("UAT_GLOBAL_HOSTS", global_hosts, 0, 0, UAT_GLOBAL_HOSTS_MAX,
        "for tests: make the workers look like those of so many hosts; 0: as it is"),
    INT("UAT_GLOBAL_LATENCY", global_latency, 0, 0, UAT_GLOBAL_LATENCY_MAX,
        "for tests: ns that a round trip to the global memory of such a host takes"),
    CHOICE("UAT_DEQUE", deque, UAT_DEQUE_CLAIM, deque_choices, "how a thief gets a task"),
    INT("UAT_PEEK", peek, 1, 0, 1, "0: thieves take the lock, or ask, without looking first"),
    INT("UAT_PEEKS", peeks, UAT_PEEKS_DEFAULT, 0, UAT_PEEKS_LIMIT,
        "victims an idle worker looks at in one round trip; 0: 4 in a job of one host, else 2"),
    CHOICE("UAT_VICTIMS", victims, UAT_VICTIMS_RANDOM, victims_choices,
           "whom an idle worker looks at: any, or its host first"),
    CHOICE("UAT_TRANSPORT", transport, UAT_TRANSPORT_AUTO, transport_choices, "what moves data between workers"),
    CHOICE("UAT_BIND", bind, UAT_BIND_AUTO, bind_choices,
           "binding of workers to cores; auto: unless the launcher has bound them"),
    CHOICE("UAT_LOG", log, UAT_LOG_WARN, log_choices, "the least important messages that are still shown"),
    INT("UAT_STALL_TIMEOUT", stall_timeout, UAT_STALL_TIMEOUT_DEFAULT, 0, UAT_STALL_MAX,
        "seconds until a wait for another worker's step is reported; 0: never"),
    INT("UAT_STALL_LIMIT", stall_limit, UAT_STALL_LIMIT_DEFAULT, 0, UAT_STALL_MAX,
        "seconds until such a wait ends the job; 0: never"),
    {.name = "UAT_SEED",
     .kind = OPTION_UNSIGNED,
     .offset = FIELD(seed),
     .high = UINT64_MAX,
     .multiple = 1,
     .unit = "",
     .meaning = "of the random choice of victims; 0: the rank"},
    {.name = "UAT_TORTURE",
     .kind = OPTION_TORTURE,
     .unit = "",
     .meaning = "for tests: evacuate or steal, delay=SEED, or two with a comma"},
    {.name = "UAT_TRACE",
     .kind = OPTION_PATH,
     .offset = FIELD(trace),
     .unit = "",
     .meaning = "file for a timeline of all workers, written by rank 0 at the end; for Perfetto"},
    {.name = "UAT_NET_DEVICES",
     .kind = OPTION_DEVICE,
     .offset = FIELD(network),
     .unit = "",
     .meaning = "device[:port] of the ibv transport"},
    INT("UAT_GID_INDEX", network.gid_index, -1, -1, UAT_GID_INDEX_MAX,
        "index of the port's GID; -1: chosen by the library"),
    INT("UAT_IB_SL", network.service_level, 0, 0, UAT_IB_SL_MAX, "InfiniBand service level"),
    INT("UAT_IB_TRAFFIC_CLASS", network.traffic_class, 0, 0, UAT_IB_TRAFFIC_CLASS_MAX, "InfiniBand traffic class"),
    INT("UAT_IB_PKEY", network.pkey, -1, -1, UAT_IB_PKEY_MAX,
        "InfiniBand partition key; -1: the first one of the port"),
    CHOICE("UAT_IB_SUBNET", network.subnet, UAT_SUBNET_SAME, subnet_choices,
           "network that a worker's port must be in: that of rank 0's port, or, with RoCE v2, any that routers join to "
           "it"),
    INT("UAT_IB_TIMEOUT", network.timeout, UAT_IB_TIMEOUT_DEFAULT, 1, UAT_IB_TIMEOUT_MAX,
        "time until an unanswered request is repeated: 4.096 us x 2 to this power; 17: 0.54 s"),
    INT("UAT_IB_RETRY_CNT", network.retries, UAT_IB_RETRY_CNT_DEFAULT, 0, UAT_IB_RETRY_CNT_MAX,
        "how often it is repeated before the job ends; 7 is for ever on Soft-RoCE"),
    CHOICE("UAT_IB_POST", network.post, UAT_POST_CHAIN, post_choices,
           "posting of a chain that begins with an atomic: as one, or the atomic alone and then the rest"),
    CHOICE("UAT_CONNECT", network.connect, UAT_CONNECT_HOST, connect_choices,
           "connections of the ibv transport: one to each worker, one to each host, or that by librdmacm"),
    CHOICE("UAT_IB_NEIGHBOURS", network.neighbours, UAT_NEIGHBOURS_CPU, neighbours_choices,
           "who READs and WRITEs segments of the own host with these connections: the processor or the adapter"),
    UNSIGNED("UAT_SIM_TASK", sim_task, UAT_SIM_TASK, 1, "", "sim: nanoseconds that each task takes"),
    UNSIGNED("UAT_SIM_CPU", sim_cpu, UAT_SIM_CPU, 1, "",
             "sim: percent of the measured processor time that pass besides; 0: two runs are alike"),
    UNSIGNED("UAT_SIM_QUANTUM", sim_quantum, UAT_SIM_QUANTUM, 1, "",
             "sim: nanoseconds that a worker's tasks may run ahead of the others; 0: exact"),
    CHOICE("UAT_SIM_NETWORK", sim_network, UAT_SIM_NETWORK_CX6, sim_network_choices, "sim: the network"),
    UNSIGNED("UAT_SIM_ROUND_TRIP", sim_round_trip, UAT_SIM_NS, 1, "",
             "sim: nanoseconds of a small READ; 0: as the network has it"),
    UNSIGNED("UAT_SIM_ATOMIC", sim_atomic, UAT_SIM_NS, 1, "",
             "sim: nanoseconds that an atomic takes longer; 0: as the network has it"),
    UNSIGNED("UAT_SIM_GAP", sim_gap, UAT_SIM_NS, 1, "",
             "sim: nanoseconds between two requests at an adapter; 0: as the network has it"),
    UNSIGNED("UAT_SIM_BANDWIDTH", sim_bandwidth, UAT_SIM_BANDWIDTH, 1, "",
             "sim: megabytes per second of an adapter; 0: as the network has it"),
    UNSIGNED("UAT_SIM_NODE", sim_node, UAT_SIM_NODE, 1, "", "sim: workers of a host; 0: as the network has it"),
    UNSIGNED("UAT_SIM_SEED", sim_seed, UAT_SIM_SEED, 1, "", "sim: of the worst orders that are allowed; 0: no such"),
    CHOICE("UAT_SIM_ORDER", sim_order, UAT_SIM_ORDER_PROMISE, sim_order_choices,
           "sim: with a seed, what a chain keeps: the order that is promised, or also WRITEs and atomics in its own"),
    UNSIGNED("UAT_SIM_STOP", sim_stop, UAT_SIM_STOP, 1, "",
             "sim: nanoseconds of virtual time at which a worker stops for a debugger; 0: never"),
    INT("UAT_SIM_STOP_RANK", sim_stop_rank, -1, -1, UAT_SIM_WORKERS_MAX - 1,
        "sim: which worker stops; -1: the first one that comes there"),
    UNSIGNED("UAT_SIM_LIMIT", sim_limit, UAT_SIM_LIMIT, 1, "",
             "sim: milliseconds of virtual time after which the job has failed; 0: never"),
};

const int uat_option_count = sizeof(uat_option_table) / sizeof(uat_option_table[0]);
