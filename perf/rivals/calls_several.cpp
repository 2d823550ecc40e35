/* SPDX-License-Identifier: MIT */
/* The calls of rival-calls with several workers, and with several threads of other libraries. */
#include "perf/rivals/calls.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#ifdef HAVE_TBB
#include <tbb/task_group.h>
#endif

#include <uat.hpp>

namespace
{

using namespace std::chrono_literals;
enum { FEW = CALLS / 20, CHILDREN = 10, LEAVES = 10000, GROUPS = 100 };

struct objects {
    uat::mutex_ref mutex;
    uat::shared_mutex_ref shared;
    uat::once_flag_ref once;
};

/* When calls began and ended, and the round trips that their worker made meanwhile. */
struct taken {
    std::uint64_t begin, end, trips;
};

/* The nanoseconds of a call, if all these tasks or threads made `calls` calls each. */
double ns_of(const std::vector<taken> &all, int calls)
{
    std::uint64_t begin = all[0].begin, end = all[0].end;
    for (const taken &one : all) {
        begin = std::min(begin, one.begin);
        end = std::max(end, one.end);
    }
    return double(end - begin) / (double(calls) * double(all.size()));
}

template <class F> taken take(int calls, F f)
{
    uat_stats_t before, after;
    uat_stats(&before);
    taken t = {uat_time_ns(), 0, 0};
    for (int i = 0; i < calls; i++)
        f();
    t.end = uat_time_ns();
    uat_stats(&after);
    t.trips = after.round_trips - before.round_trips;
    return t;
}

/* Objects of the last rank. */
objects make()
{
    return uat::run([] {
        return uat::spawn_on(uat_size() - 1,
                             [] {
                                 uat::once_flag once;
                                 uat::call_once(once.ref(), [] {});
                                 return objects{uat::mutex().detach(), uat::shared_mutex().detach(), once.detach()};
                             })
            .join();
    });
}

/* Calls by one task on rank 0, so each is a call of an object that another worker keeps. */
template <class F> void measure_far(const std::string &name, objects o, F f)
{
    const taken t = uat::run([o, f] { return take(FEW, [&] { f(o); }); });
    note(name + " of another worker", "uat", ns_of({t}, FEW));
    note(name + " of another worker", "uat", double(t.trips) / FEW, "round trips");
}

using all_taken = std::array<taken, WORKERS_MOST>;

/* One task for each worker makes calls; all of them begin at once. */
template <class F> void measure_together(const std::string &name, objects o, F f)
{
    uat::global_vector<std::uint64_t> arrived(1);
    const auto all = uat::run([o, f, count = arrived.span()] {
        const auto body = [o, f, count] {
            count.atomic(0).fetch_add(1);
            while (count.atomic(0).load() < std::uint64_t(uat_size()))
                uat_sim_work(1000);
            return take(FEW, [&] { f(o); });
        };
        uat::result_group<taken, WORKERS_MOST> group;
        for (int rank = 0; rank < uat_size(); rank++)
            group.run_on(rank, body);
        all_taken all;
        std::copy(group.wait().begin(), group.end(), all.begin());
        return all;
    });
    note(name + ", all at once", "uat", ns_of({all.begin(), all.begin() + uat_size()}, FEW));
}

template <class F> void measure_threads(const std::string &name, int threads, F f)
{
    std::vector<taken> all(std::size_t(threads), taken{});
    std::vector<std::thread> running;
    std::atomic<int> arrived{0};
    for (taken &t : all)
        running.emplace_back([&] {
            arrived++;
            while (arrived < threads)
                ;
            t.begin = uat_time_ns(); /* a thread has no statistics of its own */
            for (int i = 0; i < FEW; i++)
                f();
            t.end = uat_time_ns();
        });
    for (std::thread &thread : running)
        thread.join();
    note(name + ", all at once", "std", ns_of(all, FEW));
}

/* The sum of numbers, by a tree of groups with results. */
long tree_uat(long first, long size)
{
    if (size == 1)
        return first;
    uat::result_group<long, CHILDREN> children;
    for (long i = 0; i < CHILDREN; i++)
        children.run(tree_uat, first + i * (size / CHILDREN), size / CHILDREN);
    long sum = 0;
    for (long part : children.wait())
        sum += part;
    return sum;
}

template <std::size_t Length> long strings_uat()
{
    long letters = 0;
    for (int g = 0; g < GROUPS; g++) {
        uat::result_group<std::string, CHILDREN> children;
        for (int i = 0; i < CHILDREN; i++) {
            std::string text(Length, 'x');
            children.run(reversed, std::move(text));
        }
        for (const std::string &text : children.wait())
            letters += long(text.size());
    }
    return letters;
}

/* The time in which the root runs f, which has `tasks` tasks. */
template <class F> void measure_tree(const std::string &name, long tasks, F f)
{
    const taken t = uat::run([f] { return take(1, f); });
    note(name, "uat", ns_of({t}, 1) / double(tasks));
}

#ifdef HAVE_TBB
long tree_tbb(long first, long size)
{
    if (size == 1)
        return first;
    std::array<long, CHILDREN> part;
    tbb::task_group children;
    for (long i = 0; i < CHILDREN; i++)
        children.run([=, &part] { part[std::size_t(i)] = tree_tbb(first + i * (size / CHILDREN), size / CHILDREN); });
    children.wait();
    long sum = 0;
    for (long one : part)
        sum += one;
    return sum;
}

template <std::size_t Length> long strings_tbb()
{
    long letters = 0;
    for (int g = 0; g < GROUPS; g++) {
        std::array<std::string, CHILDREN> result;
        tbb::task_group children;
        for (std::string &to : result)
            children.run([&to, text = std::string(Length, 'x')] { to = reversed(text); });
        children.wait();
        for (const std::string &text : result)
            letters += long(text.size());
    }
    return letters;
}
#endif

const char *const tree = "task of a tree of groups of 10 with results";

std::string name_of_strings(std::size_t length)
{
    return "task with a string of " + std::to_string(length) + " bytes, in groups of 10";
}

} // namespace

