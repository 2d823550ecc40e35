/* SPDX-License-Identifier: MIT */
/*
 * Compares calls of uat with those of the C++ library and of oneTBB that do the same: locks, calls that happen once,
 * waits with a limit, sleeps, and tasks whose arguments and results are strings. With one worker nothing waits for
 * another task, and no task migrates. With several workers the objects belong to another worker, or all workers use one
 * object at once; with THREADS so do threads of the other libraries. Prints JSON: nanoseconds of a call, and round
 * trips, the least of the rounds.
 * usage: uatrun -n WORKERS rival-calls ROUNDS, or uatrun -n 1 rival-calls ROUNDS THREADS
 */
#include "perf/rivals/calls.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifdef HAVE_TBB
#include <tbb/global_control.h>
#include <tbb/task_group.h>
#endif

#include <uat.hpp>

namespace
{

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
enum { SLEEPS = 20 };

struct objects {
    uat::mutex_ref mutex;
    uat::shared_mutex_ref shared;
};
std::size_t letters; /* the sum of the results, so that no call is left out */
std::vector<std::pair<std::string, double>> rows;

template <class F> double ns_of(int calls, F f)
{
    clock::time_point begin = clock::now();
    for (int i = 0; i < calls; i++)
        f();
    return std::chrono::duration<double, std::nano>(clock::now() - begin).count() / calls;
}

template <std::size_t Length> void spawn_uat()
{
    letters += uat::spawn(reversed, std::string(Length, 'x')).join().size();
}

#ifdef HAVE_TBB
template <std::size_t Length> void spawn_tbb()
{
    tbb::task_group group;
    std::string text(Length, 'x'), result; /* one process, so the task uses them in place */
    group.run([&text, &result] { result = reversed(std::move(text)); });
    group.wait();
    letters += result.size();
}
#endif

/* Call f, of a library. */
template <class F> void measure(const std::string &name, const char *library, int calls, F f)
{
    note(name, library, ns_of(calls, f));
}

template <std::size_t Length> void measure_spawns()
{
    std::string name = "string of " + std::to_string(Length) + " bytes to a task and back";
    measure(name, "uat", CALLS / 10, spawn_uat<Length>);
#ifdef HAVE_TBB
    measure(name, "oneTBB", CALLS / 10, spawn_tbb<Length>);
#endif
    measure(name, "a call", CALLS / 10, [] { letters += reversed(std::string(Length, 'x')).size(); });
}

void measure_locks(objects o)
{
    std::mutex mutex;
    std::timed_mutex timed;
    std::shared_mutex shared;
    measure("mutex, lock and unlock", "uat", CALLS, [o] { std::lock_guard lock(o.mutex); });
    measure("mutex, lock and unlock", "std", CALLS, [&] { std::lock_guard lock(mutex); });
    measure("UAT_CRITICAL", "uat", CALLS, [] {
        UAT_CRITICAL(calls)
        {
            letters++;
        }
    });
    measure("mutex, lock with a limit and unlock", "uat", CALLS,
            [o] { std::unique_lock<const uat::mutex_ref> lock(o.mutex, 1ms); });
    measure("mutex, lock with a limit and unlock", "std", CALLS, [&] { std::unique_lock lock(timed, 1ms); });
    measure("shared mutex, lock_shared and unlock_shared", "uat", CALLS, [o] { std::shared_lock lock(o.shared); });
    measure("shared mutex, lock_shared and unlock_shared", "std", CALLS, [&] { std::shared_lock lock(shared); });
    measure("shared mutex, lock and unlock", "uat", CALLS, [o] { std::lock_guard lock(o.shared); });
    measure("shared mutex, lock and unlock", "std", CALLS, [&] { std::lock_guard lock(shared); });
}

void measure_times(uat::once_flag_ref once)
{
    std::once_flag flag;
    measure("call_once, later calls", "uat", CALLS, [once] { uat::call_once(once, [] { letters++; }); });
    measure("call_once, later calls", "std", CALLS, [&] { std::call_once(flag, [] { letters++; }); });
    measure("sleep for 100 us", "uat", SLEEPS, [] { uat::sleep_for(100us); });
    measure("sleep for 100 us", "std", SLEEPS, [] { std::this_thread::sleep_for(100us); });
}

void round_of_one()
{
    uat::run([] {
        uat::mutex mutex;
        uat::shared_mutex shared;
        uat::once_flag once;
        measure_locks({mutex.ref(), shared.ref()});
        measure_times(once.ref());
        measure_spawns<8>();
        measure_spawns<100>();
        measure_spawns<10000>();
    });
}

} // namespace

void note(const std::string &name, const char *library, double value, const char *unit)
{
    const std::string title = name + ", " + library + ", " + unit;
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto &row) { return row.first == title; });
    if (found == rows.end())
        rows.emplace_back(title, value);
    else
        found->second = std::min(found->second, value);
}

std::string reversed(std::string text)
{
    std::reverse(text.begin(), text.end());
    return text;
}

int main(int argc, char **argv)
{
    uat::job job;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 5, threads = argc > 2 ? std::atoi(argv[2]) : 1;
    if (rounds < 1 || threads < 1 || (threads > 1 && uat_size() > 1) || uat_size() > WORKERS_MOST) {
        std::fprintf(stderr,
                     "usage: uatrun -n WORKERS rival-calls ROUNDS, with at most %d workers, or uatrun -n 1 rival-calls "
                     "ROUNDS THREADS\n",
                     WORKERS_MOST);
        return 2;
    }
#ifdef HAVE_TBB
    tbb::global_control most(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
#endif
    for (int i = 0; i < rounds; i++) {
        if (uat_size() > 1)
            round_of_several();
        else if (threads > 1)
            round_of_threads(threads);
        else
            round_of_one();
    }
    for (const auto &[title, value] : rows)
        if (uat_rank() == 0)
            std::printf("%s\"%s\": %.1f%s", &title == &rows[0].first ? "{" : ", ", title.c_str(), value,
                        &title == &rows.back().first ? "}\n" : "");
    return job.finish() != 0;
}
