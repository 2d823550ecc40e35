/* SPDX-License-Identifier: MIT */
/* The counters of a worker since uat_init(). Included by uat.h. */
#ifndef UAT_STATS_H
#define UAT_STATS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What one worker has done since uat_init(), or the sum over all workers (stack_bytes_max: the maximum). */
typedef struct {                   /* the structs have no tags, because in C++ a tag would hide the function */
    uint64_t tasks;                /* tasks spawned, roots included */
    uint64_t steal_attempts;       /* attempts to steal */
    uint64_t steals;               /* attempts that succeeded */
    uint64_t steal_bytes;          /* stack bytes moved by steals */
    uint64_t evacuations;          /* stacks that were copied away, because their tasks waited */
    uint64_t evacuated_bytes;      /* bytes of these stacks */
    uint64_t stack_bytes_max;      /* maximum number of stack bytes in use; UAT_STACKS=iso: bytes of pages touched */
    uint64_t round_trips;          /* waits for a one-sided operation, for any purpose */
    uint64_t global_hits;          /* checkouts of far memory whose bytes were in the cache */
    uint64_t global_misses;        /* checkouts of far memory that had to fetch bytes */
    uint64_t global_bytes_fetched; /* bytes fetched from far memory, for checkouts, prefetches and gets */
    uint64_t global_bytes_written; /* bytes written to far memory */
    uint64_t minor_faults;         /* page faults of the worker's process since its start that read nothing from a
                                    * disk; 0 in a simulation */
    uint64_t page_table_bytes;     /* present size of its page tables; 0 in a simulation */
} uat_stats_t;

#define UAT_STATS_ROUND_TRIPS 16

/* All counters: those of uat_stats_t, and the insides of the protocols, which change with them (docs/protocol.md). */
typedef struct {
    uint64_t tasks;                                  /* tasks spawned, roots included */
    uint64_t steal_attempts;                         /* attempts to steal */
    uint64_t victims_peeked;                         /* victims peeked at in these attempts */
    uint64_t steals;                                 /* attempts that succeeded */
    uint64_t attempts_empty;                         /* attempts that found nothing to take */
    uint64_t attempts_lost;                          /* attempts that failed because another thief or the owner was
                                                      * faster */
    uint64_t steal_bytes;                            /* stack bytes moved by steals */
    uint64_t steal_trips;                            /* dependent round trips of successful steals */
    uint64_t trips_histogram[UAT_STATS_ROUND_TRIPS]; /* successful steals by their number of round trips; the last
                                                      * element also counts steals with more */
    uint64_t claims_aborted;                         /* claims that found no entry and were acknowledged as ABORTED */
    uint64_t second_looks;                           /* successful steals that read the slot or the stack twice */
    uint64_t published;                              /* entries published in the ring */
    uint64_t taken_back;                             /* published entries that their owner took back before a thief
                                                      * claimed them */
    uint64_t publications_unacknowledged;            /* publications deferred: an acknowledgement was missing */
    uint64_t records_missing;                        /* publications deferred: no join record was free */
    uint64_t owner_waits;                            /* pops that waited for a thief's acknowledgement */
    uint64_t entries_aborted;                        /* entries returned to their owner by an aborted claim */
    uint64_t given;                                  /* message protocol: entries given to requesting thieves */
    uint64_t requests_refused;                       /* message protocol: this worker's requests that were refused */
    uint64_t requests_withdrawn;                     /* message protocol: requests withdrawn because no answer came */
    uint64_t continued;                              /* entries that the owner itself resumed while the child had not
                                                      * ended */
    uint64_t joins_first;                            /* joins before the child's end, in which the joiner was
                                                      * suspended */
    uint64_t joins_second;                           /* joins after the end of a parted child */
    uint64_t joins_raced;  /* joins_second in which the child ended while the joiner was being evacuated */
    uint64_t ends_first;   /* ends of a parted child before its join */
    uint64_t ends_second;  /* ends that found the joiner waiting, and resumed it (greedy join) */
    uint64_t resumes_away; /* ends_second in which the joiner had been suspended on another worker */
    uint64_t evacuations;  /* stacks copied out of the uni-address region */
    uint64_t evacuated_bytes;
    uint64_t resumed_bytes;                                    /* stack bytes fetched by greedy joins */
    uint64_t stack_bytes_max;                                  /* maximum number of stack bytes in the uni-address
                                                                * region; UAT_STACKS=iso: bytes of pages touched */
    uint64_t ops_read, ops_write, ops_fetch_add, ops_cmp_swap; /* one-sided operations posted */
    uint64_t round_trips;                                      /* waits for a completion, for any purpose */
    /* The one-sided operations that a network adapter executed. Most operations within the local host need no
     * adapter. */
    uint64_t requests_read, requests_write, requests_fetch_add, requests_cmp_swap;
    uint64_t doorbells; /* calls that passed requests to the adapter */
    /* For successful steals only: operations posted, requests to the adapter, doorbells. */
    uint64_t steal_ops_read, steal_ops_write, steal_ops_fetch_add, steal_ops_cmp_swap;
    uint64_t steal_requests_read, steal_requests_write, steal_requests_fetch_add, steal_requests_cmp_swap;
    uint64_t steal_doorbells;
    uint64_t global_hits, global_misses;              /* checkouts of far memory that hit the cache, or missed */
    uint64_t global_bytes_fetched;                    /* bytes fetched from far memory, for checkouts, prefetches and
                                                       * gets */
    uint64_t global_bytes_written;                    /* bytes written to far memory */
    uint64_t global_releases, global_releases_waited; /* releases with data to write back; those of them that waited */
    uint64_t publications_unreleased;                 /* publications deferred: releases took too much time */
    /* UAT_STACKS=iso: pages of stacks that a worker has touched, and those of them that were touched first by a stack
     * from another worker. */
    uint64_t pages_touched, first_touches;
    /* Of the worker's process since its start: page faults that read nothing from a disk, and the present size of its
     * page tables in bytes. 0 in a simulation. */
    uint64_t minor_faults, page_table_bytes;
} uat_stats_detail_t;

/*
 * All functions measure the maximum depth of the stacks, which takes microseconds. Over verbs the whole stack region
 * (UAT_STACK_SIZE) is pinned. The functions must then read all of its unused part, which takes milliseconds. Do not
 * call them inside a timed section.
 */

/* Get this worker's counters. Local calls. They return 0, or -EINVAL for NULL or before uat_init(). */
int uat_stats(uat_stats_t *stats);
int uat_stats_detail(uat_stats_detail_t *stats);

/* Get the counters of all workers together. Collective, outside uat_run(). All workers must call the same function.
 * They return 0 or a negative errno. */
int uat_stats_total(uat_stats_t *stats);
int uat_stats_detail_total(uat_stats_detail_t *stats);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
