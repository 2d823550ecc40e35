/* SPDX-License-Identifier: MIT */
/* The cost of the simulated network: a LogGP-like model of one-sided operations through one adapter per host. */
#ifndef UAT_SIM_NETWORK_H
#define UAT_SIM_NETWORK_H

#include <stdint.h>

/* The unit that executes atomics on the memory of a host's workers. A server executes atomics one after the other. */
enum sim_server {
    SIM_SERVER_NONE,   /* the adapter, like all other requests */
    SIM_SERVER_HOST,   /* a processor of the host: HPDC'15's communication server */
    SIM_SERVER_WORKER, /* an extra core of each worker, as in JIP 2016 */
};

struct sim_network {
    uint64_t post;          /* ns that the CPU takes to post a chain */
    uint64_t one_way;       /* ns from an adapter to another host's memory; a small READ takes twice this time */
    uint64_t local_one_way; /* ns through loopback to a worker of the same host */
    uint64_t write_one_way; /* like one_way, for a chain of only WRITEs */
    uint64_t atomic;        /* ns by which an atomic is slower than a READ; it occupies a server for this time */
    enum sim_server server;
    uint64_t copy;            /* bytes per us when a worker copies a stack in its own memory; 0: a copy takes no time */
    uint64_t fault;           /* ns that a page fault of iso-address takes (fault.h); 0: no faults */
    uint64_t gap;             /* ns between two requests at one adapter, if the first one is no WRITE */
    uint64_t write_gap;       /* the same after a WRITE */
    uint64_t word;            /* ns for which an atomic holds the lock of its word (adapter.h); 0: no lock */
    uint64_t device;          /* the same if the words are in the adapter's own memory */
    uint64_t each;            /* ns between two atomics of one adapter, on any words; 0: no limit */
    uint64_t pairs;           /* queue pairs that an adapter's cache holds; 0: all */
    uint64_t miss;            /* ns that an adapter takes to fetch a queue pair into its cache */
    uint64_t bandwidth;       /* bytes per us of an adapter */
    uint64_t local_bandwidth; /* bytes per us within a host */
    int node;                 /* workers per host, and so per adapter */
};

/* The preset that UAT_SIM_NETWORK names, with the setting's changes applied. docs/simulation.md gives the sources. */
struct sim_network uat_sim_network_choose(void);

/* Time in ns for which `bytes` occupy a link. */
static inline uint64_t sim_transfer(uint64_t bytes, uint64_t bandwidth)
{
    return bytes * 1000 / bandwidth;
}

#endif
