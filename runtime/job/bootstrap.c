/* SPDX-License-Identifier: MIT */
#include "runtime/job/self.h"
#include "base/kernel.h"
#include "runtime/job/bootstrap.h"

#include <errno.h>
#include <pmix.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/pmix_room.h"
#include "runtime/job/alike.h"
#include "runtime/job/relay.h"
#include "runtime/job/settings.h"
#include "transport_sim/settings.h"
#include "transport_sim/sim.h"

struct uat_self uat_self = {.size = 1};
UAT_KERNEL(uat_self);

static struct {
    bool open; /* PMIx is in use: false in a job of one worker without a launcher */
    bool aborting;
    pmix_proc_t self, all;
    int size;
    struct uat_relay relay; /* to the others of this host, until the next fence; fd < 0: nothing */
    int exchanges;          /* exchanges started so far; each has its own key, because PMIx may cache a key's value */
    struct uat_bootstrap_user user;
} boot = {.relay.fd = -1};

enum {
    SURVIVOR_NS = 500000000,   /* time between a failed fence and the end of the process */
    FENCE_LOOK_NS = 200000000, /* time between two looks at the clock in a fence */
    /* assumed number of workers on this host; if there are more, the rest print lines of their own */
    WORKERS_UNKNOWN = 64
};

/* Report a failed PMIx call. Returns -EIO. */
static int report(const char *what, pmix_status_t status)
{
    uat_error("%s failed: %s; the launcher's PMIx server is gone or of another kind", what, PMIx_Error_string(status));
    return -EIO;
}

/* Report a failed PMIx_Init(), which cannot tell why it failed. The line names both versions: the launcher's server
 * names its own in the environment of the processes that it starts. Returns -EIO. */
static int report_init(const char *host, pmix_status_t status)
{
    const char *theirs = getenv("PMIX_VERSION");
    uat_log_identity((int)uat_launched_count("PMIX_RANK"), host);
    uat_alike_open(host, WORKERS_UNKNOWN);
    uat_error("PMIx_Init failed: %s; libpmix of this program is %s, the launcher's server is of version %s%s",
              PMIx_Error_string(status), PMIx_Get_version(), theirs ? theirs : "unknown",
              ": build uat with the launcher's PMIx, or put that libpmix first in LD_LIBRARY_PATH; variables PMIX_* of "
              "an earlier session do the same: start from a fresh shell");
    return -EIO;
}

/* Get an unsigned value of the job or of this process. Returns def if the server does not know it. */
static unsigned get_number(const pmix_proc_t *who, const char *key, unsigned def)
{
    pmix_value_t *value = NULL;
    if (PMIx_Get(who, key, NULL, 0, &value) != PMIX_SUCCESS)
        return def;
    unsigned number = value->type == PMIX_UINT16 ? value->data.uint16 : value->data.uint32;
    PMIX_VALUE_RELEASE(value);
    return number;
}

/* Open a simulation, which forks its workers instead of finding them by PMIx. */
static int open_simulated(struct uat_job *job)
{
    struct uat_sim_place place;
    int rc = uat_sim_start(uat_job_settings.bind != UAT_BIND_NONE, uat_job_settings.log >= UAT_LOG_INFO, &place);
    if (rc)
        return rc;
    *job = (struct uat_job){.rank = place.rank,
                            .size = place.size,
                            .local_rank = place.local_rank,
                            .local_size = place.local_size,
                            .launcher = getenv(UAT_SIM_WORKERS_VARIABLE) ? "uatrun" : "none"};
    boot.size = job->size;
    snprintf(job->host, sizeof(job->host), "sim%d", place.host);
    uat_log_identity(job->rank, job->host);
    return 0;
}

int uat_bootstrap_open(struct uat_job *job, const struct uat_bootstrap_user *user)
{
    if (uat_job_settings.transport == UAT_TRANSPORT_SIM)
        return open_simulated(job);
    *job = (struct uat_job){.size = 1, .local_size = 1, .launcher = "none"};
    boot.size = 1;
    boot.user = *user;
    gethostname(job->host, sizeof(job->host) - 1);
    if (!getenv("PMIX_RANK") || !getenv("PMIX_NAMESPACE")) {
        uat_log_identity(0, job->host);
        return uat_launched_alone();
    }
    pid_t worker = uat_nested_in();
    if (worker) {
        uat_log_identity(0, job->host);
        uat_info("started by a worker, process %d, or by a program of it: a job of its own", (int)worker);
        return 0;
    }
    if (!uat_pmix_room_is_there(uat_pmix_room_needed())) {
        uat_log_identity((int)uat_launched_count("PMIX_RANK"), job->host);
        uat_error("no memory for PMIx: %zu MiB of address space are needed; raise the limit (ulimit -v)",
                  uat_pmix_room_needed() >> 20);
        return -ENOMEM;
    }
    int rc = uat_nested_mark(); /* before libpmix has threads, which may read the environment */
    if (rc)
        return rc;
    pmix_status_t status = PMIx_Init(&boot.self, NULL, 0);
    if (status != PMIX_SUCCESS)
        return report_init(job->host, status);
    boot.open = true;
    PMIX_LOAD_PROCID(&boot.all, boot.self.nspace, PMIX_RANK_WILDCARD);
    job->rank = (int)boot.self.rank;
    job->size = boot.size = (int)get_number(&boot.all, PMIX_JOB_SIZE, 1);
    job->local_rank = (int)get_number(&boot.self, PMIX_LOCAL_RANK, 0);
    job->local_size = (int)get_number(&boot.all, PMIX_LOCAL_SIZE, (unsigned)job->size);
    job->launcher = uat_launched_by(boot.self.nspace);
    uat_log_identity(job->rank, job->host);
    return 0;
}

