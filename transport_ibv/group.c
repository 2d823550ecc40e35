/* SPDX-License-Identifier: MIT */
#include "transport_ibv/group.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* The properties that determine a worker's group: its adapter, and parts of its attach info. */
struct member {
    bool alone;
    char device[sizeof(((struct uat_ibv_address *)NULL)->device)];
    struct uat_attach_info segment;
};

size_t uat_ibv_attach_info_size(const struct uat_ibv_attach_info *info)
{
    return offsetof(struct uat_ibv_attach_info, address) + info->addresses * sizeof(info->address[0]);
}

int uat_ibv_attach_info_read(struct uat_ibv_attach_info *info, const struct uat_endpoint *shown, int rank)
{
    *info = (struct uat_ibv_attach_info){0};
    if (shown->size > offsetof(struct uat_ibv_attach_info, address) &&
        shown->size <= sizeof(*info)) /* otherwise info stays zero, and is refused later */
        memcpy(info, shown->data, shown->size);
    if (info->magic == UAT_IBV_ATTACH_INFO_MAGIC && info->version == UAT_IBV_ATTACH_INFO_VERSION &&
        info->addresses > 0 && info->addresses <= UAT_IBV_ADDRESSES_MAX &&
        uat_ibv_attach_info_size(info) == shown->size)
        return 0;
    uat_error("rank %d (%s) published %zu bytes that are not the attach info of a verbs transport: run the same "
              "build of uat and the same UAT_TRANSPORT on every worker",
              rank, shown->host ? shown->host : "?", shown->size);
    return -EPROTO;
}

/* Do two workers use the same adapter of the same host? */
static bool same_adapter(const struct member *a, const char *host_a, const struct member *b, const char *host_b)
{
    if (strncmp(a->device, b->device, sizeof(a->device)) != 0)
        return false;
    if (a->segment.boot[0] && b->segment.boot[0])
        return strncmp(a->segment.boot, b->segment.boot, sizeof(a->segment.boot)) == 0;
    return strcmp(host_a, host_b) == 0;
}

/* Put worker `rank` into the group of a lower rank, or make a new group. */
static void enter(struct uat_ibv_groups *g, struct member *of_group, const struct uat_endpoint *infos,
                  const struct member *member, int rank)
{
    int i;
    g->has_lone |= member->alone;
    for (i = member->alone ? g->count : 0; i < g->count; i++) {
        if (of_group[i].alone || !same_adapter(&of_group[i], infos[g->first[i]].host, member, infos[rank].host))
            continue;
        if (of_group[i].segment.pid_space == member->segment.pid_space)
            break;
        g->apart[0] = g->first[i];
        g->apart[1] = rank;
    }
    if (i == g->count) {
        of_group[i] = *member;
        g->first[i] = rank;
        g->workers[i] = 0;
        g->count++;
    }
    g->of[rank] = i;
    g->place[rank] = g->workers[i]++;
}

/* The member that this info describes. first: rank 0's attach info. If a worker has no address in rank 0's network, the
 * worker itself reports this and ends the job. */
static struct member member_of(const struct uat_ibv_attach_info *info, const struct uat_ibv_attach_info *first)
{
    struct member m = {.alone = info->alone, .segment = info->segment};
    int chosen = uat_ibv_address_choose(info->address, (int)info->addresses, &first->address[0], info->subnet);
    memcpy(m.device, info->address[chosen < 0 ? 0 : chosen].device, sizeof(m.device));
    return m;
}

int uat_ibv_groups_open(struct uat_ibv_groups *groups, const struct uat_endpoint *infos, int size)
{
    size_t n = (size_t)size;
    struct uat_ibv_attach_info info, first;
    struct member *of_group = calloc(n, sizeof(*of_group));
    *groups = (struct uat_ibv_groups){.size = size,
                                      .of = calloc(n, sizeof(int)),
                                      .place = calloc(n, sizeof(int)),
                                      .workers = calloc(n, sizeof(int)),
                                      .first = calloc(n, sizeof(int))};
    int rc = 0;
    if (!of_group || !groups->of || !groups->place || !groups->workers || !groups->first) {
        uat_error("no memory for the list of %d workers' adapters", size);
        rc = -ENOMEM;
    }
    for (int i = 0; i < size && !rc; i++) {
        rc = uat_ibv_attach_info_read(&info, &infos[i], i);
        if (!rc && i == 0)
            first = info;
        struct member member = {0};
        if (!rc)
            member = member_of(&info, &first);
        if (!rc)
            enter(groups, of_group, infos, &member, i);
    }
    free(of_group);
    if (rc)
        uat_ibv_groups_close(groups);
    return rc;
}

void uat_ibv_groups_close(struct uat_ibv_groups *groups)
{
    free(groups->of);
    free(groups->place);
    free(groups->workers);
    free(groups->first);
    *groups = (struct uat_ibv_groups){0};
}

int uat_ibv_groups_sharing(const struct uat_endpoint *infos, int size, int rank)
{
    struct uat_ibv_attach_info info, first;
    struct member own, other;
    int n = 0;
    if (uat_ibv_attach_info_read(&first, &infos[0], 0) || uat_ibv_attach_info_read(&info, &infos[rank], rank))
        return 1;
    own = member_of(&info, &first);
    for (int i = 0; i < size; i++) {
        if (uat_ibv_attach_info_read(&info, &infos[i], i))
            return 1;
        other = member_of(&info, &first);
        n += same_adapter(&own, infos[rank].host, &other, infos[i].host);
    }
    return n;
}

bool uat_ibv_groups_is_gateway(const struct uat_ibv_groups *groups, int a, int b)
{
    if (groups->of[a] == groups->of[b])
        return a == b;
    return groups->place[b] == groups->place[a] % groups->workers[groups->of[b]];
}

bool uat_ibv_groups_connect(const struct uat_ibv_groups *groups, int a, int b)
{
    return uat_ibv_groups_is_gateway(groups, a, b) || uat_ibv_groups_is_gateway(groups, b, a);
}

int64_t uat_ibv_groups_connections(const struct uat_ibv_groups *groups, int worker)
{
    int own = groups->of[worker];
    int64_t workers = groups->workers[own], n = workers; /* each worker has a connection to itself */
    /* Each worker of the larger of two groups has one connection to the smaller group. */
    for (int i = 0; i < groups->count; i++)
        if (i != own)
            n += groups->workers[i] > workers ? groups->workers[i] : workers;
    return n;
}
