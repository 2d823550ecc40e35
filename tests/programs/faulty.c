/* SPDX-License-Identifier: MIT */
/*
 * Description: a program that does one forbidden thing. bad-input starts it and checks how the job ends. usage:
 * test-faulty WHAT
 */
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <uat.h>
#include <unistd.h>

enum { EXPECTED = 7, SEEN_WRONG = 9 };

struct fault {
    const char *name;
    void (*before)(void); /* called outside of uat_run(), on every rank */
    uat_fn *root;         /* the root for uat_run, if not NULL */
};

static void die(int how)
{
    switch (how) {
    case 0:
        exit(0);
    case 1:
        exit(3);
    case 2:
        abort();
    default:
        raise(SIGKILL);
    }
}

/* A large tree. The last worker ends its process once it has stolen a task. */
UAT_TASK(long, tree, int, depth, int, how)
{
    tree_task child;
    long right;

    if (uat_rank() == uat_size() - 1)
        die(how);
    if (depth == 0)
        return 1;
    tree_spawn(&child, depth - 1, how);
    right = tree(depth - 1, how);
    return tree_join(&child) + right;
}

static void exit_0_root(void *arg, void *result)
{
    *(long *)result = tree(34, 0);
}

static void exit_3_root(void *arg, void *result)
{
    *(long *)result = tree(34, 1);
}

static void abort_root(void *arg, void *result)
{
    *(long *)result = tree(34, 2);
}

static void kill_root(void *arg, void *result)
{
    *(long *)result = tree(34, 3);
}

static void exit_outside(void)
{
    if (uat_rank() == uat_size() - 1)
        exit(3);
}

static void kill_outside(void)
{
    if (uat_rank() == uat_size() - 1)
        raise(SIGKILL);
}

/* Make calls without end and without spawns. */
static __attribute__((noinline)) long endless_calls(long n)
{
    volatile char room[1000];

    room[n % 1000] = (char)n;
    return n < 0 ? 0 : endless_calls(n + 1) + room[(n + 1) % 1000];
}

static void overflow_root(void *arg, void *result)
{
    *(long *)result = endless_calls(0);
}

/* Spawn without end. */
UAT_TASK(long, endless_spawns, long, n)
{
    endless_spawns_task child;

    endless_spawns_spawn(&child, n + 1);
    return endless_spawns_join(&child);
}

static void spawns_root(void *arg, void *result)
{
    *(long *)result = endless_spawns(0);
}

UAT_TASK(long, fib_of_frame, int, n)
{
    fib_of_frame_task t;
    long right;

    if (n < 2)
        return n;
    fib_of_frame_spawn(&t, n - 1);
    right = fib_of_frame(n - 2);
    return fib_of_frame_join(&t) + right;
}

/* One frame of 38 MB; almost nothing of it is touched. */
static __attribute__((noinline)) double large_frame(int i)
{
    double a[2048][2329];
    fib_of_frame_task t;

    a[i][i] = i;
    fib_of_frame_spawn(&t, 10);
    a[0][i] = (double)fib_of_frame_join(&t);
    __asm__ volatile("" : : "r"(a) : "memory");
    return a[i][i] + a[0][i];
}

static void large_frame_root(void *arg, void *result)
{
    *(long *)result = (long)large_frame(1) - 56;
}

/* 22 frames of 1 MB; each frame skips far more than a page. */
static __attribute__((noinline)) long sparse_frames(int depth)
{
    char room[1 << 20];
    fib_of_frame_task t;
    long sum;

    room[0] = (char)depth;
    __asm__ volatile("" : : "r"(room) : "memory");
    if (depth == 0) {
        fib_of_frame_spawn(&t, 10);
        return fib_of_frame_join(&t);
    }
    sum = sparse_frames(depth - 1);
    return sum + room[0] - depth;
}

static void sparse_frames_root(void *arg, void *result)
{
    *(long *)result = sparse_frames(21) - 55;
}

/* A frame larger than any guard. It ends where nothing is mapped or, in the case step-landed, in other memory of the
 * program. */
static __attribute__((noinline)) void step_over(size_t bytes)
{
    fib_of_frame_task t;
    volatile char *room = alloca(bytes);

    fib_of_frame_spawn(&t, 10);
    fib_of_frame_join(&t);
    __asm__ volatile("" : : "r"(room) : "memory");
}

static void step_over_root(void *arg, void *result)
{
    step_over((size_t)3 << 30);
}

