/* SPDX-License-Identifier: MIT */
#include "runtime/meeting.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/streams.h"
#include "base/virtual.h"
#include "base/word.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/request.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/global/global.h"
#include "runtime/job/alike.h"
#include "runtime/job/aslr.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/collective.h"
#include "runtime/job/crew.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/identity.h"
#include "runtime/job/lost.h"
#include "runtime/job/neighbour.h"
#include "runtime/job/network.h"
#include "runtime/job/self.h"
#include "runtime/job/settings.h"
#include "runtime/job/stall.h"
#include "runtime/rooms.h"
#include "runtime/sched/alone.h"
#include "runtime/sched/idle.h"
#include "runtime/sched/park.h"
#include "runtime/sched/rest.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/settings.h"
#include "runtime/sched/spawn.h"
#include "runtime/sched/steal.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"
#include "runtime/task/fork.h"
#include "runtime/task/sanitize.h"
#include "runtime/task/stacks.h"
#include "runtime/task/worker.h"
#include "runtime/torture/settings.h"
#include "runtime/torture/torture.h"

/* The steps of the start. The list at the end of this file gives their order. Each step returns 0, or a negative errno
 * that has been reported. */

static int open_streams(void)
{
    int rc = uat_streams_open();
    if (rc)
        uat_error("a standard stream is closed, and /dev/null cannot be opened in its place: %s", strerror(-rc));
    return rc;
}

/* Refuse to start in a privileged program. The environment sets which files the library writes and which libraries it
 * loads. */
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

static char settings_note[512]; /* a warning about the settings, which rank 0 prints; "" = none */

static int read_settings(void)
{
    int rc = uat_settings_read(uat_settings, environ, settings_note, sizeof(settings_note));
    if (rc)
        uat_error("%s", settings_note);
    else
        uat_log_set_level((enum uat_log_level)uat_job_settings.log);
    return rc;
}

/* Choose how stacks are placed, and refuse what another mode than uni-address cannot be combined with. */
static int choose_stacks(void)
{
    int rc = uat_stacks_choose();
    if (rc || !uat_stacks)
        return rc;
    const char *what = uat_checkpoint_settings.folder[0] ? "UAT_CHECKPOINT"
                       : uat_torture_settings.torture == UAT_TORTURE_EVACUATE
                           ? "UAT_TORTURE=evacuate, because no stack is moved away"
                       : uat_torture_settings.torture == UAT_TORTURE_ROLLBACK ? "UAT_TORTURE=rollback"
                                                                              : NULL;
    if (!what)
        return 0;
    uat_error("UAT_STACKS=iso cannot be combined with %s; use UAT_STACKS=uni", what);
    return -EINVAL;
}

static int fix_addresses(void)
{
    if (uat_aslr_matters())
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

/* Several workers write to the same file or pipe. A worker that fills its buffer and writes it out splits a line, and
 * the lines of other workers come between. So write out each line, unless the program has used or set its buffer. */
static void buffer_lines(void)
{
    if (uat_startup.job.size > 1 && __fbufsize(stdout) == 0)
        setvbuf(stdout, NULL, _IOLBF, 0);
}

static int join_job(void)
{
    static const struct uat_bootstrap_user user = {
        .waiting = uat_stall_fence, .waited = uat_stall_fence_over, .unanswered = uat_neighbour_end};
    int rc = uat_bootstrap_open(&uat_startup.job, &user);
    if (rc)
        return rc;
    uat_self.rank = uat_startup.job.rank;
    uat_self.size = uat_startup.job.size;
    memcpy(uat_startup.identity.host, uat_startup.job.host, sizeof(uat_startup.identity.host));
    uat_startup.identity.colour = uat_startup.job.local_rank % UAT_COLOURS;
    buffer_lines();
    if (!UAT_IS_VIRTUAL())
        uat_alike_open(uat_startup.job.host, uat_startup.job.local_size);
    uat_info("worker %d of %d, started by %s", uat_self.rank, uat_self.size, uat_startup.job.launcher);
    if (uat_self.rank == 0 && settings_note[0])
        uat_warn("%s", settings_note);
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
                                        .keep_private = uat_torture_settings.torture == UAT_TORTURE_EVACUATE};
    int rc = uat_deque_open(&uat_worker.deque, uat_steal_ring(), uat_deque_settings.entries, &user);
    if (rc)
        uat_error("no memory for UAT_DEQUE_ENTRIES=%zu entries", (size_t)uat_deque_settings.entries);
    else
        uat_deque_stop(&uat_worker.deque);
    return rc;
}

static int open_transport(void)
{
    bool one_host = uat_startup.job.local_size == uat_startup.job.size;
    const struct uat_transport_class *class =
        uat_transport_select(one_host, uat_startup.transport_reason, sizeof(uat_startup.transport_reason));
    bool fallback = !one_host && uat_job_settings.transport == UAT_TRANSPORT_AUTO;
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
                                                .wait_limit = uat_job_settings.stall_limit,
                                                .fallback = fallback ? uat_startup.transport_reason : NULL};
    snprintf(uat_startup.identity.transport, sizeof(uat_startup.identity.transport), "%s", class->name);
    int rc = class->open(&config, &uat_self.transport);
    if (!rc)
        uat_info("transport %s (%s)", class->name, uat_startup.transport_reason);
    return rc;
}

static int choose_checkpoint(void)
{
    return uat_checkpoint_choose(&uat_startup.identity.colour, &uat_startup.identity.checkpoint);
}

