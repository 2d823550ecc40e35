/* SPDX-License-Identifier: MIT */
/*
 * What all processes of one run of `fakeverbs` share: the devices, the objects that peers find by number, and counts.
 * The state is a memory object without a name, so nothing is left, however the processes end. The command `fakeverbs`
 * holds the object open, and each process maps the object through the path in the environment variable FAKE_VERBS.
 *
 * The memory object is zero at first. An object's number is its index in its table; index 0 is unused. Numbers are not
 * reused.
 */
#ifndef FAKE_STATE_H
#define FAKE_STATE_H

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stdint.h>

#define FAKE_VARIABLE "FAKE_VERBS"

/* The calls that are counted. --fail can let them fail, except those that give something back (DEREG_MR to
 * CLOSE_DEVICE). `text` is the name in --count and --fail. */
#define FAKE_CALL_LIST(X)                                                                                              \
    X(GET_DEVICE_LIST, "get_device_list")                                                                              \
    X(OPEN_DEVICE, "open_device")                                                                                      \
    X(QUERY_DEVICE, "query_device")                                                                                    \
    X(QUERY_PORT, "query_port")                                                                                        \
    X(QUERY_GID, "query_gid")                                                                                          \
    X(QUERY_PKEY, "query_pkey")                                                                                        \
    X(FORK_INIT, "fork_init")                                                                                          \
    X(ALLOC_PD, "alloc_pd")                                                                                            \
    X(ALLOC_TD, "alloc_td")                                                                                            \
    X(ALLOC_PARENT_DOMAIN, "alloc_parent_domain")                                                                      \
    X(REG_MR, "reg_mr")                                                                                                \
    X(CREATE_CQ, "create_cq")                                                                                          \
    X(CREATE_QP, "create_qp")                                                                                          \
    X(MODIFY_QP, "modify_qp")                                                                                          \
    X(IMPORT_DEVICE, "import_device")                                                                                  \
    X(IMPORT_PD, "import_pd")                                                                                          \
    X(IMPORT_MR, "import_mr")                                                                                          \
    X(POST_SEND, "post_send")                                                                                          \
    X(POLL_CQ, "poll_cq")                                                                                              \
    X(GET_ASYNC_EVENT, "get_async_event")                                                                              \
    X(DEREG_MR, "dereg_mr")                                                                                            \
    X(DESTROY_QP, "destroy_qp")                                                                                        \
    X(DESTROY_CQ, "destroy_cq")                                                                                        \
    X(DEALLOC_PD, "dealloc_pd")                                                                                        \
    X(CLOSE_DEVICE, "close_device")                                                                                    \
    X(PMIX_INIT, "pmix_init")                                                                                          \
    X(PMIX_PUT, "pmix_put")                                                                                            \
    X(PMIX_GET, "pmix_get")                                                                                            \
    X(PERSONALITY, "personality")                                                                                      \
    /* Sums, not calls: */                                                                                             \
    X(MR_BYTES, "mr_bytes")                                                                                            \
    X(MR_PAGES, "mr_pages")                                                                                            \
    X(MR_RELAXED, "mr_relaxed")                                                                                        \
    X(PMIX_PUT_BYTES, "pmix_put_bytes")                                                                                \
    X(PMIX_GET_BYTES, "pmix_get_bytes")                                                                                \
    X(PAIRS_AT_ONCE, "pairs_at_once")                                                                                  \
    X(REQUESTS, "requests")                                                                                            \
    X(ATOMICS, "atomics")

#define FAKE_CALL_ENUM(name, text) FAKE_##name,
enum fake_call { FAKE_CALL_LIST(FAKE_CALL_ENUM) FAKE_CALLS };
extern const char *const fake_call_names[FAKE_CALLS];

enum {
    FAKE_DEVICES = 16,
    FAKE_PORTS = 2, /* maximum ports of a device */
    FAKE_GIDS = 16,
    FAKE_PKEYS = 8,
    FAKE_HOSTS = 64,
    FAKE_FAILURES = 8,
    FAKE_RANKS = 1024,
    FAKE_OBJECTS = 1 << 14,
    FAKE_DOMAINS = 1 << 16,
    FAKE_REGIONS = 1 << 20,
    FAKE_PAIRS = 1 << 20
};

