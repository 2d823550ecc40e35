/* SPDX-License-Identifier: MIT */
/*
 * Description: floating-point modes in tasks. A mode may be changed and restored between two spawns, or set on all
 * workers before the run. If a mode is still changed at a spawn, a join, a wait or the end of a task, the job ends with
 * a line.
 * usage: modes WHAT, one of restored, before, spawn, join, wait, end
 */
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "uat.h"
#include "uat/sync.h"

static const char *what;

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* 1/3, rounded in the current mode. */
static __attribute__((noinline)) double third(void)
{
    volatile double one = 1, three = 3, quotient = one / three;
    return quotient;
}

static double third_rounded(int mode)
{
    int old = fegetround();
    fesetround(mode);
    double x = third();
    fesetround(old);
    return x;
}

/* Returns the number of tasks of this tree that divided wrongly. */
UAT_TASK(long, tree, int, depth)
{
    tree_task left, right;
    double wanted = third_rounded(is("before") ? FE_UPWARD : FE_TONEAREST);
    long wrong = third_rounded(FE_UPWARD) <= third_rounded(FE_DOWNWARD);
    if (is("wait")) { /* no other task could find the changed mode on this worker */
        fesetround(FE_UPWARD);
        uat_yield();
        fesetround(FE_TONEAREST);
    }
    if (depth == 0)
        return wrong + (third() != wanted);
    tree_spawn(&left, depth - 1);
    if (is("spawn"))
        fesetround(FE_UPWARD);
    tree_spawn(&right, depth - 1);
    wrong += third() != wanted;
    if (is("join"))
        fesetround(FE_UPWARD);
    wrong += tree_join(&left) + tree_join(&right);
    if (is("end"))
        fesetround(FE_UPWARD);
    return wrong;
}

int main(int argc, char **argv)
{
    long wrong = -1;
    what = argc > 1 ? argv[1] : "restored";
    if (is("before"))
        fesetround(FE_UPWARD);
    if (uat_init() || tree_run(&wrong, is("wait") ? 0 : 6) || uat_finalize())
        return 1;
    if (wrong)
        fprintf(stderr, "modes: %ld wrong\n", wrong);
    return wrong != 0;
}
