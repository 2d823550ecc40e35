/* SPDX-License-Identifier: MIT */
/* The life of a job on this worker: start and end. */
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
#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/doctor.h"
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
#include "runtime/task/idle.h"
#include "runtime/task/fork.h"
#include "runtime/task/sanitize.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/spawn.h"
#include "runtime/task/steal.h"
#include "runtime/task/torture.h"
#include "runtime/task/victims.h"
#include "runtime/task/park.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/watch/call.h"
#include "runtime/watch/die.h"
#include "runtime/watch/fault.h"
#include "runtime/watch/late.h"
#include "runtime/watch/lost.h"
#include "runtime/watch/neighbour.h"
#include "runtime/watch/stall.h"

static struct {
    enum { OUTSIDE, STARTING, OPEN } phase;
    struct uat_options options;
    struct uat_job job;
    struct uat_identity identity; /* ours */
    struct uat_roster roster;     /* of all workers, while the job starts */
    char transport_reason[256];
} job;

/* The steps of a start, in order: see the list below. Each returns 0 or a negative errno, reported. */

static int read_settings(void)
{
    char error[512];
    int rc = uat_options_parse(&job.options, environ, error, sizeof(error));
    if (rc)
        uat_error("%s", error);
    else
        uat_log_set_level((enum uat_log_level)job.options.log);
    return rc;
}

static int fix_addresses(void)
{
    uat_aslr_off();
    return 0;
}

static int note_identity(void)
{
    uat_identity_take(&job.identity, &job.options);
    return 0;
}

static int join_job(void)
{
    static const struct uat_bootstrap_user user = {
        .waiting = uat_stall_fence, .waited = uat_stall_over, .unanswered = uat_neighbour_end};
    int rc = uat_bootstrap_open(&job.job, &job.options, &user);
    if (rc)
        return rc;
    job.phase = STARTING;
    uat_self.rank = job.job.rank;
    uat_self.size = job.job.size;
    memcpy(job.identity.host, job.job.host, sizeof(job.identity.host));
    job.identity.colour = job.job.local_rank % UAT_COLOURS;
    uat_info("worker %d of %d, started by %s", uat_self.rank, uat_self.size, job.job.launcher);
    return 0;
}

static int bind_to_core(void)
{
    enum uat_bind bind = UAT_IS_VIRTUAL() ? UAT_BIND_NONE : (enum uat_bind)job.options.bind;
    uat_binding_take(&job.identity.binding, bind, job.job.local_rank, job.job.local_size);
    return 0;
}

static int map_segment(void)
{
    return uat_segment_open(&job.options, job.identity.colour);
}

static int open_pools(void)
{
    int rc = uat_record_pool_open(&uat_records, uat_segment.records, uat_segment.record_stride, job.options.records);
    if (!rc)
        rc = uat_heap_open(&uat_heap, uat_segment.heap, uat_segment.heap_size);
    if (rc)
        uat_error("no memory for the lists of UAT_RECORDS=%zu records and of the heap of %zu MiB",
                  (size_t)job.options.records, uat_segment.heap_size >> 20);
    return rc;
}

static int open_deque(void)
{
    const struct uat_deque_user user = {.part = uat_spawn_part,
                                        .waiting = uat_stall_ack,
                                        .waited = uat_stall_ack_over,
                                        .before_publication = uat_global_before_publication,
                                        .unreleased = uat_global_unreleased(),
                                        .keep_private = job.options.torture_evacuate};
    int rc = uat_deque_open(&uat_worker.deque, uat_segment.ring, job.options.deque_entries, &user);
    if (rc)
        uat_error("no memory for UAT_DEQUE_ENTRIES=%zu entries", (size_t)job.options.deque_entries);
    else
        uat_deque_stop(&uat_worker.deque);
    return rc;
}

static int open_transport(void)
{
    bool given = job.options.deque == UAT_DEQUE_MESSAGE; /* the victim WRITEs the stack that it gives (M5) */
    const struct uat_transport_config config = {.rank = uat_self.rank,
                                                .size = uat_self.size,
                                                .host = job.job.host,
                                                .segment = uat_segment.start,
                                                .segment_size = uat_segment.size,
                                                .read_only = given ? 0 : uat_segment_region_size(),
                                                .closed = uat_segment.closed,
                                                .segment_fd = uat_segment.fd,
                                                .scratch = uat_segment.scratch,
                                                .shuffle = job.options.torture_delay,
                                                .seed = job.options.torture_seed * 7919 + (uint64_t)uat_self.rank + 1,
                                                .network = &job.options.network};
    const struct uat_transport_class *class = uat_transport_select(&job.options, job.job.local_size == job.job.size,
                                                                   job.transport_reason, sizeof(job.transport_reason));
    snprintf(job.identity.transport, sizeof(job.identity.transport), "%s", class->name);
    int rc = class->open(&config, &uat_self.transport);
    if (!rc)
        uat_info("transport %s (%s)", class->name, job.transport_reason);
    return rc;
}

static int meet_workers(void)
{
    return uat_roster_collect(&job.roster, uat_self.size, &job.identity, uat_self.transport);
}

static int refuse_differences(void)
{
    return uat_identity_compare(&job.identity, job.roster.blobs[0], job.roster.sizes[0]);
}

static int list_colours(void)
{
    uint8_t *colours = uat_roster_colours(&job.roster);
    if (!colours)
        return -ENOMEM;
    uat_segment_set_colours(colours);
    return 0;
}

