/* SPDX-License-Identifier: MIT */
/* The life of a job on this worker: start, runs, end. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asm/switch.h"
#include "base/log.h"
#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/doctor.h"
#include "runtime/memory/frame.h"
#include "runtime/replicate.h"
#include "runtime/start/aslr.h"
#include "runtime/start/bootstrap.h"
#include "runtime/start/identity.h"
#include "runtime/start/transport_select.h"
#include "runtime/task/canary.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/spawn.h"
#include "runtime/task/torture.h"
#include "runtime/task/victims.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/watch/die.h"
#include "runtime/watch/fault.h"
#include "runtime/watch/neighbour.h"
#include "runtime/watch/stall.h"

static struct {
    bool open;
    struct uat_job job;
    struct uat_identity identity;
} job;

static int read_options(void)
{
    char error[512];
    int rc = uat_options_parse(&uat_worker.options, environ, error, sizeof(error));
    if (rc)
        uat_error("%s", error);
    else
        uat_log_set_level((enum uat_log_level)uat_worker.options.log);
    return rc;
}

/* Where the workers of all hosts sit decides whether those of this one give way to each other. */
static int compare_places(void *const *blobs, const size_t *sizes)
{
    static const struct uat_binding unknown; /* of another build, which refuses to start itself */
    struct uat_worker *w = &uat_worker;
    const struct uat_binding **places = calloc((size_t)w->size, sizeof(*places));
    if (!places)
        return -ENOMEM;
    for (int i = 0; i < w->size; i++)
        places[i] = sizes[i] < sizeof(job.identity) ? &unknown : &((const struct uat_identity *)blobs[i])->binding;
    w->oversubscribed = uat_binding_report(places, w->size, w->rank);
    w->deque.user.oversubscribed = w->transport->oversubscribed = w->oversubscribed;
    if (w->oversubscribed)
        uat_info("more workers than cores: they give way to each other while they wait");
    free(places);
    return 0;
}

static int open_memory(void)
{
    struct uat_worker *w = &uat_worker;
    struct uat_deque_user user = {.part = uat_spawn_part,
                                  .waiting = uat_stall_ack,
                                  .oversubscribed = w->oversubscribed,
                                  .keep_private = w->options.torture_evacuate};
    int rc = uat_segment_open(&w->segment, &w->options);
    if (rc)
        return rc;
    rc = uat_record_pool_open(&w->records, w->segment.records, w->segment.record_stride, w->options.records);
    if (!rc)
        rc = uat_heap_open(&w->heap, w->segment.heap, w->options.heap_size);
    if (!rc)
        rc = uat_deque_open(&w->deque, w->segment.ring, w->options.deque_entries, &user);
    if (rc)
        uat_error("no memory for the worker's private tables");
    else
        uat_deque_stop(&w->deque);
    return rc;
}

static int open_transport(void)
{
    struct uat_worker *w = &uat_worker;
    struct uat_transport_config config = {.rank = w->rank,
                                          .size = w->size,
                                          .host = job.job.host,
                                          .segment = w->segment.start,
                                          .segment_size = w->segment.size,
                                          .segment_fd = w->segment.fd,
                                          .scratch = w->segment.scratch,
                                          .shuffle = w->options.torture_delay,
                                          .seed = w->options.torture_seed * 7919 + (uint64_t)w->rank + 1,
                                          .oversubscribed = w->oversubscribed,
                                          .options = &w->options};
    static char why[256];
    const struct uat_transport_class *class =
        uat_transport_select(&w->options, job.job.local_size == w->size, why, sizeof(why));
    snprintf(job.identity.transport, sizeof(job.identity.transport), "%s", class->name);
    w->transport_reason = why;
    int rc = class->open(&config, &w->transport);
    if (!rc)
        uat_info("transport %s (%s)", class->name, why);
    return rc;
}

