/* SPDX-License-Identifier: MIT */
/* What a worker of a job needs (connections, regions, locked memory), and why. */
#include "launcher/info/info.h"

#include <stdio.h>

#include "runtime/rooms.h"
#include "runtime/segment/segment.h"
#include "transport_ibv/demand.h"
#include "transport_ibv/settings.h"

static void add_why(json_object *o, const struct info_job *job)
{
    char why[384];
    if (uat_ibv_settings.connect == UAT_CONNECT_WORKER)
        snprintf(why, sizeof(why),
                 "UAT_CONNECT=worker: a queue pair to each of %d x %d workers, itself included; it registers its own "
                 "segment",
                 job->hosts, job->workers);
    else
        snprintf(
            why, sizeof(why),
            "UAT_CONNECT=%s: a queue pair to one worker of each of %d hosts, its own included, with one adapter each; "
            "it maps and registers the segments of the %d workers of its host in one pool%s",
            uat_ibv_settings.connect == UAT_CONNECT_HOST ? "host" : "rdmacm", job->hosts, job->workers,
            uat_ibv_settings.regions == UAT_REGIONS_SHARED
                ? "; with regions=shared only the first one does, and the others register their own segments, if the "
                  "driver can share a domain"
                : "");
    info_add_text(o, "why", why);
}

void info_add_demand(json_object *root, const struct ibv_device_attr *attr, const struct info_job *job)
{
    bool alone = uat_ibv_settings.connect == UAT_CONNECT_WORKER;
    uat_layout();
    size_t segment = uat_segment.size;
    struct uat_ibv_demand d = {.connections = alone ? job->hosts * job->workers : job->hosts,
                               .neighbours = alone ? 1 : job->workers};
    json_object *o = json_object_new_object();
    uat_ibv_demand_reckon(&d, attr, segment, uat_segment.closed);
    info_add_number(o, "hosts", job->hosts);
    info_add_number(o, "workers_per_host", job->workers);
    info_add_number(o, "connections", d.connections);
    info_add_number(o, "regions", d.regions);
    info_add_number(o, "translated_pages", (int64_t)d.pages);
    info_add_number(o, "page_bytes", (int64_t)d.page);
    info_add_number(o, "requests_per_queue", d.depth);
    info_add_number(o, "segment_bytes", (int64_t)segment);
    info_add_number(o, "pinned_segments_bytes", (int64_t)d.segments);
    info_add_number(o, "pinned_queues_bytes", (int64_t)d.queues);
    info_add_number(o, "pinned_bytes", (int64_t)(d.segments + d.queues));
    add_why(o, job);
    json_object_object_add(root, "job", o);
}
