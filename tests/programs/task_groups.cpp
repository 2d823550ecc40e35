/* SPDX-License-Identifier: MIT */
/*
 * Description: uat::task_group: tasks along a recursion, nested groups, exceptions of tasks, a search that ends early,
 * and groups that an exception unwinds.
 * usage: task-groups
 */
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>

#include <uat.hpp>

namespace
{

enum { TASKS = 200 };

void linger(int n)
{
    for (volatile int i = 0; i < n; i = i + 1)
        ;
}

void tree(int depth, uat::atomic_ref<std::int64_t> leaves)
{
    uat::task_group g;
    if (depth == 0)
        leaves.fetch_add(1);
    for (int i = 0; i < depth; i++)
        g.run(tree, i, leaves);
}

int check_throws(uat::atomic_ref<std::int64_t> done)
{
    int errors = 0;
    for (int bad = 0; bad < TASKS; bad += 37) {
        std::int64_t before = done.load();
        uat::task_group g;
        for (int i = 0; i < TASKS; i++)
            g.run([=] {
                linger(200);
                if (i == bad)
                    throw std::out_of_range(std::to_string(i));
                done.fetch_add(1);
            });
        int caught = -1;
        try {
            g.wait();
        } catch (const std::out_of_range &e) {
            caught = std::stoi(e.what());
        }
        g.run([=] { done.fetch_add(1); }); /* the group can still be used */
        g.wait();
        errors += caught != bad || done.load() != before + TASKS;
    }
    return errors;
}

/* The first exception in serial order, although it is thrown late. */
int check_first()
{
    int errors = 0;
    for (int bad = 0; bad < 60; bad += 7) {
        uat::task_group g;
        for (int i = 0; i < 80; i++)
            g.run([=] {
                for (int k = 0; i == bad && k < 3; k++) {
                    linger(20000);
                    uat_yield();
                }
                uat::task_group inner;
                inner.run([=] {
                    if (i >= bad)
                        throw std::out_of_range(std::to_string(i));
                });
                inner.wait();
            });
        int caught = -1;
        try {
            g.wait();
        } catch (const std::out_of_range &e) {
            caught = std::stoi(e.what());
        }
        errors += caught != bad;
    }
    return errors;
}

int check_destructor()
{
    try {
        uat::task_group g;
        for (int i = 0; i < TASKS; i++)
            g.run([] {
                linger(200);
                throw std::length_error("all of them");
            });
    } catch (const std::length_error &e) {
        return std::string(e.what()) != "all of them";
    }
    return 1;
}

int check_unwinding(uat::atomic_ref<std::int64_t> done)
{
    std::int64_t before = done.load();
    bool own = false;
    try {
        uat::task_group g;
        for (int i = 0; i < TASKS; i++)
            g.run([=] {
                linger(2000);
                done.fetch_add(1);
                if (i % 3 == 0)
                    throw std::length_error("dropped");
            });
        throw std::runtime_error("own");
    } catch (const std::runtime_error &e) {
        own = true;
    } catch (const std::length_error &e) {
    }
    return !own || done.load() != before + TASKS;
}

/* When one task has cancelled the group, not all of the later tasks are started. A task that is run after a
 * cancellation is never started. */
int check_cancel(uat::atomic_ref<std::int64_t> started)
{
    started.store(0);
    uat::task_group g;
    auto token = g.cancellation();
    for (int i = 0; i < 100 * TASKS; i++)
        g.run([=] {
            started.fetch_add(1);
            if (i == 50)
                token.cancel();
        });
    g.wait();
    int errors = started.load() < 51 || started.load() == 100 * TASKS;
    auto again = g.cancellation();
    g.cancel();
    g.run([=] { started.store(-1); });
    errors += !again.cancelled();
    g.wait();
    return errors + (started.load() < 0);
}

/* Groups that an exception unwinds must give back the blocks of their cancellation. The heap has room for fewer blocks
 * than there are groups. */
int check_given_back()
{
    for (int i = 0; i < 100000; i++) {
        try {
            uat::task_group g;
            g.cancellation();
            throw i;
        } catch (int) {
        }
    }
    return 0;
}

/* Tasks on given workers: children of a group, and children with handles. One of these tasks throws. */
int check_places(uat::atomic_ref<std::int64_t> right)
{
    int errors = 0;
    right.store(0);
    uat::task_group g;
    for (int rank = 0; rank < uat_size(); rank++) {
        auto there = uat::spawn_on(
            rank, [](int expected) { return uat_rank() == expected; }, rank);
        g.run_on(rank, [=] { right.fetch_add(uat_rank() == rank); });
        uat::migrate(rank);
        errors += uat_rank() != rank;
        errors += !there.join();
    }
    g.wait();
    errors += right.load() != uat_size();
    uat::mutex home(uat::biased);
    int where = uat_rank();
    uat::migrate(uat_size() - 1);
    {
        std::lock_guard lock(home);
        errors += uat_rank() != where;
    }
    auto silent = uat::spawn_on(uat_size() - 1, [=] { right.store(7); });
    silent.join();
    errors += right.load() != 7;
    auto thrower = uat::spawn_on(uat_size() - 1, []() -> int { throw std::out_of_range(std::to_string(uat_rank())); });
    try {
        errors += thrower.join() + 1;
    } catch (const std::out_of_range &e) {
        errors += std::stoi(e.what()) != uat_size() - 1;
    }
    return errors;
}

int root(uat::span<std::int64_t> words)
{
    tree(7, words.atomic(0));
    int trees = words.atomic(0).load() != 64, throws = check_throws(words.atomic(1)) + check_first(),
        destructor = check_destructor();
    int unwinding = check_unwinding(words.atomic(2)), cancel = check_cancel(words.atomic(3)) + check_given_back();
    int places = check_places(words.atomic(4));
    if (trees + throws + destructor + unwinding + cancel + places > 0)
        std::fprintf(stderr, "task-groups: trees %d, throws %d, destructor %d, unwinding %d, cancel %d, places %d\n",
                     trees, throws, destructor, unwinding, cancel, places);
    return trees + throws + destructor + unwinding + cancel + places;
}

} // namespace

int main()
{
    uat::job job;
    uat::global_vector<std::int64_t> words(5);
    return uat::run(root, words.span()) > 0;
}
