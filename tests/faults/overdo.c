/* SPDX-License-Identifier: MIT */
/*
 * Description: a program that reaches or exceeds one of the runtime's limits. `limits` starts it and checks the result.
 * usage: [uatrun -n WORKERS] test-overdo WHAT N
 *
 *   nested    N nested spawns, each in the previous child
 *   children  a task with N children at the same time
 *   frames    a tree of tasks that wait with N bytes in their frames
 *   result    a result of N bytes
 *   argument  an argument of N bytes
 *   root      a root with an argument of N bytes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uat.h>

static long n; /* from the command line, so it is equal in all workers */

UAT_TASK(long, nested, long, depth)
{
    nested_task child;

    if (depth == 0)
        return 0;
    nested_spawn(&child, depth - 1);
    return 1 + nested_join(&child);
}

UAT_TASK(long, same, long, i)
{
    return i;
}

UAT_TASK(long, children, long, count)
{
    same_task *child = __builtin_alloca((size_t)count * sizeof(*child));
    long sum = 0;

    for (long i = 0; i < count; i++)
        same_spawn(&child[i], i);
    for (long i = 0; i < count; i++)
        sum += same_join(&child[i]);
    return sum == count * (count - 1) / 2 ? count : -1;
}

enum { DEPTH = 9 };

UAT_TASK(long, frames, long, depth)
{
    volatile unsigned char *room = __builtin_alloca((size_t)n);
    frames_task child;
    long leaves;

    if (depth == 0)
        return 1;
    memset((void *)room, (int)depth, (size_t)n);
    frames_spawn(&child, depth - 1);
    leaves = frames(depth - 1);
    leaves += frames_join(&child);
    for (long i = 0; i < n; i++)
        if (room[i] != depth)
            return -1;
    return leaves;
}

static void fill(void *arg, void *result)
{
    (void)arg;
    memset(result, 1, (size_t)n);
}

static void add_up(void *arg, void *result)
{
    const unsigned char *bytes = arg;

    *(long *)result = 0;
    for (long i = 0; i < n; i++)
        *(long *)result += bytes[i];
}

static void take_result(void *arg, void *result)
{
    unsigned char *room = __builtin_alloca((size_t)n);
    uat_task_t child;

    (void)arg;
    uat_spawn(&child, fill, NULL, 0, room, (size_t)n);
    uat_join(&child);
    add_up(room, result);
}

static unsigned char *bytes; /* N bytes, each equal to 1 */

static void give_argument(void *arg, void *result)
{
    uat_task_t child;

    (void)arg;
    uat_spawn(&child, add_up, bytes, (size_t)n, result, sizeof(long));
    uat_join(&child);
}

static int run(const char *what, long *result, long *expected)
{
    *expected = n;
    if (strcmp(what, "nested") == 0)
        return nested_run(result, n);
    if (strcmp(what, "children") == 0)
        return children_run(result, n);
    if (strcmp(what, "frames") == 0) {
        *expected = 1 << DEPTH;
        return frames_run(result, DEPTH);
    }
    if (strcmp(what, "result") == 0)
        return uat_run(take_result, NULL, 0, result, sizeof(*result));
    if (strcmp(what, "argument") == 0)
        return uat_run(give_argument, NULL, 0, result, sizeof(*result));
    if (strcmp(what, "root") == 0)
        return uat_run(add_up, bytes, (size_t)n, result, sizeof(*result));
    fprintf(stderr, "test-overdo: what is %s?\n", what);
    return -1;
}

int main(int argc, char **argv)
{
    long result = 0, expected = 0;

    if (uat_init() != 0)
        return 1;
    n = argc == 3 ? atol(argv[2]) : 0;
    bytes = malloc((size_t)n);
    if (n <= 0 || !bytes)
        return 2;
    memset(bytes, 1, (size_t)n);
    if (run(argv[1], &result, &expected) != 0)
        return 3;
    if (result != expected) {
        fprintf(stderr, "test-overdo: the answer is %ld, not %ld\n", result, expected);
        return 4;
    }
    free(bytes);
    return uat_finalize() == 0 ? 0 : 1;
}
