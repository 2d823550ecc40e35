/* SPDX-License-Identifier: MIT */
#include "transport_ibv/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static int check_card(struct uat_ibv_card *card, const struct uat_endpoint *shown, int rank)
{
    *card = (struct uat_ibv_card){0};
    if (shown->size == sizeof(*card)) /* any other size: refused as zeros */
        memcpy(card, shown->data, sizeof(*card));
    if (card->magic == UAT_IBV_CARD_MAGIC && card->version == UAT_IBV_CARD_VERSION)
        return 0;
    uat_error("what rank %d (%s) shows, %zu bytes, is no card of a verbs transport: run the same build of uat and the "
              "same UAT_TRANSPORT on every worker",
              rank, shown->host ? shown->host : "?", shown->size);
    return -EPROTO;
}

static bool same_group(const struct uat_ibv_card *a, const char *host_a, const struct uat_ibv_card *b,
                       const char *host_b)
{
    if (a->alone || b->alone || strncmp(a->device, b->device, sizeof(a->device)) != 0 ||
        a->segment.pid_space != b->segment.pid_space)
        return false;
    if (a->segment.boot[0] && b->segment.boot[0])
        return strncmp(a->segment.boot, b->segment.boot, sizeof(a->segment.boot)) == 0;
    return strcmp(host_a, host_b) == 0;
}

/* Put worker `rank` into the group of a lower rank, or make one. */
static void enter(struct uat_ibv_groups *g, struct uat_ibv_card *of_group, const struct uat_endpoint *cards,
                  const struct uat_ibv_card *card, int rank)
{
    int i = 0;
    while (i < g->count && !same_group(&of_group[i], cards[g->first[i]].host, card, cards[rank].host))
        i++;
    if (i == g->count) {
        of_group[i] = *card;
        g->first[i] = rank;
        g->workers[i] = 0;
        g->count++;
    }
    g->of[rank] = i;
    g->place[rank] = g->workers[i]++;
}

int uat_ibv_groups_open(struct uat_ibv_groups *groups, const struct uat_endpoint *cards, int size)
{
    size_t n = (size_t)size;
    struct uat_ibv_card card, *of_group = calloc(n, sizeof(*of_group));
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
        rc = check_card(&card, &cards[i], i);
        if (!rc)
            enter(groups, of_group, cards, &card, i);
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
