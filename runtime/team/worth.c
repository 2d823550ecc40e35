/* SPDX-License-Identifier: MIT */
#include "runtime/team/team.h"

#include <string.h>

#include "runtime/job/self.h"

enum {
    KNOWN = 64,
    WORTH_NS = 4000, /* least time of a loop by a team, in all; the ordinary loop splits from two microseconds on */
    AGAIN = 32       /* loops that run without a team before a team is tried again */
};

/* What loops have taken, by their body. Two bodies may share an entry: the later one replaces the earlier. */
static struct known {
    const void *body;
    double ns;      /* of an iteration */
    unsigned waits; /* this many loops run without a team */
    int busy;       /* parts of busy workers in the last loop */
} known[KNOWN];

static struct known *known_of(const void *body)
{
    struct known *k = &known[(uintptr_t)body / 16 % KNOWN];
    if (k->body != body)
        *k = (struct known){.body = body};
    return k;
}

bool uat_team_is_worth(const void *body, int64_t count)
{
    struct known *k = known_of(body);
    if (k->waits > 0) {
        k->waits--;
        return false;
    }
    bool worth = k->ns == 0 || k->ns * (double)count / uat_self.size >= WORTH_NS;
    if (!worth) {
        k->waits = AGAIN;
        k->ns = 0; /* measure again: bodies change their minds */
    }
    k->busy = 0;
    return worth;
}

void uat_team_took(const void *body, int64_t count, uint64_t ns)
{
    known_of(body)->ns = (double)ns * uat_self.size / (double)count;
}

void uat_team_was_busy(const void *body)
{
    struct known *k = known_of(body);
    if (++k->busy > uat_self.size / 2)
        k->waits = AGAIN;
}

void uat_team_forget(void)
{
    memset(known, 0, sizeof(known));
}
