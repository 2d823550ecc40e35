/* SPDX-License-Identifier: MIT */
/*
 * Description: uat::task_group: tasks along a recursion, nested groups, exceptions of tasks, a search that ends early,
 * and groups that an exception unwinds.
 * usage: task-groups
 */
#include <cstdint>
#include <cstdio>
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
        g.run([=] { done.fetch_add(1); }); /* the group is still usable */
        g.wait();
        errors += caught != bad || done.load() != before + TASKS;
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

/* Tasks after the one that finds are not started, or see the cancellation. A task that throws cancels the group,
 * too. */
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

int root(uat::span<std::int64_t> words)
{
    tree(7, words.atomic(0));
    int trees = words.atomic(0).load() != 64, throws = check_throws(words.atomic(1)), destructor = check_destructor();
    int unwinding = check_unwinding(words.atomic(2)), cancel = check_cancel(words.atomic(3));
    if (trees + throws + destructor + unwinding + cancel > 0)
        std::fprintf(stderr, "task-groups: trees %d, throws %d, destructor %d, unwinding %d, cancel %d\n", trees,
                     throws, destructor, unwinding, cancel);
    return trees + throws + destructor + unwinding + cancel;
}

} // namespace

int main()
{
    uat::job job;
    uat::global_vector<std::int64_t> words(4);
    return uat::run(root, words.span()) > 0;
}
