/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks throw and catch C++ exceptions between spawns, also in stolen tasks. Static objects that a task
 * creates are destroyed at exit, whichever worker created them.
 */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "uat.h"

enum { LEAF = 7, CUT = 3 };

static int destroyed;
static bool made;
struct witness {
    int value;
    explicit witness(int v) : value(v)
    {
        made = true;
    }
    ~witness()
    {
        destroyed++;
    }
};

UAT_TASK(int, work, int, n)
{
    work_task left;
    if (n < 2) {
        for (volatile int i = 0; i < 300; i = i + 1)
            ;
        return n;
    }
    work_spawn(&left, n - 1);
    int right = work(n - 2);
    return work_join(&left) + right;
}

UAT_TASK(int, tree, int, depth)
{
    static witness once(depth + 1);
    tree_task left, right;
    work_task early, late;
    int next = 0, sum = once.value > 0 ? 0 : 1000000;
    if (depth == 0)
        return work(LEAF);
    tree_spawn(&left, depth - 1);
    work_spawn(&early, LEAF + 4);
    std::string text;
    try {
        throw std::runtime_error("depth " + std::to_string(depth));
    } catch (const std::exception &e) {
        text = e.what();
    }
    if (text != "depth " + std::to_string(depth))
        sum += 1000000;
    text = std::string();
    work_spawn(&late, LEAF);
    sum += work(LEAF - 1);
    sum += work_join(&late);
    try {
        throw depth;
    } catch (int d) {
        next = depth > CUT ? d - 1 : 0;
    }
    tree_spawn(&right, next);
    sum += tree_join(&right);
    sum += work_join(&early);
    sum += tree_join(&left);
    return sum;
}

static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int expected(int depth)
{
    if (depth == 0)
        return fib(LEAF);
    return fib(LEAF) + fib(LEAF - 1) + fib(LEAF + 4) + expected(depth > CUT ? depth - 1 : 0) + expected(depth - 1);
}

static void check_destroyed()
{
    if (destroyed != (made ? 1 : 0)) {
        std::fprintf(stderr, "exceptions: %d objects destroyed at the end, not %d\n", destroyed, made ? 1 : 0);
        std::_Exit(1);
    }
}

int main()
{
    int sum = 0;
    std::atexit(check_destroyed);
    if (uat_init() || tree_run(&sum, 6) || uat_finalize())
        return 1;
    if (sum != expected(6))
        std::fprintf(stderr, "exceptions: %d, not %d\n", sum, expected(6));
    return sum != expected(6);
}