/* In a restarted job, all workers use the canary of the first job. */
static int compare_checkpoint(void)
{
    const struct uat_checkpoint_config config = {
        .identity = &uat_startup.identity, .settings = uat_settings, .leave = uat_startup.leave};
    uint64_t canary = uat_run_canary();
    int rc = uat_checkpoint_compare(&config, &canary);
    uat_run_set_canary(canary);
    return rc;
}

static int check_reach(void)
{
    return uat_reach_check(uat_self.transport);
}

static int open_thief(void)
{
    uat_idle_open();
    return uat_steal_open();
}

static int open_waits(void)
{
    uat_alone_open();
    uat_park_open();
    /* Without other workers no error elsewhere ends this worker, and a simulation kills its workers. */
    int rc = uat_lost_open(uat_rooms_lost, uat_startup.job.host,
                           uat_self.size > 1 && !UAT_IS_VIRTUAL() ? uat_stuck_look : NULL);
    if (rc)
        uat_park_close();
    return rc;
}

static int open_collective(void)
{
    uat_collective_open(uat_self.transport);
    uat_crew_open(uat_rest_hand_over_task);
    return 0;
}

static int explain_faults(void)
{
    uat_fault_describe(uat_rooms_explain);
    return uat_fault_open(&uat_worker.deque, uat_deque_settings.entries);
}

static int watch_waits(void)
{
    uat_word_set_end(uat_fatal_reported);
    return uat_stall_open(uat_rooms_describe);
}

static int open_torture(void)
{
    uat_sanitize_open();
    uat_torture_open(uat_self.rank);
    return 0;
}

/* Each function below undoes a step for which the step's room has no such function. */

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

static void close_waits(void)
{
    uat_park_close();
    uat_lost_close();
}

const struct uat_step uat_startup_steps[] = {
    {open_streams, NULL, "closed standard streams: before any file is opened"},
    {refuse_privilege, NULL, "set-uid programs"},
    {refuse_processor, NULL, "what does not work with stacks that move"},
    {read_settings, NULL, "UAT_* of the environment"},
    {uat_steal_choose, NULL, "UAT_DEQUE; refuses a protocol that this program does not link"},
    {choose_stacks, NULL, "UAT_STACKS; refuses what the program does not link, and what it cannot be combined with"},
    {fix_addresses, NULL,
     "may execute a program that has loaded this library later again, without address-space randomisation"},
    {uat_request_catch, uat_request_release, "SIGUSR2, also while the job starts"},
    {lay_out, NULL, "which room has what in the segment"},
    {note_identity, NULL, "what must be equal everywhere: before PMIx loads its plugins"},
    {watch_waits, uat_stall_close, "UAT_STALL_*, SIGUSR1: also while the job starts"},
    {join_job, leave_job, "rank, size, launcher; from here on an error ends the job"},
    {choose_checkpoint, uat_checkpoint_close, "UAT_CHECKPOINT; its colours replace those of the start"},
    {bind_to_core, NULL, "before memory is touched; the process stays there"},
    {map_segment, uat_segment_close, "at the same address in all workers"},
    {open_pools, close_pools, "join records and evacuation heap, in the segment"},
    {open_deque, close_deque, "its ring is in the segment"},
    {uat_stacks_open, uat_stacks_close, "another mode than uni-address: this worker's stacks"},
    {open_transport, close_transport, "registers the segment"},
    {uat_meeting_collect, uat_meeting_free, "publish identity and endpoint, collect those of all"},
    {uat_meeting_refuse_differences, NULL, "from rank 0: build, settings, addresses"},
    {uat_meeting_refuse_processes, NULL, "that signals must not be sent to"},
    {uat_meeting_list_colours, NULL, "where each worker has the words that adapters change; the segment's"},
    {uat_meeting_attach, NULL, "ibv: map and register their segments; then publish endpoints in a second round"},
    {uat_meeting_compare_bindings, NULL, "sets uat_relax_oversubscribed"},
    {uat_meeting_share_canary, NULL, "rank 0's, for all"},
    {compare_checkpoint, NULL, "program, libraries, settings and command line must be those of the checkpoint"},
    {uat_meeting_watch, uat_neighbour_close, "on the same machine"},
    {uat_meeting_list_victims, NULL, "how many are looked at in one round trip"},
    {uat_meeting_connect, NULL, "to the endpoints; the transport's"},
    {open_thief, uat_steal_close, "protocol and landing places"},
    {open_waits, close_waits, "the list of ready tasks; what is said of those that wait for a lost worker"},
    {open_collective, uat_crew_close, "barriers, ends of runs, the crew"},
    {uat_control_open, uat_control_close, "rank 0: requests of uatrun --ctl"},
    {explain_faults, uat_fault_close, "overflow of stacks and deque"},
    {uat_request_spare, NULL, "sigterm=checkpoint, leave: before a worker runs the program; undone with the waits"},
    {uat_bootstrap_barrier, NULL, "all workers are ready for remote operations"},
    {check_reach, NULL, "the hosts, over the network; one table of those that do not"},
    {uat_fork_open, NULL, "what fork() does in a task; it stays registered"},
    {open_torture, NULL, "UAT_TORTURE; malloc() gives other addresses than on other workers"},
    {uat_meeting_open_rooms, uat_rooms_close, "those of runtime/rooms.h, in its order"},
    {uat_meeting_end, NULL, "frees what was collected"},
};
const size_t uat_startup_count = sizeof(uat_startup_steps) / sizeof(uat_startup_steps[0]);