/* The fence in progress, shared with libpmix's thread. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
    pmix_status_t status;
} fencing = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void fence_ended(pmix_status_t status, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&fencing.lock);
    fencing.status = status;
    fencing.done = true;
    pthread_cond_signal(&fencing.ended);
    pthread_mutex_unlock(&fencing.lock);
}

/* PMIx_Fence() with callbacks while it waits. PMIx_Fence() itself never returns if the network between servers is
 * cut. */
static pmix_status_t fence_bounded(const pmix_info_t *info)
{
    fencing.done = false;
    pmix_status_t status = PMIx_Fence_nb(&boot.all, 1, info, 1, fence_ended, NULL);
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
        return status;
    if (status == PMIX_OPERATION_SUCCEEDED) { /* at once, so fence_ended() is not called */
        fencing.done = true;
        fencing.status = PMIX_SUCCESS;
    }
    pthread_mutex_lock(&fencing.lock);
    while (!fencing.done) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += FENCE_LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&fencing.ended, &fencing.lock, &until) == 0)
            continue;
        pthread_mutex_unlock(&fencing.lock); /* waiting() may end the job, and libpmix's thread must be free for that */
        boot.user.waiting();
        pthread_mutex_lock(&fencing.lock);
    }
    pthread_mutex_unlock(&fencing.lock);
    boot.user.waited();
    return fencing.status;
}

/* Under Slurm a fence that does not collect data is no barrier, so this one always collects. */
static int fence(void)
{
    if (!boot.open)
        return 0;
    bool yes = true;
    pmix_info_t info;
    PMIX_INFO_CONSTRUCT(&info);
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    pmix_status_t status = fence_bounded(&info);
    PMIX_INFO_DESTRUCT(&info);
    if (status == PMIX_SUCCESS) {
        uat_relay_close(&boot.relay); /* the workers of this host have read the object, or will not read it */
        return 0;
    }
    nanosleep(&(struct timespec){.tv_nsec = SURVIVOR_NS},
              NULL); /* gives the launcher time to notice the dead worker first */
    return report("PMIx_Fence (a worker has ended early?)", status);
}

int uat_bootstrap_barrier(void)
{
    return uat_sim_on() ? uat_sim_barrier() : fence();
}

/* Publish bytes under a key of the current exchange: `uat.worker.N` for all workers, `uat.relay.N` for those of this
 * host. */
static int put(const char *kind, pmix_scope_t scope, const void *blob, size_t size)
{
    pmix_key_t key;
    snprintf(key, sizeof(pmix_key_t), "uat.%s.%d", kind, boot.exchanges);
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo.bytes = (char *)blob; /* PMIx copies it */
    value.data.bo.size = size;
    pmix_status_t status = PMIx_Put(scope, key, &value);
    if (status == PMIX_SUCCESS)
        status = PMIx_Commit();
    return status == PMIX_SUCCESS ? 0 : report("PMIx_Put", status);
}

/* Get a copy of what rank has published. The caller must free *blob. must: the rank has published it, so a failure is
 * reported. Otherwise the PMIx server answers at once if it does not have the value: it must not wait for one that may
 * never arrive. */
static int get(const char *kind, int rank, bool must, void **blob, size_t *size)
{
    pmix_proc_t who = boot.self;
    who.rank = (pmix_rank_t)rank;
    pmix_key_t key;
    snprintf(key, sizeof(pmix_key_t), "uat.%s.%d", kind, boot.exchanges);
    pmix_value_t *value = NULL;
    pmix_info_t at_once;
    PMIX_INFO_CONSTRUCT(&at_once);
    PMIX_INFO_LOAD(&at_once, PMIX_IMMEDIATE, NULL, PMIX_BOOL); /* NULL: true */
    pmix_status_t status = PMIx_Get(&who, key, must ? NULL : &at_once, !must, &value);
    PMIX_INFO_DESTRUCT(&at_once);
    if (status != PMIX_SUCCESS)
        return must ? report("PMIx_Get", status) : -ENOENT;
    int rc = -EPROTO;
    if (value->type == PMIX_BYTE_OBJECT) {
        *size = value->data.bo.size;
        *blob = malloc(*size + 1);
        rc = *blob ? 0 : -ENOMEM;
        if (!rc)
            memcpy(*blob, value->data.bo.bytes, *size);
    }
    PMIX_VALUE_RELEASE(value);
    if (rc)
        uat_error("what rank %d has published cannot be read: %s", rank, strerror(-rc));
    return rc;
}

