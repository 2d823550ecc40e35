/* SPDX-License-Identifier: MIT */
#include "transport_ibv/group.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* What tells groups apart: parts of a worker's card, and the adapter that the worker takes. */
struct member {
    bool alone;
    char device[sizeof(((struct uat_ibv_address *)NULL)->device)];
    struct uat_card segment;
};

size_t uat_ibv_card_size(const struct uat_ibv_card *card)
{
    return offsetof(struct uat_ibv_card, address) + card->addresses * sizeof(card->address[0]);
}

int uat_ibv_card_read(struct uat_ibv_card *card, const struct uat_endpoint *shown, int rank)
{
    *card = (struct uat_ibv_card){0};
    if (shown->size > offsetof(struct uat_ibv_card, address) &&
        shown->size <= sizeof(*card)) /* otherwise it stays zero and is refused */
        memcpy(card, shown->data, shown->size);
    if (card->magic == UAT_IBV_CARD_MAGIC && card->version == UAT_IBV_CARD_VERSION && card->addresses > 0 &&
        card->addresses <= UAT_IBV_ADDRESSES_MAX && uat_ibv_card_size(card) == shown->size)
        return 0;
    uat_error("what rank %d (%s) shows, %zu bytes, is no card of a verbs transport: run the same build of uat and the "
              "same UAT_TRANSPORT on every worker",
              rank, shown->host ? shown->host : "?", shown->size);
    return -EPROTO;
}

static bool same_group(const struct member *a, const char *host_a, const struct member *b, const char *host_b)
{
    if (a->alone || b->alone || strncmp(a->device, b->device, sizeof(a->device)) != 0 ||
        a->segment.pid_space != b->segment.pid_space)
        return false;
    if (a->segment.boot[0] && b->segment.boot[0])
        return strncmp(a->segment.boot, b->segment.boot, sizeof(a->segment.boot)) == 0;
    return strcmp(host_a, host_b) == 0;
}

/* Put worker `rank` into the group of a lower rank, or make a new group. */
static void enter(struct uat_ibv_groups *g, struct member *of_group, const struct uat_endpoint *cards,
                  const struct member *member, int rank)
{
    int i = 0;
    while (i < g->count && !same_group(&of_group[i], cards[g->first[i]].host, member, cards[rank].host))
        i++;
    if (i == g->count) {
        of_group[i] = *member;
        g->first[i] = rank;
        g->workers[i] = 0;
        g->count++;
    }
    g->of[rank] = i;
    g->place[rank] = g->workers[i]++;
}

/* The member that this card describes; first: rank 0's card. A worker without an address in rank 0's network reports
 * that itself and ends the job. */
static struct member member_of(const struct uat_ibv_card *card, const struct uat_ibv_card *first)
{
    struct member m = {.alone = card->alone, .segment = card->segment};
    int chosen = uat_ibv_address_choose(card->address, (int)card->addresses, &first->address[0], card->subnet);
    memcpy(m.device, card->address[chosen < 0 ? 0 : chosen].device, sizeof(m.device));
    return m;
}

int uat_ibv_groups_open(struct uat_ibv_groups *groups, const struct uat_endpoint *cards, int size)
{
    size_t n = (size_t)size;
    struct uat_ibv_card card, first;
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
        rc = uat_ibv_card_read(&card, &cards[i], i);
        if (!rc && i == 0)
            first = card;
        struct member member = {0};
        if (!rc)
            member = member_of(&card, &first);
        if (!rc)
            enter(groups, of_group, cards, &member, i);
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