struct fake_gid {
    uint32_t index, type; /* enum ibv_gid_type */
    union ibv_gid gid;
};

struct fake_port {
    struct ibv_port_attr attr;
    uint32_t fabric;           /* ports of different fabrics cannot reach each other, whatever their addresses */
    uint32_t service_level;    /* packets of other service levels are dropped */
    uint32_t traffic_class;    /* packets of other traffic classes are dropped; 0: of none */
    uint16_t unordered_levels; /* a mask of the service levels whose packets an mlx5 device delivers out of order */
    uint32_t gids, pkeys;
    struct fake_gid gid[FAKE_GIDS];
    uint16_t pkey[FAKE_PKEYS];
};

struct fake_device {
    char name[IBV_SYSFS_NAME_MAX];
    char sysfs[64]; /* a folder with the kernel's files for a device; "": there is none */
    struct ibv_device_attr attr;
    struct ibv_pci_atomic_caps pci_atomics;
    int host;          /* exists on this host only; -1: on all */
    int numa_node;     /* -1: unknown */
    int max_contexts;  /* maximum contexts that are open on a host at the same time; 0: no limit */
    int max_inline;    /* bytes */
    bool has_rc;       /* the device supports queue pairs for reliable connections */
    bool relaxed_only; /* the device refuses memory keys without IBV_ACCESS_RELAXED_ORDERING */
    bool relaxes;      /* an mlx5 device that reports that its memory keys are always relaxed */
    int open_ms;       /* milliseconds that ibv_open_device() takes */
    int pair_us;       /* microseconds that a call for a queue pair takes; calls of several threads overlap */
    bool small_pages;  /* the kernel backs shared memory without huge pages */
    int answers;       /* how many of a process's requests are answered before the network is cut; 0: it is not cut */
    int cut_ms;        /* milliseconds for which the network is cut; 0: forever */
    bool late_writes;  /* WRITEs reach memory only when the process polls for completions */
    bool early_reads;  /* a READ without a fence passes the atomic or the WRITE before it */
    bool load_store;   /* an atomic is a load and, later, a store: only atomics through this device exclude it */
    int page_kib;      /* size of the kernel's smallest pages; 0: the real one */
    bool wrong_reads;  /* READs return wrong bytes, as if another host had the same address */
    struct fake_port port[FAKE_PORTS];
};

/* Lets the `at`-th call of a kind fail in the process of a rank. */
struct fake_failure {
    int rank; /* -1: any rank; each process counts its own calls */
    enum fake_call call;
    uint64_t at; /* counted from 1; 0: each call fails */
    int error;
};

/* A memory object, with the process that made it and its descriptor there, through which peers open the object. */
struct fake_object {
    int pid, fd;
    uint64_t inode;
};

struct fake_domain {
    int live, pid, device, host;
};

struct fake_region {
    int live, pid;
    uint32_t domain, access;
    uint64_t address, length, iova;
};

struct fake_pair {
    int live, pid, state, device, port, host;
    uint32_t domain, access, peer;
    uint32_t sq_psn, rq_psn, service_level, traffic_class;
    uint32_t timeout, retries; /* of unanswered requests */
};

struct fake_state {
    int hosts;  /* the number of hosts among which the workers are distributed */
    bool apart; /* each worker sees a separate PID namespace */
    int devices;
    int failures;
    struct fake_device device[FAKE_DEVICES];
    struct fake_failure failure[FAKE_FAILURES];
    int used_contexts[FAKE_HOSTS][FAKE_DEVICES], used_pairs[FAKE_HOSTS][FAKE_DEVICES],
        used_regions[FAKE_HOSTS][FAKE_DEVICES];
    uint64_t count[FAKE_RANKS][FAKE_CALLS];
    uint64_t served[FAKE_HOSTS][FAKE_DEVICES]; /* bytes that READs and WRITEs of peers have moved through this device */
    uint32_t busy[FAKE_HOSTS][FAKE_DEVICES];   /* 1 while a device with load_store executes an atomic */
    uint32_t objects, domains, regions, pairs; /* the last numbers that were assigned */
    struct fake_object object[FAKE_OBJECTS];
    struct fake_domain domain[FAKE_DOMAINS];
    struct fake_region region[FAKE_REGIONS];
    struct fake_pair pair[FAKE_PAIRS];
};

#endif