/* Publish who we are and how to reach us; compare with rank 0; connect to all. */
static int meet(void)
{
    struct uat_worker *w = &uat_worker;
    size_t endpoint_size = 0, *sizes = NULL;
    void **blobs = NULL;
    char *blob = malloc(sizeof(job.identity) + UAT_ENDPOINT_MAX);
    struct uat_endpoint *peers = calloc((size_t)w->size, sizeof(*peers));
    int rc = blob && peers ? 0 : -ENOMEM;
    if (!rc) {
        memcpy(blob, &job.identity, sizeof(job.identity));
        rc = w->transport->class_->endpoint(w->transport, blob + sizeof(job.identity), &endpoint_size);
    }
    if (!rc)
        rc = uat_bootstrap_exchange(blob, sizeof(job.identity) + endpoint_size, &blobs, &sizes);
    if (!rc)
        rc = uat_identity_compare(&job.identity, blobs[0], sizes[0]);
    for (int i = 0; i < w->size && !rc; i++) {
        char *data = blobs[i];
        bool whole = sizes[i] >= sizeof(job.identity);
        if (whole) /* what a peer published is a string only once it is made one */
            ((struct uat_identity *)data)->host[sizeof(job.identity.host) - 1] = '\0';
        peers[i] = (struct uat_endpoint){.data = whole ? data + sizeof(job.identity) : data,
                                         .size = whole ? sizes[i] - sizeof(job.identity) : 0,
                                         .host = whole ? ((const struct uat_identity *)data)->host : "an unknown host"};
    }
    if (!rc)
        rc = uat_victims_open(peers, job.job.host);
    if (!rc) {
        w->canary = ((const struct uat_identity *)blobs[0])->canary;
        rc = compare_places(blobs, sizes);
        uat_neighbour_open(blobs, sizes, &job.identity, job.job.launcher);
    }
    if (!rc)
        rc = w->transport->class_->connect(w->transport, peers);
    uat_bootstrap_forget(blobs, sizes);
    free(peers);
    free(blob);
    return rc;
}

static int open_thief(void)
{
    struct uat_worker *w = &uat_worker;
    int rc = uat_thief_open(&w->thief, w->transport, w->segment.ring, w->segment.landing);
    w->thief.low = w->segment.low;
    w->thief.high = w->segment.high;
    w->thief.peek = w->options.peek != 0;
    w->steal = w->options.deque == UAT_DEQUE_LOCK ? uat_lock_steal : uat_claim_steal;
    w->random = (w->options.seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)w->rank * 0xbf58476d1ce4e5b9u + 1;
    return rc;
}

static void set_place(void)
{
    struct uat_worker *w = &uat_worker;
    w->rank = job.job.rank;
    w->size = job.job.size;
    uat_info("worker %d of %d, started by %s", w->rank, w->size, job.job.launcher);
    uat_binding_take(&job.identity.binding, (enum uat_bind)w->options.bind, job.job.local_rank, job.job.local_size);
}

int uat_init(void)
{
    if (job.open)
        return -EALREADY;
    int rc = read_options();
    if (rc)
        return rc;
    uat_aslr_off();
    uat_identity_take(&job.identity, &uat_worker.options, ""); /* before PMIx loads its plugins */
    rc = uat_bootstrap_open(&job.job);
    if (rc)
        return rc;
    job.open = true;
    memcpy(job.identity.host, job.job.host, sizeof(job.identity.host));
    set_place();
    if ((rc = open_memory()) || (rc = open_transport()) || (rc = meet()) ||
        (rc = uat_segment_arm_guard(&uat_worker.segment)) || (rc = open_thief()) || (rc = uat_fault_open()) ||
        (rc = uat_stall_open()) || (rc = uat_bootstrap_barrier()) || (rc = uat_trace_open())) {
        uat_bootstrap_abort(1);
        return rc;
    }
    uat_die_at_exit(uat_worker.size > 1);
    uat_torture_start();
    if (uat_doctor_wanted())
        exit(uat_doctor_examine());
    return 0;
}

