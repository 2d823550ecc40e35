/* SPDX-License-Identifier: MIT */
/*
 * Description: when a scan or a search has split, no team runs a loop in its body, because all workers have work. After
 * the call, teams run loops again. Run it in virtual time, with fewer workers than the team of a scan has.
 */
#include <stdio.h>

#include "include/uat/pattern.h"
#include "include/uat/reducer.h"
#include "runtime/team/team.h"

enum { COUNT = 4096, WORK_NS = 1000 };

/* Calls of bodies on other workers than the one where the loop began, which have got their iterations by a split; and
 * those of them in which a team might run a loop. */
UAT_REDUCER(int64_t, stolen, 0, UAT_PLUS)
UAT_REDUCER(int64_t, open_calls, 0, UAT_PLUS)

static void note(int64_t count, const void *arg)
{
    uat_sim_work((uint64_t)count * WORK_NS);
    if (uat_rank() == *(const int *)arg)
        return;
    ++*stolen_view();
    *open_calls_view() += !uat_team_within;
}

static void add(int64_t begin, int64_t end, void *partial, const void *arg)
{
    *(int64_t *)partial += end - begin;
    note(end - begin, arg);
}

static void combine(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(int64_t *)left += *(const int64_t *)right;
}

static int64_t search(int64_t begin, int64_t end, const void *arg)
{
    note(end - begin, arg);
    return end;
}

/* Returns the number of faults. */
static int check(const char *what, int right)
{
    int64_t calls = stolen_take(), wrong = open_calls_take();
    int faults = !right + (calls == 0) + (wrong > 0) + uat_team_within;
    if (faults)
        fprintf(stderr, "%s: right %d; of %lld stolen calls %lld may have a team; afterwards %d\n", what, right,
                (long long)calls, (long long)wrong, !uat_team_within);
    return faults;
}

UAT_TASK(int, all, int, unused)
{
    static const int64_t zero;
    const uat_reduction_t sum = {add, combine, &zero, sizeof(zero)};
    int64_t total = 0;
    int rank = uat_rank(), faults;
    (void)unused;
    uat_scan(0, COUNT, 0, &sum, add, &rank, sizeof(rank), &total);
    faults = check("scan", total == COUNT);
    rank = uat_rank();
    return faults + check("search", uat_find(0, COUNT, search, &rank, sizeof(rank)) == COUNT);
}

int main(void)
{
    int faults = 1;
    if (uat_init() || all_run(&faults, 0) < 0)
        return 1;
    return uat_finalize() || faults > 0;
}
