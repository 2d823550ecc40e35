/* SPDX-License-Identifier: MIT */
#include "runtime/sched/steal.h"

#include <string.h>

#include "base/kernel.h"
#include "base/random.h"
#include "deque/settings.h"
#include "runtime/job/crew.h"
#include "runtime/job/self.h"
#include "runtime/sched/settings.h"

static struct {
    int wanted; /* number of victims to look at in one round trip */
    struct uat_random random;
} candidates;

static int wanted(bool one_host)
{
    if (uat_deque_settings.peeks == UAT_PEEKS_NONE) /* nothing to compare */
        return 1;
    if (uat_deque_settings.peeks != UAT_PEEKS_AUTO)
        return uat_deque_settings.peeks;
    return one_host ? UAT_PEEKS_NEAR : UAT_PEEKS_FAR;
}

void uat_victims_open(const struct uat_endpoint *peers, const char *host)
{
    bool one_host = true;
    for (int i = 0; i < uat_self.size; i++)
        one_host &= i == uat_self.rank || strcmp(peers[i].host, host) == 0;
    candidates.wanted = wanted(one_host);
    uat_victims_reset();
}

void uat_victims_reset(void)
{
    candidates.random = uat_random_seed(uat_sched_settings.seed, (uint64_t)uat_self.rank);
}

static bool holds(const struct uat_victims *v, int rank)
{
    for (int i = 0; i < v->count; i++)
        if (v->rank[i] == rank)
            return true;
    return false;
}

/* Candidate number i: one of `others`, or any rank but this one. */
static int candidate(const int *others, int i)
{
    if (__builtin_expect(others != NULL, 0))
        return others[i];
    return i < uat_self.rank ? i : i + 1;
}

void uat_victims_choose(struct uat_victims *victims)
{
    int n = 0;
    const int *others = uat_crew_others(&n);
    if (n == 0) { /* nobody rests; or all others do, since the caller has looked */
        others = NULL;
        n = uat_self.size - 1;
    }
    victims->count = 0;
    if (n <= candidates.wanted) { /* take all candidates, starting with a random candidate */
        int first = (int)(uat_random_next(&candidates.random) % (uint64_t)n);
        for (int i = 0; i < n; i++)
            victims->rank[victims->count++] = candidate(others, (first + i) % n);
        return;
    }
    while (victims->count < candidates.wanted) {
        int rank = candidate(others, (int)(uat_random_next(&candidates.random) % (uint64_t)n));
        if (!holds(victims, rank))
            victims->rank[victims->count++] = rank;
    }
}
UAT_KERNEL(uat_victims_choose);
