/* SPDX-License-Identifier: MIT */
#include "runtime/job/self.h"
#include "base/kernel.h"
#include "runtime/job/bootstrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/job/settings.h"
#include "transport_sim/settings.h"
#include "transport_sim/sim.h"

struct uat_self uat_self = {.size = 1};
UAT_KERNEL(uat_self);

static struct {
    const struct uat_means *means; /* NULL: no job is open, or its one worker has no launcher, or it is simulated */
    int size;
    struct uat_bootstrap_user user;
} boot;

/* Open a simulation, which forks its workers instead of finding them. */
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
    enum uat_launched launched = uat_launched();
    if (launched == UAT_LAUNCHED_ALONE) {
        uat_log_identity(0, job->host);
        return uat_launched_alone();
    }
    pid_t worker = uat_nested_in();
    if (worker) {
        uat_log_identity(0, job->host);
        uat_info("started by a worker, process %d, or by a program of it: a job of its own", (int)worker);
        return 0;
    }
    int rc = uat_nested_mark(); /* before libpmix has threads, which may read the environment */
    if (rc)
        return rc;
    const struct uat_means *means = launched == UAT_LAUNCHED_PMIX ? &uat_means_pmix : &uat_means_meeting;
    rc = means->open(job, &boot.user);
    if (rc)
        return rc;
    boot.means = means;
    boot.size = job->size;
    uat_log_identity(job->rank, job->host);
    return 0;
}

int uat_bootstrap_barrier(void)
{
    if (uat_sim_on())
        return uat_sim_barrier();
    return boot.means ? boot.means->barrier() : 0;
}

const char *uat_bootstrap_wait(void)
{
    return boot.means ? boot.means->wait : "";
}

/* The exchange of a worker without a launcher. */
static int copy_own(const void *blob, size_t size, const bool *wanted, void **blobs, size_t *sizes)
{
    if (wanted && !wanted[0])
        return 0;
    blobs[0] = malloc(size + 1);
    if (!blobs[0])
        return -ENOMEM;
    memcpy(blobs[0], blob, sizes[0] = size);
    return 0;
}

int uat_bootstrap_exchange(const void *blob, size_t size, const bool *wanted, void ***blobs, size_t **sizes)
{
    if (uat_sim_on())
        return uat_sim_exchange(blob, size, blobs, sizes);
    size_t n = (size_t)boot.size;
    *blobs = calloc(n, sizeof(**blobs));
    *sizes = calloc(n, sizeof(**sizes));
    int rc = 0;
    if (!*blobs || !*sizes || (!boot.means && copy_own(blob, size, wanted, *blobs, *sizes))) {
        uat_error("no memory for what %zu workers have published", n);
        rc = -ENOMEM;
    } else if (boot.means) {
        rc = boot.means->exchange(blob, size, wanted, *blobs, *sizes);
    }
    if (rc) {
        uat_bootstrap_free(*blobs, *sizes);
        *blobs = NULL;
        *sizes = NULL;
    }
    return rc;
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
    int rc = boot.means ? boot.means->close() : 0;
    boot.means = NULL;
    return rc;
}

void uat_bootstrap_abort(int status)
{
    if (boot.means)
        boot.means->abort(status);
}
