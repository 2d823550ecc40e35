/* SPDX-License-Identifier: MIT */
#include "runtime/startup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/options.h"
#include "base/relax.h"
#include "base/virtual.h"
#include "global/global.h"
#include "runtime/collective/collective.h"
#include "runtime/collective/tree.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/record.h"
#include "runtime/memory/segment.h"
#include "runtime/replica.h"
#include "runtime/run.h"
#include "runtime/start/aslr.h"
#include "runtime/start/bootstrap.h"
#include "runtime/start/identity.h"
#include "runtime/start/roster.h"
#include "runtime/start/self.h"
#include "runtime/start/transport_select.h"
#include "runtime/sync/lost.h"
#include "runtime/task/fork.h"
#include "runtime/task/idle.h"
#include "runtime/task/park.h"
#include "runtime/task/sanitize.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/spawn.h"
#include "runtime/task/steal.h"
#include "runtime/task/torture.h"
#include "runtime/task/victims.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/watch/call.h"
#include "runtime/watch/fault.h"
#include "runtime/watch/late.h"
#include "runtime/watch/lost.h"
#include "runtime/watch/neighbour.h"
#include "runtime/watch/stall.h"

struct uat_startup uat_startup;

/* The steps, in order: see the list below. Each returns 0 or a negative errno, reported. */

static int read_settings(void)
{
    char error[512];
    int rc = uat_options_parse(&uat_startup.options, environ, error, sizeof(error));
    if (rc)
        uat_error("%s", error);
    else
        uat_log_set_level((enum uat_log_level)uat_startup.options.log);
    return rc;
}

static int fix_addresses(void)
{
    uat_aslr_off();
    return 0;
}

static int note_identity(void)
{
    uat_identity_take(&uat_startup.identity, &uat_startup.options);
    return 0;
}

static int join_job(void)
{
    static const struct uat_bootstrap_user user = {
        .waiting = uat_stall_fence, .waited = uat_stall_over, .unanswered = uat_neighbour_end};
    int rc = uat_bootstrap_open(&uat_startup.job, &uat_startup.options, &user);
    if (rc)
        return rc;
    uat_self.rank = uat_startup.job.rank;
    uat_self.size = uat_startup.job.size;
    memcpy(uat_startup.identity.host, uat_startup.job.host, sizeof(uat_startup.identity.host));
    uat_startup.identity.colour = uat_startup.job.local_rank % UAT_COLOURS;
    uat_info("worker %d of %d, started by %s", uat_self.rank, uat_self.size, uat_startup.job.launcher);
    return 0;
}

static int bind_to_core(void)
{
    enum uat_bind bind = UAT_IS_VIRTUAL() ? UAT_BIND_NONE : (enum uat_bind)uat_startup.options.bind;
    uat_binding_take(&uat_startup.identity.binding, bind, uat_startup.job.local_rank, uat_startup.job.local_size);
    return 0;
}

static int map_segment(void)
{
    return uat_segment_open(&uat_startup.options, uat_startup.identity.colour);
}

static int open_pools(void)
{
    int rc =
        uat_record_pool_open(&uat_records, uat_segment.records, uat_segment.record_stride, uat_startup.options.records);
    if (!rc)
        rc = uat_heap_open(&uat_heap, uat_segment.heap, uat_segment.heap_size);
    if (rc)
        uat_error("no memory for the lists of UAT_RECORDS=%zu records and of the heap of %zu MiB",
                  (size_t)uat_startup.options.records, uat_segment.heap_size >> 20);
    return rc;
}

static int open_deque(void)
{
    const struct uat_deque_user user = {.part = uat_spawn_part,
                                        .waiting = uat_stall_ack,
                                        .waited = uat_stall_ack_over,
                                        .before_publication = uat_global_before_publication,
                                        .unreleased = uat_global_unreleased(),
                                        .keep_private = uat_startup.options.torture_evacuate};
    int rc = uat_deque_open(&uat_worker.deque, uat_segment.ring, uat_startup.options.deque_entries, &user);
    if (rc)
        uat_error("no memory for UAT_DEQUE_ENTRIES=%zu entries", (size_t)uat_startup.options.deque_entries);
    else
        uat_deque_stop(&uat_worker.deque);
    return rc;
}

