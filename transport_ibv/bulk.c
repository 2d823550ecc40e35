/* SPDX-License-Identifier: MIT */
/* Bulk data over verbs as a class: opening and closing. */
#include "transport_ibv/bulk.h"

#include <stdlib.h>

#include "base/log.h"

static void bulk_close(struct uat_bulk *head)
{
    struct uat_ibv_bulk *b = uat_ibv_bulk_of(head);
    uat_ibv_bulk_links_close(b); /* close the links before the memory, because operations in flight use the memory */
    uat_ibv_bulk_memory_close(b);
    free(head->link);
    free(b);
}

static struct uat_ibv_bulk *allocate(const struct uat_bulk_config *config)
{
    struct uat_ibv_bulk *b = calloc(1, sizeof(*b));
    struct uat_bulk_link *link = calloc((size_t)config->hosts, sizeof(*link));
    if (!b || !link) {
        uat_error("no memory for the links to %d hosts", config->hosts);
        free(b);
        free(link);
        return NULL;
    }
    b->head = (struct uat_bulk){
        .class_ = &uat_bulk_ibv, .links = config->hosts, .link = link, .transport = config->transport};
    b->ibv = uat_ibv_of(config->transport);
    return b;
}

static int bulk_open(const struct uat_bulk_config *config, struct uat_bulk **out)
{
    struct uat_ibv_bulk *b = allocate(config);
    if (!b)
        abort(); /* end the job: otherwise the peers would wait forever for this worker's queue pair numbers */
    int rc = uat_ibv_bulk_arena(b, config->arena, config->arena_size), others = uat_ibv_bulk_links_open(b, config);
    if (!rc)
        rc = others;
    if (rc) {
        bulk_close(&b->head);
        return rc;
    }
    *out = &b->head;
    return 0;
}

/* Returns the number of the rank's group: the workers of a host that use one adapter are a group. If some worker is a
 * group of its own, groups do not show which workers share an adapter. In that case returns 0. */
static int bulk_adapter(struct uat_transport *t, int rank)
{
    const struct uat_ibv_groups *g = &uat_ibv_of(t)->groups;
    return g->has_lone ? 0 : g->of[rank];
}

const struct uat_bulk_class uat_bulk_ibv = {
    .adapter = bulk_adapter,
    .cpu_atomics = false,
    .maps = false,
    .open = bulk_open,
    .room = uat_ibv_bulk_room,
    .expose = uat_ibv_bulk_expose,
    .conceal = uat_ibv_bulk_conceal,
    .post = uat_ibv_bulk_post,
    .progress = uat_ibv_bulk_progress,
    .reaches = uat_ibv_bulk_reaches,
    .close = bulk_close,
};