static int attach_neighbours(void)
{
    return uat_roster_attach(&job.roster, uat_self.transport);
}

static int compare_bindings(void)
{
    /* uatrun itself spreads the workers over the cores that it may use; others it was not given (taskset). */
    bool advise = strcmp(job.job.launcher, "uatrun") != 0;
    int rc = uat_roster_oversubscribed(&job.roster, uat_self.rank, advise);
    if (rc < 0)
        return rc;
    uat_relax_oversubscribed = !UAT_IS_VIRTUAL() && rc;
    if (uat_relax_oversubscribed)
        uat_info("more workers than cores: they give way to each other while they wait");
    return 0;
}

static int share_canary(void)
{
    uat_run_set_canary(job.roster.identity[0]->canary);
    return 0;
}

static int watch_neighbour(void)
{
    return uat_neighbour_open(&job.options, &job.roster, job.job.launcher);
}

static int list_victims(void)
{
    return uat_victims_open(&job.options, job.roster.endpoint, job.job.host);
}

static int prepare_global(void)
{
    const struct uat_options *o = &job.options;
    int *host_of = malloc((size_t)uat_self.size * sizeof(*host_of));
    if (!host_of) {
        uat_error("no memory for the list of hosts");
        return -ENOMEM;
    }
    uat_roster_hosts(&job.roster, host_of);
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
                                             .agree = uat_collective_agree};
    int rc = uat_global_prepare(&config);
    uat_fault_describe(uat_global_explain);
    free(host_of);
    return rc;
}

/* The workers of one kernel and one PID namespace share their replicas; the lowest rank makes them. */
static int share_replicas(void)
{
    int leader = uat_roster_leader(&job.roster, uat_self.rank);
    uat_replica_open(leader, (long)job.roster.identity[leader]->pid, uat_segment.start + uat_segment.size);
    return 0;
}

static int connect_workers(void)
{
    return uat_self.transport->class_->connect(uat_self.transport, job.roster.endpoint);
}

static int end_meeting(void)
{
    uat_roster_forget(&job.roster);
    return 0;
}

static int open_thief(void)
{
    uat_idle_open(job.options.seed, uat_self.rank);
    return uat_steal_open(&job.options);
}

static int open_waits(void)
{
    uat_lost_open(uat_mutex_lost, job.job.host);
    return uat_park_open();
}

static int open_collective(void)
{
    uat_collective_open(uat_self.transport, &uat_segment);
    return 0;
}

static int explain_faults(void)
{
    return uat_fault_open(&uat_worker.deque, job.options.deque_entries);
}

static int watch_waits(void)
{
    uat_late_open(&job.options);
    return uat_stall_open(&job.options, uat_schedule_describe);
}

static int open_trace(void)
{
    return uat_trace_open(job.options.trace, job.job.host);
}

static int open_torture(void)
{
    uat_sanitize_open();
    uat_torture_open(&job.options, uat_self.rank);
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

int uat_init(void)
{
    int refused = uat_call_check_init();
    if (refused)
        return refused;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        int rc = steps[i]();
        if (!rc)
            continue;
        uat_self.transport = NULL; /* runs are refused */
        uat_bootstrap_abort(1);
        return rc;
    }
    job.phase = OPEN;
    uat_call_open();
    uat_die_at_exit(uat_self.size > 1);
    if (uat_doctor_wanted()) {
        bool good = uat_doctor_examine(job.transport_reason);
        exit(uat_finalize() || !good);
    }
    return 0;
}

/* Complete all operations of all workers. */
static int part_workers(void)
{
    int rc = uat_self.transport->class_->quiet(uat_self.transport);
    if (!rc)
        rc = uat_collective_barrier();
    if (!rc) /* the barrier's own FETCH_ADDs may still be on their way to a peer that would unmap their target */
        rc = uat_bootstrap_barrier();
    return rc;
}

int uat_finalize(void)
{
    int refused = uat_call_check(UAT_CALL_FINALIZE);
    if (refused)
        return refused;
    uat_call_enter(UAT_CALL_FINALIZE);
    uat_global_before_barrier();
    int traced = uat_trace_close(), rc = part_workers();
    uat_global_close();
    uat_call_close();
    uat_stall_close();
    uat_neighbour_close();
    uat_lost_close();
    uat_fault_close();
    uat_replica_close();
    uat_park_close();
    uat_steal_close();
    uat_victims_close();
    uat_self.transport->class_->close(uat_self.transport);
    uat_self.transport = NULL;
    uat_self.size = 1;
    uat_deque_close(&uat_worker.deque);
    uat_heap_close(&uat_heap);
    uat_record_pool_close(&uat_records);
    uat_segment_close();
    job.phase = OUTSIDE;
    uat_die_at_exit(false);
    int closed = uat_bootstrap_close();
    return rc ? rc : closed ? closed : traced;
}

const char *uat_setting(const char *name)
{
    if (job.phase != OPEN)
        return NULL;
    if (strcmp(name, "transport") == 0)
        return uat_self.transport->class_->name;
    if (strcmp(name, "transport_reason") == 0)
        return job.transport_reason;
    if (strcmp(name, "deque") == 0)
        return uat_options_deque(&job.options);
    if (strcmp(name, "torture") == 0)
        return uat_options_torture(&job.options);
    if (strcmp(name, "time") == 0)
        return UAT_IS_VIRTUAL() ? "virtual" : "real";
    if (strcmp(name, "launcher") == 0)
        return job.job.launcher;
    return NULL;
}
