/* SPDX-License-Identifier: MIT */
#include "runtime/task/victims.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "base/random.h"
#include "runtime/start/self.h"

static struct {
    int *near; /* ranks of the other workers on this host */
    int near_count;
    bool near_first;
    int wanted;       /* victims looked at in one round trip */
    uint64_t choices; /* made so far */
    struct uat_random random;
} candidates;

static int wanted(const struct uat_options *options, bool one_host)
{
    if (!options->peek) /* there is nothing to compare */
        return 1;
    if (options->peeks)
        return options->peeks;
    return one_host ? UAT_PEEKS_NEAR : UAT_PEEKS_FAR;
}

int uat_victims_open(const struct uat_options *options, const struct uat_endpoint *peers, const char *host)
{
    candidates.near_count = 0;
    candidates.near = malloc((size_t)uat_self.size * sizeof(*candidates.near));
    if (!candidates.near) {
        uat_error("no memory for the list of victims");
        return -ENOMEM;
    }
    for (int i = 0; i < uat_self.size; i++)
        if (i != uat_self.rank && strcmp(peers[i].host, host) == 0)
            candidates.near[candidates.near_count++] = i;
    candidates.near_first = options->victims == UAT_VICTIMS_NEAR && candidates.near_count > 0;
    candidates.wanted = wanted(options, candidates.near_count + 1 == uat_self.size);
    candidates.random = uat_random_seed(options->seed, (uint64_t)uat_self.rank);
    return 0;
}

void uat_victims_close(void)
{
    free(candidates.near);
    candidates.near = NULL;
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
        return candidates.near[i];
    return i < uat_self.rank ? i : i + 1;
}

void uat_victims_choose(struct uat_victims *victims)
{
    /* Near ones first, but every other round anyone, so that work on other hosts is found as well. */
    bool near = candidates.near_first && candidates.choices++ % 2 == 0;
    int n = near ? candidates.near_count : uat_self.size - 1;
    victims->count = 0;
    if (n <= candidates.wanted) { /* all of them, from a random one on */
        int first = (int)(uat_random_next(&candidates.random) % (uint64_t)n);
        for (int i = 0; i < n; i++)
            victims->rank[victims->count++] = candidate(near, (first + i) % n);
        return;
    }
    while (victims->count < candidates.wanted) {
        int rank = candidate(near, (int)(uat_random_next(&candidates.random) % (uint64_t)n));
        if (!holds(victims, rank))
            victims->rank[victims->count++] = rank;
    }
}
