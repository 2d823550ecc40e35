/* SPDX-License-Identifier: MIT */
/*
 * What the connections of a job cost at its start. This creates queue pairs on the chosen port, connects each to
 * itself, and destroys them, as a worker does. The time of a job's start follows from the number of pairs.
 */
#include "launcher/info/info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "runtime/segment/settings.h"
#include "transport_ibv/endpoint.h"

enum { SEGMENT = 1 << 20 };

struct times {
    uint64_t create, connect, destroy; /* ns, of all pairs */
};

/* A job of one worker, in which no other worker is waited for. */
static int open_alone(void *segment, struct uat_transport **out)
{
    char blob[UAT_ENDPOINT_MAX], host[64] = "";
    struct uat_endpoint own = {.data = blob, .host = host};
    const struct uat_transport_config config = {
        .size = 1, .host = host, .segment = segment, .segment_size = SEGMENT, .segment_fd = -1, .scratch = segment};
    gethostname(host, sizeof(host) - 1);
    int rc = uat_transport_ibv.open(&config, out);
    if (!rc)
        rc = uat_transport_ibv.attach_info(*out, blob, &own.size);
    if (!rc)
        rc = uat_transport_ibv.attach(*out, &own);
    if (!rc)
        rc = uat_transport_ibv.endpoint(*out, blob, &own.size);
    return rc ? rc : uat_transport_ibv.connect(*out, &own);
}

static int create(struct uat_ibv *ibv, struct uat_ibv_connection *pairs, int count)
{
    const struct uat_ibv_queue queue = {ibv->cq, ibv->depth};
    for (int i = 0; i < count; i++)
        if (!uat_ibv_pair_create(ibv, &pairs[i], &queue)) {
            int rc = -errno;
            uat_error("cannot create queue pair %d of %d on %s: %s", i + 1, count, ibv->port.device, strerror(-rc));
            return rc;
        }
    return 0;
}

static int connect_all(struct uat_ibv *ibv, struct uat_ibv_connection *pairs, int count)
{
    struct uat_ibv_endpoint own;
    int rc = 0;
    uat_ibv_endpoint_describe(ibv, &own);
    for (int i = 0; i < count && !rc; i++) {
        const struct uat_ibv_end end = {pairs[i].qp->qp_num, pairs[i].psn};
        rc = uat_ibv_pair_connect(ibv, &pairs[i], &own, end, UAT_IBV_SERVES);
    }
    return rc;
}

static int measure(struct uat_ibv *ibv, int count, struct times *times)
{
    struct uat_ibv_connection *pairs = calloc((size_t)count, sizeof(*pairs));
    if (!pairs)
        return -ENOMEM;
    uint64_t began = uat_clock_ns();
    int rc = create(ibv, pairs, count);
    uint64_t created = uat_clock_ns();
    if (!rc)
        rc = connect_all(ibv, pairs, count);
    uint64_t connected = uat_clock_ns();
    for (int i = 0; i < count && pairs[i].qp; i++)
        ibv_destroy_qp(pairs[i].qp);
    *times = (struct times){created - began, connected - created, uat_clock_ns() - connected};
    free(pairs);
    return rc;
}

/*
 * The pairs of a job, and the times that they take. Every worker makes a pair for each host. With global memory it
 * makes another one for each host; but the first worker of a host makes one for each worker of the job. If the adapter
 * executes the calls of all processes side by side, the start takes as long as the busiest worker. If it executes them
 * one after the other, it takes as long as all calls of a host.
 */
static void add_model(json_object *o, const struct info_job *job, double pair_ns)
{
    int64_t hosts = job->hosts, workers = job->workers, all = hosts * workers;
    const struct {
        const char *name;
        int64_t pairs;
    } rows[] = {{"worker", hosts},
                {"host", all},
                {"first_worker_with_global_memory", hosts + all},
                {"host_with_global_memory", all + all + (workers - 1) * hosts}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_object *row = json_object_new_object();
        info_add_number(row, "pairs", rows[i].pairs);
        json_object_object_add(row, "seconds", json_object_new_double((double)rows[i].pairs * pair_ns * 1e-9));
        json_object_object_add(o, rows[i].name, row);
    }
}

int info_add_connections(json_object *root, int count, const struct info_job *job)
{
    struct uat_transport *t = NULL;
    struct times times = {0};
    void *segment = mmap((void *)(uintptr_t)UAT_SEGMENT_ADDRESS_DEFAULT, SEGMENT, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (segment == MAP_FAILED) {
        uat_error("no memory to measure queue pairs: %s", strerror(errno));
        return 1;
    }
    int rc = open_alone(segment, &t);
    if (!rc)
        rc = measure(uat_ibv_of(t), count, &times);
    if (t)
        uat_transport_ibv.close(t);
    munmap(segment, SEGMENT);
    if (rc)
        return 1;
    json_object *o = json_object_new_object();
    info_add_number(o, "measured_pairs", count);
    info_add_number(o, "create_ns", (int64_t)times.create / count);
    info_add_number(o, "connect_ns", (int64_t)times.connect / count);
    info_add_number(o, "destroy_ns", (int64_t)times.destroy / count);
    add_model(o, job, (double)(times.create + times.connect) / count);
    json_object_object_add(root, "queue_pairs", o);
    return 0;
}
