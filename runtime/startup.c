/* SPDX-License-Identifier: MIT */
#include "runtime/startup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/relax.h"
#include "base/virtual.h"
#include "base/word.h"
#include "runtime/global/global.h"
#include "runtime/job/collective.h"
#include "runtime/job/tree.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"
#include "runtime/settings.h"
#include "runtime/job/settings.h"
#include "runtime/sched/settings.h"
#include "runtime/layout.h"
#include "runtime/replica.h"
#include "runtime/run.h"
#include "runtime/job/aslr.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/identity.h"
#include "runtime/job/roster.h"
#include "runtime/job/self.h"
#include "runtime/job/transport_select.h"
#include "runtime/sync/lost.h"
#include "runtime/sched/fork.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/park.h"
#include "runtime/sched/sanitize.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/spawn.h"
#include "runtime/sched/steal.h"
#include "runtime/sched/torture.h"
#include "runtime/sched/victims.h"
#include "runtime/sched/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/job/call.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/lost.h"
#include "runtime/job/neighbour.h"
#include "runtime/job/stall.h"

struct uat_startup uat_startup;

/* The steps, in order: see the list below. Each returns 0 or a negative errno, reported. */

/* Refuse to start in a privileged program. Its settings come from the environment, and name files to write and
 * libraries to load. */
static int refuse_privilege(void)
{
    if (!getauxval(AT_SECURE))
        return 0;
    uat_error(
        "this program has the rights of another user or group, or capabilities of its file: any user who starts it "
        "would use them by UAT_* settings; take the bits away (chmod u-s,g-s; setcap -r)");
    return -EPERM;
}

static int refuse_processor(void)
{
    const char *obstacle = uat_cpu_obstacle();
    if (obstacle)
        uat_error("%s", obstacle);
    return obstacle ? -ENOTSUP : 0;
}

static int read_settings(void)
{
    char error[512];
    int rc = uat_settings_read(uat_settings, environ, error, sizeof(error));
    if (rc)
        uat_error("%s", error);
    else
        uat_log_set_level((enum uat_log_level)uat_job_settings.log);
    return rc;
}

static int fix_addresses(void)
{
    uat_aslr_off();
    return 0;
}

static int lay_out(void)
{
    uat_layout();
    return 0;
}

static int note_identity(void)
{
    uat_identity_take(&uat_startup.identity, uat_settings);
    return 0;
}

static int join_job(void)
{
    static const struct uat_bootstrap_user user = {
        .waiting = uat_stall_fence, .waited = uat_stall_over, .unanswered = uat_neighbour_end};
    int rc = uat_bootstrap_open(&uat_startup.job, &user);
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
    enum uat_bind bind = UAT_IS_VIRTUAL() ? UAT_BIND_NONE : (enum uat_bind)uat_job_settings.bind;
    uat_binding_take(&uat_startup.identity.binding, bind, uat_startup.job.local_rank, uat_startup.job.local_size);
    return 0;
}

static int map_segment(void)
{
    return uat_segment_open(uat_startup.identity.colour);
}

static int open_pools(void)
{
    int rc = uat_record_pool_open(&uat_records, uat_segment.records, uat_segment.record_stride,
                                  uat_segment_settings.records);
    if (!rc)
        rc = uat_heap_open(&uat_heap, uat_segment.heap, uat_segment.heap_size);
    if (rc)
        uat_record_pool_close(&uat_records);
    if (rc)
        uat_error("no memory for the lists of UAT_RECORDS=%zu records and of the heap of %zu MiB",
                  (size_t)uat_segment_settings.records, uat_segment.heap_size >> 20);
    return rc;
}

static int open_deque(void)
{
    const struct uat_deque_user user = {.part = uat_spawn_part,
                                        .waiting = uat_stall_ack,
                                        .waited = uat_stall_ack_over,
                                        .before_publication = uat_global_before_publication,
                                        .unreleased = uat_global_unreleased(),
                                        .rank = uat_self.rank,
                                        .keep_private = uat_sched_settings.torture == UAT_TORTURE_EVACUATE};
    int rc = uat_deque_open(&uat_worker.deque, uat_steal_ring(), uat_deque_settings.entries, &user);
    if (rc)
        uat_error("no memory for UAT_DEQUE_ENTRIES=%zu entries", (size_t)uat_deque_settings.entries);
    else
        uat_deque_stop(&uat_worker.deque);
    return rc;
}

static int open_transport(void)
{
    const struct uat_transport_config config = {.rank = uat_self.rank,
                                                .size = uat_self.size,
                                                .host = uat_startup.job.host,
                                                .segment = uat_segment.start,
                                                .segment_size = uat_segment.size,
                                                .read_only = uat_segment.read_only,
                                                .closed = uat_segment.closed,
                                                .segment_fd = uat_segment.fd,
                                                .scratch = uat_layout_scratch(),
                                                .shuffle = uat_torture_delays(),
                                                .seed = uat_torture_seed() * 7919 + (uint64_t)uat_self.rank + 1,
                                                .wait_report = uat_job_settings.stall_timeout,
                                                .wait_limit = uat_job_settings.stall_limit};
    const struct uat_transport_class *class =
        uat_transport_select(uat_startup.job.local_size == uat_startup.job.size, uat_startup.transport_reason,
                             sizeof(uat_startup.transport_reason));
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
    return uat_identity_compare(&uat_startup.identity, uat_startup.roster.blobs[0], uat_startup.roster.sizes[0],
                                uat_settings);
}

