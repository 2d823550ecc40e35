/* SPDX-License-Identifier: MIT */
/*
 * Description: a program whose ranks make different collective calls, make calls out of turn, or are late. bad-input
 * --misuse starts it and checks how the job ends.
 * usage: test-misuse WHAT
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <uat.h>
#include <uat/detail/failure.h>
#include <unistd.h>

#include "tests/programs/misuse.h"

enum { LATE_SECONDS = 3, LONG_SECONDS = 60, DEPTH = 12, LEAVES = 1 << DEPTH };

static int is_first(void)
{
    return uat_rank() == 0;
}

static int is_last(void)
{
    return uat_rank() == uat_size() - 1;
}

UAT_TASK(int, leaves, int, depth)
{
    leaves_task child;
    if (depth == 0)
        return 1;
    leaves_spawn(&child, depth - 1);
    int right = leaves(depth - 1);
    return leaves_join(&child) + right;
}

/* A correct run. Returns 0 if the run was correct. */
static int good_run(void)
{
    int result = 0;
    return leaves_run(&result, DEPTH) || result != LEAVES;
}

UAT_TASK(int, slow, int, seconds)
{
    sleep((unsigned)seconds);
    return 0;
}

static void nothing(void *arg, void *result)
{
}

static int long_run(void)
{
    int result;
    return slow_run(&result, LONG_SECONDS);
}

static int replicate(void)
{
    int one = 1;
    return uat_replicate(&one, sizeof(one)) == NULL;
}

static int total(void)
{
    uat_stats_t stats;
    return uat_stats_total(&stats);
}

/* Different calls on different ranks. */
static int skip_run(void)
{
    return is_first() ? 0 : good_run();
}
static int run_and_barrier(void)
{
    return is_last() ? uat_barrier() : long_run();
}
static int barrier_and_run(void)
{
    return is_first() ? uat_barrier() : good_run();
}
static int replicate_and_barrier(void)
{
    return is_last() ? replicate() : uat_barrier();
}
static int total_and_run(void)
{
    return is_first() ? total() : good_run();
}
static int finalize_and_run(void)
{
    return is_last() ? uat_finalize() : long_run();
}
static int one_barrier_more(void)
{
    return uat_barrier() || (is_last() && uat_barrier());
}
static int one_run_more(void)
{
    return good_run() || (!is_first() && good_run());
}

/* The call is invalid on one rank. It fails on all ranks, and the next call works. */
static int null_root(void)
{
    return uat_run(is_first() ? NULL : nothing, NULL, 0, NULL, 0) != -EINVAL || good_run();
}
static int null_argument(void)
{
    return uat_run(nothing, NULL, is_first() ? 8 : 0, NULL, 0) != -EINVAL || good_run();
}
static int little_room(void)
{
    long room = 0;
    return uat_run(nothing, NULL, 0, &room, is_last() ? 4 : 8) != -EMSGSIZE || good_run();
}
static int no_room_on_one(void)
{
    long room = 0;
    return uat_run(nothing, NULL, 0, is_last() ? NULL : &room, 8) != -EINVAL || good_run();
}
static int null_total(void)
{
    uat_stats_t stats;
    return uat_stats_total(is_last() ? NULL : &stats) != -EINVAL || total() || good_run();
}
static int null_replica(void)
{
    int one = 1;
    return uat_replicate(is_first() ? NULL : &one, sizeof(one)) != NULL || errno != EINVAL || replicate() || good_run();
}

