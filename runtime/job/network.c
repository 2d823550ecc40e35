/* SPDX-License-Identifier: MIT */
#include "runtime/job/network.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/settings.h"
#include "transport_ibv/host.h"

enum { PATIENCE_S = 10 /* within this time rank 0 has reported, and the launcher has ended the job */ };

/* Print the table of what the ranks have found. blobs[i]: what rank i has found, or NULL. Returns the number of
 * pairs. */
static int report(int size, void **blobs, const size_t *sizes)
{
    int pairs = 0;
    for (int i = 0; i < size; i++) {
        struct uat_reach found = {0};
        if (!blobs[i] || sizes[i] > sizeof(found))
            continue;
        memcpy(&found, blobs[i], sizes[i]);
        if (found.count && !pairs)
            uat_error("these workers cannot reach each other over the network: hosts on separate fabrics may have one "
                      "subnet prefix, so name ports of one fabric with UAT_NET_DEVICES; or a service level or traffic "
                      "class is demanded (UAT_IB_PATH=sl=N,tc=N), or the network drops RoCE packets (VLAN, "
                      "UAT_GID_INDEX)");
        found.port[sizeof(found.port) - 1] = found.from[sizeof(found.from) - 1] = '\0';
        for (int k = 0; k < found.count && k < UAT_REACH_ROWS; k++) {
            struct uat_reach_row *row = &found.row[k];
            row->host[sizeof(row->host) - 1] = row->why[sizeof(row->why) - 1] = '\0';
            uat_error("  rank %d (%s, %s) to rank %d (%s): %s", i, found.from, found.port, row->rank, row->host,
                      row->why);
        }
        if (found.count > UAT_REACH_ROWS)
            uat_error("  rank %d (%s, %s) to %d more", i, found.from, found.port, found.count - UAT_REACH_ROWS);
        pairs += found.count;
    }
    return pairs;
}

/* Give rank 0 time to report, and the launcher time to end the job. */
static int wait_for_end(const struct uat_reach *found)
{
    nanosleep(&(struct timespec){.tv_sec = PATIENCE_S}, NULL);
    uat_error("rank %d (%s) does not answer over the network: %s; name ports of one fabric with UAT_NET_DEVICES",
              found->row[0].rank, found->row[0].host, found->row[0].why);
    return -EHOSTUNREACH;
}

/* Publish what this worker found. Rank 0 collects the findings of all workers that looked. Each other worker collects
 * the findings for its host. */
static int exchange(struct uat_transport *t, const struct uat_reach *found, void ***blobs, size_t **sizes)
{
    size_t rows = found->count < UAT_REACH_ROWS ? (size_t)found->count : UAT_REACH_ROWS;
    bool *wanted = calloc((size_t)t->size, sizeof(*wanted));
    if (!wanted) {
        uat_error("no memory for the list of %d workers", t->size);
        return -ENOMEM;
    }
    for (int i = 0; i < t->size; i++)
        wanted[i] = t->class_->looker(t, t->rank ? t->rank : i) == i;
    int rc = uat_bootstrap_exchange(found, offsetof(struct uat_reach, row) + rows * sizeof(found->row[0]), wanted,
                                    blobs, sizes);
    free(wanted);
    return rc;
}

int uat_reach_check(struct uat_transport *t)
{
    int (*looker)(struct uat_transport *, int) = t->class_->looker;
    int own = looker ? looker(t, t->rank) : -1;
    if (own < 0)
        return 0;
    struct uat_reach found = {0};
    void **blobs;
    size_t *sizes;
    int rc = own == t->rank ? t->class_->look(t, &found) : 0;
    if (!rc)
        rc = exchange(t, &found, &blobs, &sizes);
    if (rc)
        return rc;
    if (t->rank == 0)
        rc = report(t->size, blobs, sizes) ? -EHOSTUNREACH : 0;
    else if (sizes[own] <= sizeof(found))
        memcpy(&found, blobs[own], sizes[own]);
    uat_bootstrap_free(blobs, sizes);
    return t->rank && found.count ? wait_for_end(&found) : rc;
}

const struct uat_transport_class *uat_transport_select(bool one_host, char *why, size_t size)
{
    if (uat_job_settings.transport != UAT_TRANSPORT_AUTO) {
        snprintf(why, size, "UAT_TRANSPORT");
        return uat_job_settings.transport == UAT_TRANSPORT_SHM   ? &uat_transport_shm
               : uat_job_settings.transport == UAT_TRANSPORT_SIM ? &uat_transport_sim
                                                                 : &uat_transport_ibv;
    }
    if (one_host) {
        snprintf(why, size, "all workers are on one host");
        return &uat_transport_shm;
    }
    char probed[576];
    bool usable = uat_ibv_probe(true, probed, sizeof(probed)) > 0;
    snprintf(why, size, "workers are on several nodes; %s", probed);
    return usable ? &uat_transport_ibv : &uat_transport_shm;
}