void round_of_several()
{
    const objects o = make();
    const auto lock = [](objects x) { std::lock_guard guard(x.mutex); };
    const auto limited = [](objects x) { std::unique_lock<const uat::mutex_ref> guard(x.mutex, 1s); };
    const auto read = [](objects x) { std::shared_lock guard(x.shared); };
    const auto write = [](objects x) { std::lock_guard guard(x.shared); };
    const auto once = [](objects x) { uat::call_once(x.once, [] {}); };
    measure_far("lock and unlock a mutex", o, lock);
    measure_far("lock a mutex with a limit, and unlock it,", o, limited);
    measure_far("lock_shared and unlock_shared a shared mutex", o, read);
    measure_far("lock and unlock a shared mutex", o, write);
    measure_far("call_once, a later call,", o, once);
    measure_together("lock and unlock a mutex", o, lock);
    measure_together("UAT_CRITICAL", o, [](objects) {
        UAT_CRITICAL(several)
        {
        }
    });
    measure_together("lock_shared and unlock_shared a shared mutex", o, read);
    measure_together("lock and unlock a shared mutex", o, write);
    measure_together("call_once, later calls", o, once);
    measure_tree(tree, LEAVES, [] { return tree_uat(0, LEAVES); });
    measure_tree(name_of_strings(8), GROUPS * CHILDREN, strings_uat<8>);
    measure_tree(name_of_strings(10000), GROUPS * CHILDREN, strings_uat<10000>);
    uat::run([o] {
        o.mutex.destroy();
        o.shared.destroy();
        o.once.destroy();
    });
}

void round_of_threads(int threads)
{
    std::mutex mutex;
    std::shared_mutex shared;
    std::once_flag flag;
    measure_threads("lock and unlock a mutex", threads, [&] { std::lock_guard guard(mutex); });
    measure_threads("lock_shared and unlock_shared a shared mutex", threads, [&] { std::shared_lock guard(shared); });
    measure_threads("lock and unlock a shared mutex", threads, [&] { std::lock_guard guard(shared); });
    measure_threads("call_once, later calls", threads, [&] { std::call_once(flag, [] {}); });
#ifdef HAVE_TBB
    note(tree, "oneTBB", ns_of({take(1, [] { tree_tbb(0, LEAVES); })}, 1) / LEAVES);
    note(name_of_strings(8), "oneTBB", ns_of({take(1, strings_tbb<8>)}, 1) / (GROUPS * CHILDREN));
    note(name_of_strings(10000), "oneTBB", ns_of({take(1, strings_tbb<10000>)}, 1) / (GROUPS * CHILDREN));
#endif
}
