/* SPDX-License-Identifier: MIT */
#include "runtime/task/victims.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "runtime/task/worker.h"

int uat_victims_open(const struct uat_endpoint *peers, const char *host)
{
    struct uat_worker *w = &uat_worker;
    w->near_count = 0;
    w->near = malloc((size_t)w->size * sizeof(*w->near));
    if (!w->near) {
        uat_error("no memory for the list of victims");
        return -ENOMEM;
    }
    for (int i = 0; i < w->size; i++)
        if (i != w->rank && strcmp(peers[i].host, host) == 0)
            w->near[w->near_count++] = i;
    return 0;
}

void uat_victims_close(void)
{
    free(uat_worker.near);
    uat_worker.near = NULL;
}

static bool holds(const struct uat_victims *v, int rank)
{
    for (int i = 0; i < v->count; i++)
        if (v->rank[i] == rank)
            return true;
    return false;
}

/* Candidate number i of n: the near ones, or all others. */
static int candidate(bool near, int i)
{
    if (near)
        return uat_worker.near[i];
    return i < uat_worker.rank ? i : i + 1;
}

void uat_victims_choose(struct uat_victims *victims)
{
    struct uat_worker *w = &uat_worker;
    /* Near ones first, but every other round anyone, so that work on other hosts is found as well. */
    bool near = w->options.victims == UAT_VICTIMS_NEAR && w->near_count > 0 && w->thief.count.attempts % 2 == 0;
    int n = near ? w->near_count : w->size - 1;
    int wanted = w->options.peek ? (int)w->options.peeks : 1; /* without a peek there is nothing to compare */
    victims->count = 0;
    if (n <= wanted) { /* all of them, from a random one on */
        int first = (int)(uat_worker_random() % (uint64_t)n);
        for (int i = 0; i < n; i++)
            victims->rank[victims->count++] = candidate(near, (first + i) % n);
        return;
    }
    while (victims->count < wanted) {
        int rank = candidate(near, (int)(uat_worker_random() % (uint64_t)n));
        if (!holds(victims, rank))
            victims->rank[victims->count++] = rank;
    }
}