int uat_finalize(void)
{
    struct uat_worker *w = &uat_worker;
    if (!job.open || w->running)
        return -EINVAL;
    int traced = uat_trace_close(job.job.host);
    int rc = w->transport->class_->quiet(w->transport);
    if (!rc)
        rc = uat_collective_barrier();
    if (!rc) /* the barrier's own FETCH_ADDs may still be on their way to a peer that would unmap their target */
        rc = uat_bootstrap_barrier();
    uat_stall_close();
    uat_fault_close();
    uat_replicate_close();
    uat_thief_close(&w->thief);
    uat_victims_close();
    w->transport->class_->close(w->transport);
    w->transport = NULL;
    uat_deque_close(&w->deque);
    uat_heap_close(&w->heap);
    uat_record_pool_close(&w->records);
    uat_segment_close(&w->segment);
    job.open = false;
    uat_die_at_exit(false);
    int closed = uat_bootstrap_close();
    return rc ? rc : closed ? closed : traced;
}

/* One run, under the common canary. */
static int run(uat_fn *root, const void *arg, size_t arg_size, void *result, size_t result_size)
{
    struct uat_worker *w = &uat_worker;
    w->running = true;
    uat_deque_start(&w->deque, uat_torture_on);
    if (w->rank == 0)
        uat_schedule_root(root, arg, arg_size, result_size);
    else
        uat_schedule();
    uat_collective_pass_on();
    /* Before the barrier: behind it the others may end the next run, whose result is written over this one. */
    size_t size = w->segment.control->run_result.size;
    if (result_size > 0)
        memcpy(result, w->segment.result, size < result_size ? size : result_size);
    w->runs++;
    w->running = false;
    uat_deque_stop(&w->deque);
    int rc = w->transport->class_->quiet(w->transport);
    uat_stall_set(UAT_DOING_END);
    if (!rc)
        rc = uat_collective_barrier(); /* only now may anything be published again */
    uat_stall_set(UAT_DOING_OUTSIDE);
    if (rc)
        uat_die_explained();
    return rc;
}

UAT_NO_CANARY int uat_run(uat_fn *root, const void *arg, size_t arg_size, void *result, size_t result_size)
{
    struct uat_worker *w = &uat_worker;
    if (!job.open || w->running || (w->rank == 0 && !root) || (result_size > 0 && !result))
        return -EINVAL;
    if (result_size > w->options.result_max) {
        uat_error("a result of %zu bytes is larger than UAT_RESULT_MAX=%zu; set it to %zu or more", result_size,
                  (size_t)w->options.result_max, (result_size + 7) / 8 * 8);
        return -EMSGSIZE;
    }
    if (arg_size > w->options.stack_size / 2) {
        uat_error("the root's argument of %zu bytes does not fit on the task stacks, UAT_STACK_SIZE=%zu; set it to %zu "
                  "or more",
                  arg_size, (size_t)w->options.stack_size, 2 * arg_size);
        return -EMSGSIZE;
    }
    uint64_t canary = uat_canary_get();
    uat_canary_set(w->canary);
    int rc = run(root, arg, arg_size, result, result_size);
    uat_canary_set(canary);
    return rc;
}

int uat_barrier(void)
{
    if (!job.open || uat_worker.running)
        return -EINVAL;
    uat_stall_set(UAT_DOING_BARRIER);
    int rc = uat_collective_barrier();
    if (rc)
        uat_die_explained();
    uat_stall_set(UAT_DOING_OUTSIDE);
    return rc;
}

int uat_rank(void)
{
    return uat_worker.rank;
}

int uat_size(void)
{
    return job.open ? uat_worker.size : 1;
}

const char *uat_setting(const char *name)
{
    if (!job.open)
        return NULL;
    if (strcmp(name, "transport") == 0)
        return uat_worker.transport->class_->name;
    if (strcmp(name, "transport_reason") == 0)
        return uat_worker.transport_reason;
    if (strcmp(name, "deque") == 0)
        return uat_worker.options.deque == UAT_DEQUE_LOCK ? "lock" : "claim";
    if (strcmp(name, "torture") == 0)
        return uat_options_torture(&uat_worker.options);
    if (strcmp(name, "launcher") == 0)
        return job.job.launcher;
    return NULL;
}