static int open_transport(void)
{
    bool given = uat_startup.options.deque == UAT_DEQUE_MESSAGE; /* the victim WRITEs the stack that it gives (M5) */
    const struct uat_transport_config config = {.rank = uat_self.rank,
                                                .size = uat_self.size,
                                                .host = uat_startup.job.host,
                                                .segment = uat_segment.start,
                                                .segment_size = uat_segment.size,
                                                .read_only = given ? 0 : uat_segment_region_size(),
                                                .closed = uat_segment.closed,
                                                .segment_fd = uat_segment.fd,
                                                .scratch = uat_segment.scratch,
                                                .shuffle = uat_startup.options.torture_delay,
                                                .seed = uat_startup.options.torture_seed * 7919 +
                                                        (uint64_t)uat_self.rank + 1,
                                                .network = &uat_startup.options.network};
    const struct uat_transport_class *class =
        uat_transport_select(&uat_startup.options, uat_startup.job.local_size == uat_startup.job.size,
                             uat_startup.transport_reason, sizeof(uat_startup.transport_reason));
    snprintf(uat_startup.identity.transport, sizeof(uat_startup.identity.transport), "%s", class->name);
    int rc = class->open(&config, &uat_self.transport);
    if (!rc)
        uat_info("transport %s (%s)", class->name, uat_startup.transport_reason);
    return rc;
}

static int meet_workers(void)
{
    return uat_roster_collect(&uat_startup.roster, uat_self.size, &uat_startup.identity, uat_self.transport);
}

static int refuse_differences(void)
{
    return uat_identity_compare(&uat_startup.identity, uat_startup.roster.blobs[0], uat_startup.roster.sizes[0]);
}

static int list_colours(void)
{
    uint8_t *colours = uat_roster_colours(&uat_startup.roster);
    if (!colours)
        return -ENOMEM;
    uat_segment_set_colours(colours);
    return 0;
}

static int attach_neighbours(void)
{
    return uat_roster_attach(&uat_startup.roster, uat_self.transport);
}

static int compare_bindings(void)
{
    if (UAT_IS_VIRTUAL()) /* they share one core, and wait in virtual time */
        return 0;
    /* uatrun itself spreads the workers over the cores that it may use; others it was not given (taskset). */
    bool advise = strcmp(uat_startup.job.launcher, "uatrun") != 0;
    int rc = uat_roster_oversubscribed(&uat_startup.roster, uat_self.rank, advise);
    if (rc < 0)
        return rc;
    uat_relax_oversubscribed = rc;
    if (uat_relax_oversubscribed)
        uat_info("more workers than cores: they give way to each other while they wait");
    return 0;
}

static int share_canary(void)
{
    uat_run_set_canary(uat_startup.roster.identity[0]->canary);
    return 0;
}

static int watch_neighbour(void)
{
    return uat_neighbour_open(&uat_startup.options, &uat_startup.roster, uat_startup.job.launcher);
}

static int list_victims(void)
{
    return uat_victims_open(&uat_startup.options, uat_startup.roster.endpoint, uat_startup.job.host);
}

static int prepare_global(void)
{
    const struct uat_options *o = &uat_startup.options;
    int *host_of = malloc((size_t)uat_self.size * sizeof(*host_of));
    if (!host_of) {
        uat_error("no memory for the list of hosts");
        return -ENOMEM;
    }
    uat_roster_hosts(&uat_startup.roster, host_of);
    const struct uat_global_config config = {.transport = uat_self.transport,
                                             .words = uat_segment.global_words,
                                             .host_of = host_of,
                                             .part_size = o->global_size,
                                             .cache_size = o->cache_size,
                                             .hosts = o->global_hosts,
                                             .latency = o->global_latency,
                                             .strict = o->torture_evacuate || o->torture_steal || o->torture_delay,
                                             .late = o->torture_delay,
                                             .seed = o->torture_seed,
                                             .barrier = uat_collective_barrier,
                                             .agree = uat_collective_agree,
                                             .copy = uat_tree_copy};
    int rc = uat_global_prepare(&config);
    uat_fault_describe(uat_global_explain);
    free(host_of);
    return rc;
}

