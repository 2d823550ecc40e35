/* SPDX-License-Identifier: MIT */
/* Opening and closing global memory: the links, the arena, the workers' parts. */
#include "base/log.h"
#include "runtime/global/arena.h"
#include "runtime/global/bounds.h"
#include "runtime/global/cache.h"
#include "runtime/global/hosts.h"
#include "runtime/global/link.h"
#include "runtime/global/settings.h"
#include "runtime/job/call.h"
#include "runtime/segment/room.h"

int uat_global_prepare(const struct uat_room_job *job)
{
    uat_registry_prepare(job->torture);
    uat_links_prepare(job->delays, job->seed);
    return uat_hosts_open(job->host_of);
}

/* Close each part. uat_global_start() may have failed at any step. */
static void stop(void)
{
    uat_near_allow_words(false);
    uat_release_close();
    uat_objects_end();
    uat_temporary_set(NULL, NULL);
    uat_array_drop(uat_registry.parts);
    uat_overcommit_reset();
    uat_registry_close();
    uat_links_close();
    uat_cache_close();
    uat_transfer_reset();
    uat_arena_close();
    uat_hosts_forget();
}

/* Drop all arrays, and close each part. */
static void drop_all(void)
{
    for (struct uat_array *a = uat_array_next(NULL), *next; a; a = next) {
        next = uat_array_next(a);
        if (a != uat_registry.parts)
            uat_array_drop(a);
    }
    stop();
}

void uat_global_reset(void)
{
    drop_all();
    uat_table_reset();
}

void uat_global_close(void)
{
    drop_all();
    uat_global_watch(NULL);
    uat_hosts_close();
}

/* Make the part of each worker and ghost for objects. */
static int make_parts(void)
{
    struct uat_array *parts = NULL;
    size_t part = uat_overcommit_part(uat_parts_count());
    const struct uat_table_entry asked = {.bytes = part, .distribution = UAT_TABLE_PARTS};
    int rc = uat_array_make(&asked, part * (size_t)uat_parts_count(), part, &parts);
    if (rc)
        return rc;
    parts->check = uat_bounds_check;
    uat_registry_show(parts);
    return uat_global_agree(uat_objects_start());
}

int uat_global_start(void)
{
    if (uat_global_is_open())
        return 0;
    uat_registry_open();
    uat_hosts_find();
    uat_arena_plan(uat_cache_plan());
    int rc = uat_links_open();
    if (!rc)
        rc = uat_overcommit_check_caches();
    rc = uat_global_agree(rc);
    if (!rc) {
        rc = uat_arena_open();
        rc = uat_global_agree(rc ? rc : uat_cache_open());
    }
    if (!rc)
        rc = uat_global_agree(uat_links_connect());
    if (!rc)
        rc = make_parts();
    if (rc) {
        stop();
        return rc;
    }
    uat_near_allow_words(uat_links.bulk->class_->cpu_atomics);
    uat_release_open();
    uat_info("global memory: %d hosts or adapters of hosts, this worker's is number %d; %zu MiB of cache, %zu MiB for "
             "objects",
             uat_hosts.count, uat_hosts.own, uat_cache.ring_size >> 20, uat_registry.parts->chunk >> 20);
    return 0;
}

int uat_global_open(void)
{
    int rc = uat_call_check(UAT_CALL_GLOBAL_OPEN);
    if (rc)
        return rc;
    uat_call_enter(UAT_CALL_GLOBAL_OPEN);
    rc = uat_global_start();
    if (!rc)
        rc = uat_global_agree(0); /* a barrier, even if there was nothing to do */
    uat_call_leave();
    return rc;
}