static void step_landed_root(void *arg, void *result)
{
    enum { ROOM = 1 << 20 };
    char *here = (char *)(((uintptr_t)&arg - ((size_t)3 << 30)) & ~(uintptr_t)4095);

    if (mmap(here - ROOM, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
        MAP_FAILED)
        return;
    step_over((size_t)3 << 30);
}

/* Computes without end and needs no other worker, while the other workers look for work. */
static void busy_root(void *arg, void *result)
{
    for (volatile int busy = 1; busy;)
        ;
}

static void child(void *arg, void *result)
{
}

/* Runs long enough for a thief to steal its spawner. */
static void slow_child(void *arg, void *result)
{
    usleep(50000);
}

/*
 * Ends without having joined its child. This is detected only if the child runs on a worker other than its spawner's.
 * So the children run long enough for thieves, and there are enough children for at least one spawner to be stolen.
 */
static void unjoined(void *arg, void *result)
{
    uat_task_t children[100];

    for (int i = 0; i < 100; i++)
        uat_spawn(&children[i], slow_child, NULL, 0, NULL, 0);
}

static void spawn_outside(void)
{
    uat_task_t t;

    uat_spawn(&t, child, NULL, 0, NULL, 0);
    uat_join(&t);
}

static void large_result(void *arg, void *result)
{
    static char room[1 << 20];
    uat_task_t t;

    uat_spawn(&t, child, NULL, 0, room, sizeof(room));
    uat_join(&t);
}

/* Uses a pointer into another task's stack. The rules for task code forbid this. */
static void read_foreign(void *arg, void *result)
{
    *(int *)result = **(volatile int **)arg;
}

static void write_foreign(void *arg, void *result)
{
    **(volatile int **)arg = EXPECTED;
}

static void foreign_read(void *arg, void *result)
{
    volatile int mine = EXPECTED;
    volatile int *pointer = &mine;
    int seen = 0;
    uat_task_t t;

    uat_spawn(&t, read_foreign, &pointer, sizeof(pointer), &seen, sizeof(seen));
    uat_join(&t);
    *(long *)result = seen == EXPECTED ? 0 : SEEN_WRONG;
}

static void foreign_write(void *arg, void *result)
{
    volatile int mine = 0;
    volatile int *pointer = &mine;
    uat_task_t t;

    uat_spawn(&t, write_foreign, &pointer, sizeof(pointer), NULL, 0);
    uat_join(&t);
    *(long *)result = mine == EXPECTED ? 0 : SEEN_WRONG;
}

/* Replicated data is read-only. */
static void write_replicated(void)
{
    int source = 1;
    volatile int *copy = uat_replicate(&source, sizeof(source));

    if (copy != NULL)
        *copy = 2;
}

static const struct fault faults[] = {
    {"exit-0", NULL, exit_0_root},
    {"exit-3", NULL, exit_3_root},
    {"abort", NULL, abort_root},
    {"kill", NULL, kill_root},
    {"exit-outside", exit_outside, kill_root},
    {"kill-outside", kill_outside, NULL},
    {"overflow", NULL, overflow_root},
    {"large-frame", NULL, large_frame_root},
    {"sparse-frames", NULL, sparse_frames_root},
    {"step-over", NULL, step_over_root},
    {"step-landed", NULL, step_landed_root},
    {"endless-spawns", NULL, spawns_root},
    {"unjoined", NULL, unjoined},
    {"busy", NULL, busy_root},
    {"spawn-outside", spawn_outside, NULL},
    {"large-result", NULL, large_result},
    {"foreign-read", NULL, foreign_read},
    {"foreign-write", NULL, foreign_write},
    {"write-replicated", write_replicated, NULL},
};

int main(int argc, char **argv)
{
    const struct fault *fault = NULL;
    long result = 0;

    if (uat_init() != 0)
        return 1;
    for (size_t i = 0; argc == 2 && i < sizeof(faults) / sizeof(faults[0]); i++)
        if (strcmp(argv[1], faults[i].name) == 0)
            fault = &faults[i];
    if (fault == NULL) {
        fprintf(stderr, "usage: test-faulty WHAT\n");
        return 2;
    }
    if (fault->before != NULL)
        fault->before();
    if (fault->root != NULL && uat_run(fault->root, NULL, 0, &result, sizeof(result)) != 0)
        return 1;
    if (uat_finalize() != 0)
        return 1;
    return (int)result;
}