static int refuse_processes(void)
{
    return uat_roster_check(&uat_startup.roster, uat_self.rank);
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
    if (UAT_IS_VIRTUAL()) /* simulated workers share one core, and wait in virtual time */
        return 0;
    /* No advice under uatrun: it spreads the workers over the cores that it may use, and taskset has excluded the
     * others. */
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
    return uat_neighbour_open(&uat_startup.roster, uat_startup.job.launcher);
}

static int list_victims(void)
{
    uat_victims_open(uat_startup.roster.endpoint, uat_startup.job.host);
    return 0;
}

static int prepare_global(void)
{
    int *host_of = malloc((size_t)uat_self.size * sizeof(*host_of));
    if (!host_of) {
        uat_error("no memory for the list of hosts");
        return -ENOMEM;
    }
    uat_roster_hosts(&uat_startup.roster, host_of);
    const struct uat_global_config config = {.transport = uat_self.transport,
                                             .host_of = host_of,
                                             .strict = uat_sched_settings.torture || uat_torture_delays(),
                                             .late = uat_torture_delays(),
                                             .seed = uat_torture_seed(),
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
    uat_roster_free(&uat_startup.roster);
    return 0;
}

static int open_thief(void)
{
    uat_idle_open(uat_sched_settings.seed, uat_self.rank, uat_self.transport->cpu_atomics);
    return uat_steal_open();
}

static int open_waits(void)
{
    uat_lost_open(uat_mutex_lost, uat_startup.job.host);
    return uat_park_open();
}

static int open_collective(void)
{
    uat_collective_open(uat_self.transport);
    return 0;
}

static int explain_faults(void)
{
    return uat_fault_open(&uat_worker.deque, uat_deque_settings.entries);
}

static int watch_waits(void)
{
    uat_word_set_end(uat_fatal_reported);
    return uat_stall_open(uat_schedule_describe);
}

static int open_trace(void)
{
    return uat_trace_open(uat_startup.job.host);
}

static int open_torture(void)
{
    uat_sanitize_open();
    uat_torture_open(uat_self.rank);
    return 0;
}

/* The functions below undo a step for rooms that have no function of their own for it. */

static void leave_job(void)
{
    uat_fatal_at_exit(false);
    uat_startup.left = uat_bootstrap_close();
}

static void close_pools(void)
{
    uat_heap_close(&uat_heap);
    uat_record_pool_close(&uat_records);
}

static void close_deque(void)
{
    uat_deque_close(&uat_worker.deque);
}

static void close_transport(void)
{
    uat_self.transport->class_->close(uat_self.transport);
    uat_self.transport = NULL;
    uat_self.size = 1;
}

static void free_workers(void)
{
    uat_roster_free(&uat_startup.roster);
}

static void close_waits(void)
{
    uat_park_close();
    uat_lost_close();
}

const struct uat_step uat_startup_steps[] = {
    {refuse_privilege, NULL, "set-uid programs"},
    {refuse_processor, NULL, "what does not work with stacks that move"},
    {read_settings, NULL, "UAT_* of the environment"},
    {fix_addresses, NULL, "may execute the program again, without address-space randomisation"},
    {lay_out, NULL, "which room has what in the segment"},
    {note_identity, NULL, "what must be equal everywhere: before PMIx loads its plugins"},
    {watch_waits, uat_stall_close, "UAT_STALL_*, SIGUSR1: also while the job starts"},
    {join_job, leave_job, "rank, size, launcher; from here on an error ends the job"},
    {bind_to_core, NULL, "before memory is touched; the process stays there"},
    {map_segment, uat_segment_close, "at the same address in all workers"},
    {open_pools, close_pools, "join records and evacuation heap, in the segment"},
    {open_deque, close_deque, "its ring is in the segment"},
    {open_transport, close_transport, "registers the segment"},
    {meet_workers, free_workers, "publish identity and endpoint, collect those of all"},
    {refuse_differences, NULL, "from rank 0: build, settings, addresses"},
    {refuse_processes, NULL, "that signals must not be sent to"},
    {list_colours, NULL, "where each worker has the words that adapters change; the segment's"},
    {attach_neighbours, NULL, "ibv: map and register their segments; then publish endpoints in a second round"},
    {compare_bindings, NULL, "sets uat_relax_oversubscribed"},
    {share_canary, NULL, "rank 0's, for all"},
    {watch_neighbour, uat_neighbour_close, "on the same machine"},
    {list_victims, NULL, "how many are looked at in one round trip"},
    {prepare_global, uat_global_close, "hosts; opened by the first call that needs it"},
    {share_replicas, uat_replica_close, "which worker has the host's copy"},
    {connect_workers, NULL, "to the endpoints; the transport's"},
    {end_meeting, NULL, "frees what was collected"},
    {open_thief, uat_steal_close, "protocol and landing places"},
    {open_waits, close_waits, "the list of ready tasks; what is said of those that wait for a lost worker"},
    {open_collective, NULL, "barriers, ends of runs"},
    {explain_faults, uat_fault_close, "overflow of stacks and deque"},
    {uat_bootstrap_barrier, NULL, "all workers are ready for remote operations"},
    {uat_fork_open, NULL, "what fork() does in a task; it stays registered"},
    {open_trace, uat_trace_close, "UAT_TRACE; compares clocks over the transport"},
    {open_torture, NULL, "UAT_TORTURE"},
};
const size_t uat_startup_count = sizeof(uat_startup_steps) / sizeof(uat_startup_steps[0]);
