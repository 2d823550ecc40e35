/* SPDX-License-Identifier: MIT */
/* The workers of srun, mpirun and other launchers find each other by PMIx. */
#include <errno.h>
#include <pmix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "base/log.h"
#include "runtime/job/alike.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/relay.h"

static struct {
    bool aborting;
    pmix_proc_t self, all;
    int size;
    struct uat_relay relay; /* to the others of this host, until the next fence; fd < 0: nothing */
    int exchanges;          /* exchanges started so far; each has its own key, because PMIx may cache a key's value */
    const struct uat_bootstrap_user *user;
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

/*
 * Address space for libpmix's threads. If the space is too small, libpmix cannot start a thread. libpmix does not
 * notice this, and hangs in the first call that needs the thread. So this checks the space in advance. Returns the
 * bytes that libpmix needs: its threads' stacks and its allocations.
 */
static size_t room_needed(void)
{
    enum { THREADS = 3, BESIDES = 40 << 20 };
    struct rlimit stack;
    size_t size = 8 << 20;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY && stack.rlim_cur > 0)
        size = stack.rlim_cur;
    return THREADS * size + BESIDES;
}

static bool is_room_for(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p != MAP_FAILED && munmap(p, bytes) == 0;
}

static int pmix_open(struct uat_job *job, const struct uat_bootstrap_user *user)
{
    if (!is_room_for(room_needed())) {
        uat_log_identity((int)uat_launched_count("PMIX_RANK"), job->host);
        uat_error("no memory for PMIx: %zu MiB of address space are needed; raise the limit (ulimit -v)",
                  room_needed() >> 20);
        return -ENOMEM;
    }
    pmix_status_t status = PMIx_Init(&boot.self, NULL, 0);
    if (status != PMIX_SUCCESS)
        return report_init(job->host, status);
    boot.user = user;
    PMIX_LOAD_PROCID(&boot.all, boot.self.nspace, PMIX_RANK_WILDCARD);
    job->rank = (int)boot.self.rank;
    job->size = boot.size = (int)get_number(&boot.all, PMIX_JOB_SIZE, 1);
    job->local_rank = (int)get_number(&boot.self, PMIX_LOCAL_RANK, 0);
    job->local_size = (int)get_number(&boot.all, PMIX_LOCAL_SIZE, (unsigned)job->size);
    job->launcher = uat_launched_by(boot.self.nspace);
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
        boot.user->waiting();
        pthread_mutex_lock(&fencing.lock);
    }
    pthread_mutex_unlock(&fencing.lock);
    boot.user->waited();
    return fencing.status;
}

/* Under Slurm a fence that does not collect data is no barrier, so this one always collects. */
static int fence(void)
{
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
    if (PMIx_Get(&boot.all, PMIX_LOCAL_PEERS, NULL, 0, &value) != PMIX_SUCCESS)
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
        rc = size == sizeof(struct uat_relay) ? uat_relay_read(blob, boot.user->waiting, blobs, sizes, n) : -EPROTO;
    boot.user->waited();
    free(blob);
    if (rc)
        uat_info(
            "asks PMIx for what each of %d workers has published: rank %d, the first of this host, relays nothing: %s",
            boot.size, relayer, strerror(-rc));
    for (size_t i = 0; i < n && rc; blobs[i++] = NULL)
        free(blobs[i]);
    return rc;
}

/* Collect the wanted blobs from PMIx. */
static int collect(const bool *wanted, void **blobs, size_t *sizes)
{
    int rc = 0;
    for (int i = 0; i < boot.size && !rc; i++)
        if (!wanted || wanted[i])
            rc = get("worker", i, true, &blobs[i], &sizes[i]);
    return rc;
}

static int pmix_exchange(const void *blob, size_t size, const bool *wanted, void **blobs, size_t *sizes)
{
    boot.exchanges++;
    int relayer = wanted ? -1 : find_relayer(), rc = 0;
    bool relays = relayer == (int)boot.self.rank;
    struct uat_relay relay = {.fd = -1};
    if (relays) {
        relay = uat_relay_open();
        rc = put("relay", PMIX_LOCAL, &relay, sizeof(relay));
    }
    if (!rc)
        rc = put("worker", PMIX_GLOBAL, blob, size);
    if (!rc)
        rc = fence();
    if (rc) {
        uat_relay_close(&relay);
        return rc;
    }
    if (relayer < 0 || relays || read_relayed(relayer, blobs, sizes))
        rc = collect(wanted, blobs, sizes);
    if (relays)
        uat_relay_fill(&relay, rc ? NULL : blobs, sizes, (size_t)boot.size);
    boot.relay = relay;
    return rc;
}

static int pmix_close(void)
{
    uat_relay_close(&boot.relay);
    if (boot.aborting) /* the launcher is ending this process, and may not answer */
        return 0;
    pmix_status_t status = PMIx_Finalize(NULL, 0);
    return status == PMIX_SUCCESS ? 0 : report("PMIx_Finalize", status);
}

static void pmix_abort(int status)
{
    if (boot.aborting)
        return;
    boot.aborting = true;
    uat_abort_bound(status, boot.user->unanswered);
    pmix_status_t answer = PMIx_Abort(status, "a uat worker reported an error", NULL, 0);
    uat_abort_answered();
    if (answer != PMIX_SUCCESS && boot.user->unanswered)
        boot.user->unanswered();
}

const struct uat_means uat_means_pmix = {
    pmix_open,  fence,      pmix_exchange,
    pmix_close, pmix_abort, "in PMIx_Fence, which the launcher's servers on the hosts carry out"};