/* On one rank something occupies the address of the next replica. */
static int replica_without_room(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int one = 1;
    char *first = uat_replicate(&one, sizeof(one)), *taken = NULL;
    if (!first)
        return 1;
    if (is_last())
        taken = mmap(first - page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (uat_replicate(&one, sizeof(one)) || errno != EEXIST || uat_barrier())
        return 1;
    if (taken)
        munmap(taken, page);
    int *second = uat_replicate(&one, sizeof(one));
    return (char *)second != first - page || *second != 1 || good_run();
}

static int denied; /* the next mprotect() of this rank fails */

/* uat calls this function instead of the C library's. */
int mprotect(void *at, size_t size, int protection)
{
    if (!denied)
        return (int)syscall(SYS_mprotect, at, size, protection);
    denied = 0;
    errno = ENOMEM;
    return -1;
}

/* One rank cannot make its replica read-only. So no rank keeps the replica, and the next one is at the same place. */
static int not_kept(int here)
{
    int one = 1;
    char *first = uat_replicate(&one, sizeof(one));
    denied = here;
    if (uat_replicate(&one, sizeof(one)) || errno != ENOMEM || denied)
        return 1;
    int *second = uat_replicate(&one, sizeof(one));
    return (char *)second != first - sysconf(_SC_PAGESIZE) || *second != 1 || good_run();
}
static int replica_not_kept_first(void)
{
    return not_kept(is_first());
}
static int replica_not_kept_last(void)
{
    return not_kept(is_last());
}

/* One rank is late. */
static void be_late(int rank)
{
    if (uat_rank() == rank % uat_size())
        sleep(LATE_SECONDS);
}
static int late_root(void)
{
    be_late(0);
    return good_run();
}
static int late_worker(void)
{
    be_late(2); /* rank 2 of 4 passes the end of the run on to rank 3 */
    return good_run();
}
static int late_to_barrier(void)
{
    be_late(1);
    return uat_barrier() || good_run();
}
static int late_to_replicate(void)
{
    be_late(0);
    return replicate() || good_run();
}
static int late_to_finalize(void)
{
    be_late(1);
    return 0;
}
static int late_again_and_again(void)
{
    struct timespec two = {.tv_sec = 2};
    for (int i = 0; i < 3; i++) {
        if (is_first())
            nanosleep(&two, NULL);
        if (uat_barrier())
            return 1;
    }
    return 0;
}

/* The last rank has entered the run, but hangs in a signal handler. */
static void never_return(int number)
{
    for (;;)
        pause();
}
static int stuck(void)
{
    int result;
    if (is_last()) {
        struct itimerval one = {.it_value = {.tv_sec = 1}};
        signal(SIGALRM, never_return);
        setitimer(ITIMER_REAL, &one, NULL);
    }
    return slow_run(&result, 2);
}

/* Calls out of turn. */
static int second_init(void)
{
    return uat_init() == -EALREADY ? 1 : 0;
}
static int run_again_inside(int unused)
{
    int result;
    return leaves_run(&result, 1);
}
UAT_TASK(int, run_inside, int, unused)
{
    return run_again_inside(unused);
}
static int run_in_task(void)
{
    int status = 0;
    return run_inside_run(&status, 0) || status == -EINVAL;
}
UAT_TASK(int, barrier_inside, int, unused)
{
    return uat_barrier();
}
static int barrier_in_task(void)
{
    int status = 0;
    return barrier_inside_run(&status, 0) || status == -EINVAL;
}

static int run_before_init(void)
{
    return good_run() ? 1 : 0;
}
static int barrier_before_init(void)
{
    return uat_barrier() == -EINVAL;
}
static int finalize_before_init(void)
{
    return uat_finalize() == -EINVAL;
}
static int spawn_outside(void)
{
    uat_task_t t;
    uat_spawn(&t, nothing, NULL, 0, NULL, 0);
    return 1;
}
static int large_spawn_outside(void)
{
    static char argument[4096];
    uat_task_t t;
    uat_spawn(&t, nothing, argument, sizeof(argument), NULL, 0);
    return 1;
}
static void fail_in_group(void *arg, void *result)
{
    const struct uat_failure failure = {.type = "std::exception", .what = "of a child"};
    uat_fail(&failure);
    nothing(arg, result);
}
UAT_TASK_VOID(wait_for_failing, int, unused)
{
    uat_group_t group;
    uat_group_begin(&group);
    uat_group_spawn(&group, fail_in_group, NULL, 0);
    uat_group_wait(&group);
}
static int group_fails(void)
{
    return wait_for_failing_run(0);
}
static int init_after_finalize(void)
{
    return uat_init() == -EALREADY;
}

enum when { BEFORE, BETWEEN, AFTER };

static const struct misuse {
    const char *name;
    enum when when;
    int (*call)(void); /* returns 0 on success */
} misuses[] = {
    {"skip-run", BETWEEN, skip_run},
    {"run-and-barrier", BETWEEN, run_and_barrier},
    {"barrier-and-run", BETWEEN, barrier_and_run},
    {"replicate-and-barrier", BETWEEN, replicate_and_barrier},
    {"total-and-run", BETWEEN, total_and_run},
    {"finalize-and-run", BETWEEN, finalize_and_run},
    {"one-barrier-more", BETWEEN, one_barrier_more},
    {"one-run-more", BETWEEN, one_run_more},
    {"null-root", BETWEEN, null_root},
    {"null-argument", BETWEEN, null_argument},
    {"little-room", BETWEEN, little_room},
    {"no-room-on-one", BETWEEN, no_room_on_one},
    {"null-total", BETWEEN, null_total},
    {"null-replica", BETWEEN, null_replica},
    {"replica-without-room", BETWEEN, replica_without_room},
    {"replica-not-kept-first", BETWEEN, replica_not_kept_first},
    {"replica-not-kept-last", BETWEEN, replica_not_kept_last},
    {"late-root", BETWEEN, late_root},
    {"late-worker", BETWEEN, late_worker},
    {"late-to-barrier", BETWEEN, late_to_barrier},
    {"late-to-replicate", BETWEEN, late_to_replicate},
    {"late-to-finalize", BETWEEN, late_to_finalize},
    {"late-again", BETWEEN, late_again_and_again},
    {"stuck", BETWEEN, stuck},
    {"second-init", BETWEEN, second_init},
    {"run-in-task", BETWEEN, run_in_task},
    {"barrier-in-task", BETWEEN, barrier_in_task},
    {"spawn-from-thread", BETWEEN, misuse_spawn_from_thread},
    {"join-of-another", BETWEEN, misuse_join_of_another},
    {"join-twice", BETWEEN, misuse_join_twice},
    {"foreign-handle", BETWEEN, misuse_foreign_handle},
    {"copied-group", BETWEEN, misuse_copied_group},
    {"group-without-wait", BETWEEN, misuse_group_without_wait},
    {"static-group", BETWEEN, misuse_static_group},
    {"group-of-another", BETWEEN, misuse_group_of_another},
    {"group-fails", BETWEEN, group_fails},
    {"identity-of-reduction", BETWEEN, misuse_identity_of_reduction},
    {"identity-of-reducer", BETWEEN, misuse_identity_of_reducer},
    {"run-before-init", BEFORE, run_before_init},
    {"barrier-before-init", BEFORE, barrier_before_init},
    {"finalize-before-init", BEFORE, finalize_before_init},
    {"spawn-before-init", BEFORE, spawn_outside},
    {"large-spawn-before-init", BEFORE, large_spawn_outside},
    {"run-after-finalize", AFTER, run_before_init},
    {"barrier-after-finalize", AFTER, barrier_before_init},
    {"spawn-after-finalize", AFTER, spawn_outside},
    {"init-after-finalize", AFTER, init_after_finalize},
};

int main(int argc, char **argv)
{
    const struct misuse *m = NULL;
    for (size_t i = 0; argc == 2 && i < sizeof(misuses) / sizeof(misuses[0]); i++)
        if (strcmp(argv[1], misuses[i].name) == 0)
            m = &misuses[i];
    if (!m) {
        fprintf(stderr, "usage: test-misuse WHAT\n");
        return 2;
    }
    if (m->when == BEFORE && m->call())
        return 1;
    if (uat_init())
        return 1;
    int wrong = m->when == BETWEEN && m->call();
    if (uat_finalize())
        return 1;
    return wrong || (m->when == AFTER && m->call());
}