/* The workers of one kernel and one PID namespace share their replicas; the lowest rank makes them. */
static int share_replicas(void)
{
    int leader = uat_roster_leader(&uat_startup.roster, uat_self.rank);
    uat_replica_open(leader, (long)uat_startup.roster.identity[leader]->pid, uat_segment.start + uat_segment.size);
    return 0;
}

static int connect_workers(void)
{
    return uat_self.transport->class_->connect(uat_self.transport, uat_startup.roster.endpoint);
}

static int end_meeting(void)
{
    uat_roster_forget(&uat_startup.roster);
    return 0;
}

static int open_thief(void)
{
    uat_idle_open(uat_startup.options.seed, uat_self.rank, uat_self.transport->cpu_atomics);
    return uat_steal_open(&uat_startup.options);
}

static int open_waits(void)
{
    uat_lost_open(uat_mutex_lost, uat_startup.job.host);
    return uat_park_open();
}

static int open_collective(void)
{
    uat_collective_open(uat_self.transport, &uat_segment);
    return 0;
}

static int explain_faults(void)
{
    return uat_fault_open(&uat_worker.deque, uat_startup.options.deque_entries);
}

static int watch_waits(void)
{
    uat_late_open(&uat_startup.options);
    return uat_stall_open(&uat_startup.options, uat_schedule_describe);
}

static int open_trace(void)
{
    return uat_trace_open(uat_startup.options.trace, uat_startup.job.host);
}

static int open_torture(void)
{
    uat_sanitize_open();
    uat_torture_open(&uat_startup.options, uat_self.rank);
    return 0;
}

static int (*const steps[])(void) = {
    read_settings,         /* UAT_* of the environment */
    fix_addresses,         /* may execute the program again, without address-space randomisation */
    note_identity,         /* what must be equal everywhere: before PMIx loads its plugins */
    watch_waits,           /* UAT_STALL_*, SIGUSR1: also while the job starts */
    join_job,              /* rank, size, launcher; from here on an error ends the job */
    bind_to_core,          /* before memory is touched */
    map_segment,           /* at the same address in all workers */
    open_pools,            /* join records and evacuation heap, in the segment */
    open_deque,            /* its ring is in the segment */
    open_transport,        /* registers the segment */
    meet_workers,          /* publish identity and endpoint, collect those of all */
    refuse_differences,    /* from rank 0: build, settings, addresses */
    list_colours,          /* where each worker has the words that adapters change */
    attach_neighbours,     /* ibv: map and register their segments; then publish endpoints in a second round */
    compare_bindings,      /* sets uat_relax_oversubscribed */
    share_canary,          /* rank 0's, for all */
    watch_neighbour,       /* on the same machine */
    list_victims,          /* near and far */
    prepare_global,        /* hosts; opened by the first call that needs it */
    share_replicas,        /* who has the host's copy */
    connect_workers,       /* to the endpoints */
    end_meeting,           /* frees what was collected */
    open_thief,            /* protocol and landing places */
    open_waits,            /* the list of ready tasks; what is said of those that wait for a lost worker */
    open_collective,       /* barriers, ends of runs */
    explain_faults,        /* overflow of stacks and deque */
    uat_bootstrap_barrier, /* all workers are ready for remote operations */
    uat_fork_open,         /* what fork() does in a task */
    open_trace,            /* UAT_TRACE; compares clocks over the transport */
    open_torture,          /* UAT_TORTURE */
};

int uat_startup_go(void)
{
    int rc = 0;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !rc; i++)
        rc = steps[i]();
    return rc;
}
