/* SPDX-License-Identifier: MIT */
/*
 * Description: C++ exceptions and tasks: forbidden uses end with a line; allowed uses work. bad-input --misuse-cpp
 * starts this program.
 * usage: test-misuse-cpp WHAT
 */
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <uat.hpp>
#include <unistd.h>
#include <utility>

/* TRIES: maximum number of runs. The last run is one in which a thief stole the spawner before the child ended. */
enum { THROWS = 20, CHILD_US = 20000, TRIES = 50 };

static void child(void *, void *result)
{
    usleep(CHILD_US); /* gives thieves time to steal the spawner */
    *(int *)result = 1;
}

/* Its destructor spawns and joins a child. */
struct destroyed {
    ~destroyed()
    {
        uat_task_t task;
        int one = 0;
        uat_spawn(&task, child, &one, sizeof(one), &one, sizeof(one));
        uat_join(&task);
    }
};

/* Its destructor joins a child of the function around it. */
struct joins {
    uat_task_t *task;
    ~joins()
    {
        uat_join(task);
    }
};

static void spawn_in_catch(void *, void *)
{
    uat_task_t task;
    int one = 0;
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &) {
        uat_spawn(&task, child, &one, sizeof(one), &one, sizeof(one));
        uat_join(&task);
    }
}

static void call_once_of_moved(void *, void *)
{
    uat::once_flag flag, to(std::move(flag));
    uat::call_once(flag, [] {});
}

static void join_in_catch(void *, void *)
{
    uat_task_t task;
    int one = 0;
    uat_spawn(&task, child, &one, sizeof(one), &one, sizeof(one));
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &) {
        uat_join(&task);
    }
}

static void spawn_in_unwinding(void *, void *)
{
    try {
        destroyed by_unwinding;
        throw std::runtime_error("thrown");
    } catch (const std::exception &) {
    }
}

static void join_in_unwinding(void *, void *)
{
    uat_task_t task;
    int one = 0;
    uat_spawn(&task, child, &one, sizeof(one), &one, sizeof(one));
    try {
        joins by_unwinding = {&task};
        throw std::runtime_error("thrown");
    } catch (const std::exception &) {
    }
}

/* Exceptions that are thrown and caught between spawns and joins, and destructors that run without an exception. */
static void in_order(void *, void *result)
{
    int caught = 0;
    for (int i = 0; i < THROWS; i++) {
        uat_task_t task;
        int one = 0;
        try {
            destroyed without_exception;
            uat_spawn(&task, child, &one, sizeof(one), &one, sizeof(one));
        } catch (...) {
            caught = -1;
        }
        uat_join(&task);
        try {
            if (one == 1)
                throw i;
        } catch (int thrown) {
            caught += thrown == i;
        }
    }
    *(int *)result = caught;
}

/* A child that fails on a worker other than its spawner's worker keeps a join record until the child is joined. */
static void fail_without_records(void *, void *)
{
    auto first = uat::spawn([] { throw std::runtime_error("first"); });
    auto second = uat::spawn([] { throw std::runtime_error("second"); });
    auto third = uat::spawn([] { throw std::runtime_error("third"); });
    third.join();
}

static uat::reducer<long> sum;

static int view_outside()
{
    *sum += 1;
    return 0;
}

/* Two reducers with one key, as if the first one's variable had left its scope before its value was taken. */
static void two_with_one_key(void *, void *)
{
    static const uat_reduction_t other = {nullptr, nullptr, "", 1};
    uat_reducer_t copy;
    uat_reducer_begin(&copy, &other);
    *sum += 1;
    copy.key = &sum; /* the key of `sum`: the address of its handle, which is at the start of the object */
    uat_reducer_take(&copy, &copy);
}

static int take_outside()
{
    return int(sum.take());
}

/* A view of 256 KiB, in a task that waits. */
static void wait_with_large_view(void *, void *)
{
    static const char zeroes[256 << 10] = {};
    static const uat_reduction_t operations = {nullptr, nullptr, zeroes, sizeof(zeroes)};
    static const uat_reducer_t large = {&large, &operations};
    uat_reducer_view(&large);
    uat_yield();
}

static int run_in_order()
{
    int caught = 0;
    return uat_run(in_order, nullptr, 0, &caught, sizeof(caught)) || caught != THROWS;
}

/* The run itself may be called in a catch block, because that call does not migrate. */
static int run_in_catch()
{
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &) {
        return run_in_order();
    }
}

static const struct {
    const char *name;
    uat_fn *root;
    int (*call)();
} misuses[] = {
    {"spawn-in-catch", spawn_in_catch, nullptr},
    {"join-in-catch", join_in_catch, nullptr},
    {"call-once-of-moved", call_once_of_moved, nullptr},
    {"spawn-in-unwinding", spawn_in_unwinding, nullptr},
    {"join-in-unwinding", join_in_unwinding, nullptr},
    {"fail-without-records", fail_without_records, nullptr},
    {"view-outside", nullptr, view_outside},
    {"take-outside", nullptr, take_outside},
    {"wait-with-large-view", wait_with_large_view, nullptr},
    {"two-with-one-key", two_with_one_key, nullptr},
    {"in-order", nullptr, run_in_order},
    {"run-in-catch", nullptr, run_in_catch},
};

int main(int argc, char **argv)
{
    if (argc != 2 || uat_init())
        return 2;
    for (const auto &m : misuses)
        if (std::strcmp(argv[1], m.name) == 0) {
            int wrong = m.root ? 0 : m.call();
            for (int i = 0; m.root && i < TRIES && !wrong; i++)
                wrong = uat_run(m.root, nullptr, 0, nullptr, 0);
            return uat_finalize() || wrong;
        }
    std::fprintf(stderr, "usage: test-misuse-cpp WHAT\n");
    return 2;
}
