/* SPDX-License-Identifier: MIT */
/*
 * A PMIx server with the functions of launcher/server.h. With the rest of uatrun it is the launcher `uatrun-pmix`. By
 * it tests try the library's PMIx on a machine without Slurm.
 *
 * libpmix runs the server in its own thread. This thread calls the functions named on_*. These functions store what
 * they learn, and the main thread reads these data under `server.lock`.
 *
 * The server is never finalized: after a client has ended abnormally, PMIx_server_finalize() of libpmix 4.2 sometimes
 * crashes or hangs. The end of the process frees everything.
 */
#include "launcher/server.h"

#include "base/secret.h"
#include "launcher/launcher.h"

#include <pmix.h>
#include <pmix_server.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    int n;
    enum uat_presence *presence;
    bool aborted;
    struct uat_abort abort;
    pmix_nspace_t nspace;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* State for waiting for an operation that libpmix completes by a callback from its own thread. */
struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    pmix_status_t status;
};

static void on_done(pmix_status_t status, void *data)
{
    struct waiter *w = data;
    pthread_mutex_lock(&w->lock);
    w->status = status;
    w->done = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static pmix_status_t wait_for(pmix_status_t started, struct waiter *w)
{
    if (started == PMIX_OPERATION_SUCCEEDED) /* the operation is already done, so there will be no callback */
        return PMIX_SUCCESS;
    if (started != PMIX_SUCCESS)
        return started;
    pthread_mutex_lock(&w->lock);
    while (!w->done)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    return w->status;
}

#define WAITER                                                                                                         \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, PMIX_SUCCESS                                       \
    }

static void set_presence(const pmix_proc_t *proc, enum uat_presence presence)
{
    pthread_mutex_lock(&server.lock);
    if (proc->rank < (pmix_rank_t)server.n)
        server.presence[proc->rank] = presence;
    pthread_mutex_unlock(&server.lock);
}

static pmix_status_t on_connected(const pmix_proc_t *proc, void *object, pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t done, void *data)
{
    (void)object, (void)info, (void)ninfo, (void)done, (void)data;
    set_presence(proc, UAT_PRESENCE_CONNECTED);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t done, void *data)
{
    (void)object, (void)done, (void)data;
    set_presence(proc, UAT_PRESENCE_FINALIZED);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_abort(const pmix_proc_t *proc, void *object, int status, const char message[],
                              pmix_proc_t procs[], size_t nprocs, pmix_op_cbfunc_t done, void *data)
{
    (void)object, (void)message, (void)procs, (void)nprocs, (void)done, (void)data;
    pthread_mutex_lock(&server.lock);
    if (!server.aborted) {
        server.aborted = true;
        server.abort.rank = (int)proc->rank;
        server.abort.status = status;
    }
    pthread_mutex_unlock(&server.lock);
    kill(getpid(), SIGCHLD); /* all threads block it, and uatrun reads it from a descriptor */
    return PMIX_OPERATION_SUCCEEDED;
}

/* Return the data that the library has collected. The data are complete, because all workers are on this host and have
 * arrived. */
static pmix_status_t on_fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[], size_t ninfo,
                              char *collected, size_t size, pmix_modex_cbfunc_t done, void *data)
{
    (void)procs, (void)nprocs, (void)info, (void)ninfo;
    if (done)
        done(PMIX_SUCCESS, collected, size, data, free, collected);
    return PMIX_SUCCESS;
}

static pmix_status_t on_direct_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo,
                                     pmix_modex_cbfunc_t done, void *data)
{
    (void)proc, (void)info, (void)ninfo, (void)done, (void)data;
    return PMIX_ERR_NOT_FOUND; /* libpmix asks only for data of other hosts */
}

static pmix_server_module_t module = {
    .client_connected2 = on_connected,
    .client_finalized = on_finalized,
    .abort = on_abort,
    .fence_nb = on_fence,
    .direct_modex = on_direct_modex,
};

static int pmix_failed(const char *what, pmix_status_t status)
{
    uat_say("cannot start the PMIx server: %s: %s", what, PMIx_Error_string(status));
    return -EIO;
}

/*
 * Call PMIx_server_init(), but keep hwloc from examining the machine. libpmix has hwloc load its plugins (OpenCL, X11,
 * XML: a third of the processor time of a job with one worker) and read every PCI device (a fifth of a small job's
 * start), and no worker asks for the result. With these components hwloc finds nothing ("no_os": see hwloc's manual,
 * "Components and plugins"); in `directory` it finds no plugin. A user's own choice counts. Workers do not inherit the
 * variables: copy_environment() has copied their environment before.
 */
static pmix_status_t init_server(const char *directory, pmix_info_t *info, size_t n)
{
    setenv("HWLOC_COMPONENTS", "no_os,stop", 0);
    bool is_users = getenv("HWLOC_PLUGINS_PATH") != NULL;
    if (!is_users)
        setenv("HWLOC_PLUGINS_PATH", directory, 0);
    pmix_status_t status = PMIx_server_init(&module, info, n);
    if (!is_users)
        unsetenv("HWLOC_PLUGINS_PATH"); /* the directory will be removed, and somebody else may make it again */
    return status;
}

/* Start libpmix as a server. It creates its files, if any, in `directory`. */
static int start_library(const char *directory)
{
    pmix_info_t info[4];
    pmix_rank_t rank = 0;
    const char *name = "uatrun";
    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TMPDIR, directory, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_SYSTEM_TMPDIR, directory, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_SERVER_NSPACE, name, PMIX_STRING);
    PMIX_INFO_LOAD(&info[3], PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
    pmix_status_t status = init_server(directory, info, 4);
    for (int i = 0; i < 4; i++)
        PMIX_INFO_DESTRUCT(&info[i]);
    return status == PMIX_SUCCESS ? 0 : pmix_failed("PMIx_server_init", status);
}