/* The first worker of this host by rank, which relays (relay.h). -1: the launcher does not say which one. */
static int find_relayer(void)
{
    pmix_value_t *value = NULL;
    if (!boot.open || PMIx_Get(&boot.all, PMIX_LOCAL_PEERS, NULL, 0, &value) != PMIX_SUCCESS)
        return -1;
    char *end = NULL;
    const char *peers = value->type == PMIX_STRING ? value->data.string : NULL; /* such as "0,1,2" */
    long first = peers ? strtol(peers, &end, 10) : -1;
    bool several = end && end > peers && *end;
    PMIX_VALUE_RELEASE(value);
    return several && first >= 0 && first < boot.size ? (int)first : -1;
}

/* Read what the first worker of this host has got. On failure no blob is left. */
static int read_relayed(int relayer, void **blobs, size_t *sizes)
{
    void *blob = NULL;
    size_t size = 0, n = (size_t)boot.size;
    int rc = get("relay", relayer, false, &blob, &size);
    if (!rc)
        rc = size == sizeof(struct uat_relay) ? uat_relay_read(blob, boot.user.waiting, blobs, sizes, n) : -EPROTO;
    boot.user.waited();
    free(blob);
    if (rc)
        uat_info(
            "asks PMIx for what each of %d workers has published: rank %d, the first of this host, relays nothing: %s",
            boot.size, relayer, strerror(-rc));
    for (size_t i = 0; i < n && rc; blobs[i++] = NULL)
        free(blobs[i]);
    return rc;
}

/* Collect the wanted blobs from PMIx. blob: this worker's own, which is all in a job of one worker without a
 * launcher. */
static int collect(const void *blob, size_t size, const bool *wanted, void **data, size_t *lengths)
{
    int rc = 0;
    for (int i = 0; i < boot.size && !rc; i++) {
        if (wanted && !wanted[i])
            continue;
        if (boot.open) {
            rc = get("worker", i, true, &data[i], &lengths[i]);
        } else if ((data[i] = malloc(size + 1)) != NULL) {
            memcpy(data[i], blob, lengths[i] = size);
        } else {
            uat_error("no memory for what this worker has published");
            rc = -ENOMEM;
        }
    }
    return rc;
}

int uat_bootstrap_exchange(const void *blob, size_t size, const bool *wanted, void ***blobs, size_t **sizes)
{
    if (uat_sim_on())
        return uat_sim_exchange(blob, size, blobs, sizes);
    boot.exchanges++;
    int relayer = wanted ? -1 : find_relayer(), rc = 0;
    bool relays = relayer == (int)boot.self.rank;
    struct uat_relay relay = {.fd = -1};
    if (relays) {
        relay = uat_relay_open();
        rc = put("relay", PMIX_LOCAL, &relay, sizeof(relay));
    }
    if (!rc && boot.open)
        rc = put("worker", PMIX_GLOBAL, blob, size);
    if (!rc)
        rc = fence();
    if (rc) {
        uat_relay_close(&relay);
        return rc;
    }
    size_t n = (size_t)boot.size;
    void **data = calloc(n, sizeof(*data));
    size_t *lengths = calloc(n, sizeof(*lengths));
    if (!data || !lengths) {
        uat_error("no memory for what %zu workers have published", n);
        rc = -ENOMEM;
    }
    if (!rc && (relayer < 0 || relays || read_relayed(relayer, data, lengths)))
        rc = collect(blob, size, wanted, data, lengths);
    if (relays)
        uat_relay_fill(&relay, rc ? NULL : data, lengths, n);
    boot.relay = relay;
    if (rc) {
        uat_bootstrap_free(data, lengths);
        return rc;
    }
    *blobs = data;
    *sizes = lengths;
    return 0;
}

void uat_bootstrap_free(void **blobs, size_t *sizes)
{
    for (int i = 0; blobs && i < boot.size && !uat_sim_on(); i++)
        free(blobs[i]);
    free(blobs);
    free(sizes);
}

int uat_bootstrap_close(void)
{
    if (!boot.open)
        return 0;
    boot.open = false;
    uat_relay_close(&boot.relay);
    if (boot.aborting) /* the launcher is ending this process, and may not answer */
        return 0;
    pmix_status_t status = PMIx_Finalize(NULL, 0);
    return status == PMIX_SUCCESS ? 0 : report("PMIx_Finalize", status);
}

void uat_bootstrap_abort(int status)
{
    if (boot.open && !boot.aborting) {
        boot.aborting = true;
        uat_abort_bound(status, boot.user.unanswered);
        pmix_status_t answer = PMIx_Abort(status, "a uat worker reported an error", NULL, 0);
        uat_abort_answered();
        if (answer != PMIX_SUCCESS && boot.user.unanswered)
            boot.user.unanswered();
    }
}