/* "0,1,...,n-1" */
static char *list_ranks(int n)
{
    size_t room = 12 * (size_t)n;
    char *list = malloc(room);
    size_t used = 0;
    for (int i = 0; list && i < n; i++)
        used += (size_t)snprintf(list + used, room - used, "%s%d", i == 0 ? "" : ",", i);
    return list;
}

enum { JOB_FACTS = 8 };

/* Describe the job to the library: n workers, all on this host. PMIx_Get() and fences use the two maps. */
static int register_job(int n)
{
    char host[256] = "localhost", *nodes = NULL, *ranks = NULL, *local = list_ranks(n);
    uint32_t size = (uint32_t)n, one = 1;
    struct waiter waiter = WAITER;
    pmix_info_t info[JOB_FACTS];
    gethostname(host, sizeof(host) - 1);
    if (!local)
        return -ENOMEM;
    pmix_status_t status = PMIx_generate_regex(host, &nodes);
    if (status == PMIX_SUCCESS)
        status = PMIx_generate_ppn(local, &ranks);
    if (status == PMIX_SUCCESS) {
        PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
        PMIX_INFO_LOAD(&info[1], PMIX_UNIV_SIZE, &size, PMIX_UINT32);
        PMIX_INFO_LOAD(&info[2], PMIX_MAX_PROCS, &size, PMIX_UINT32);
        PMIX_INFO_LOAD(&info[3], PMIX_LOCAL_SIZE, &size, PMIX_UINT32);
        PMIX_INFO_LOAD(&info[4], PMIX_NUM_NODES, &one, PMIX_UINT32);
        PMIX_INFO_LOAD(&info[5], PMIX_NODE_MAP, nodes, PMIX_REGEX);
        PMIX_INFO_LOAD(&info[6], PMIX_PROC_MAP, ranks, PMIX_REGEX);
        PMIX_INFO_LOAD(&info[7], PMIX_LOCAL_PEERS, local, PMIX_STRING);
        status = wait_for(PMIx_server_register_nspace(server.nspace, n, info, JOB_FACTS, on_done, &waiter), &waiter);
        for (int i = 0; i < JOB_FACTS; i++)
            PMIX_INFO_DESTRUCT(&info[i]);
    }
    free(nodes);
    free(ranks);
    free(local);
    return status == PMIX_SUCCESS ? 0 : pmix_failed("registering the job", status);
}

static int register_clients(int n)
{
    for (int rank = 0; rank < n; rank++) {
        pmix_proc_t proc;
        struct waiter waiter = WAITER;
        PMIX_LOAD_PROCID(&proc, server.nspace, (pmix_rank_t)rank);
        pmix_status_t status =
            wait_for(PMIx_server_register_client(&proc, getuid(), getgid(), NULL, on_done, &waiter), &waiter);
        if (status != PMIX_SUCCESS)
            return pmix_failed("registering a worker", status);
    }
    return 0;
}

int uat_server_start(int n)
{
    server.n = n;
    server.presence = calloc((size_t)n, sizeof(*server.presence));
    /*
     * The server listens on loopback, where other users can connect. Only a client that knows this name passes as a
     * worker.
     */
    struct uat_secret secret;
    int drawn = uat_secret_draw(&secret, sizeof(secret));
    if (drawn) {
        uat_say("cannot start the PMIx server: getrandom: %s", strerror(-drawn));
        return drawn;
    }
    snprintf(server.nspace, sizeof(server.nspace), "uatrun-%d-%016" PRIx64 "%016" PRIx64, (int)getpid(), secret.word[0],
             secret.word[1]);
    /* With libpmix's data store "hash" the directory stays empty, and is removed at once. The library selects "hash"
     * for the workers as well. */
    setenv("PMIX_MCA_gds", "hash", 1);
    const char *folder = getenv("TMPDIR");
    char directory[4096];
    snprintf(directory, sizeof(directory), "%s/uatrun.XXXXXX", folder && folder[0] ? folder : "/tmp");
    int rc = server.presence && mkdtemp(directory) ? start_library(directory) : -ENOMEM;
    rmdir(directory);
    if (!rc)
        rc = register_job(n);
    if (!rc)
        rc = register_clients(n);
    return rc;
}

char **uat_server_environment(int rank, char **env)
{
    static char **copy;
    for (char **p = copy; p && *p; p++)
        free(*p);
    free(copy);
    size_t n = 0;
    while (env[n])
        n++;
    copy = calloc(n + 1, sizeof(*copy)); /* array and strings are from malloc(), because the library enlarges them */
    for (size_t i = 0; copy && i < n; i++)
        copy[i] = strdup(env[i]);
    if (!copy || (n > 0 && !copy[n - 1])) {
        uat_say("out of memory");
        return NULL;
    }
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, server.nspace, (pmix_rank_t)rank);
    pmix_status_t status = PMIx_server_setup_fork(&proc, &copy);
    if (status == PMIX_SUCCESS)
        return copy;
    pmix_failed("PMIx_server_setup_fork", status);
    return NULL;
}

int uat_server_inherited(void)
{
    return -1;
}

enum uat_presence uat_server_presence(int rank)
{
    pthread_mutex_lock(&server.lock);
    enum uat_presence presence = server.presence[rank];
    pthread_mutex_unlock(&server.lock);
    return presence;
}

bool uat_server_aborted(struct uat_abort *out)
{
    pthread_mutex_lock(&server.lock);
    bool aborted = server.aborted;
    if (aborted)
        *out = server.abort;
    pthread_mutex_unlock(&server.lock);
    return aborted;
}
