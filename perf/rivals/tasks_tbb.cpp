/* SPDX-License-Identifier: MIT */
/* The small fork-join programs with oneTBB. usage: rival-tasks-tbb PROGRAM SIZE WORKERS ROUNDS */
#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/task_group.h>

#include "perf/rivals/tasks_run.hpp"

using tasks::answer;
using range = tbb::blocked_range<std::int64_t>;

namespace
{

struct tbb_system {
    template <class F, class G> static answer both(F f, G g)
    {
        tbb::task_group group;
        answer first;
        group.run([&first, f] { first = f(); });
        answer second = g();
        group.wait();
        return first + second;
    }

    template <std::size_t Max, class F> static answer children(int n, F f)
    {
        tbb::task_group group;
        answer part[Max], sum = 0;
        for (int i = 0; i < n; i++)
            group.run([&part, f, i] { part[i] = f(i); });
        group.wait();
        for (int i = 0; i < n; i++)
            sum += part[i];
        return sum;
    }

    template <class F> static answer sum(std::int64_t n, std::int64_t grain, F f)
    {
        return tbb::parallel_reduce(
            range(0, n, std::size_t(grain)), answer(0),
            [=](const range &r, answer before) { return before + f(r.begin(), r.end()); }, std::plus<>());
    }

    static void scan(const std::uint64_t *in, std::uint64_t *out, std::int64_t n)
    {
        tbb::parallel_scan(
            range(0, n), std::uint64_t(0),
            [=](const range &r, std::uint64_t sum, bool is_final) {
                for (std::int64_t i = r.begin(); i < r.end(); i++) {
                    sum += in[i];
                    if (is_final)
                        out[i] = sum;
                }
                return sum;
            },
            std::plus<>());
    }
};

} // namespace

int main(int argc, char **argv)
{
    tasks::arguments a = tasks::read_arguments(argc, argv);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(a.workers));
    tbb::global_control stacks(tbb::global_control::thread_stack_size, std::size_t(1) << 30); /* T3L recurses deeply */
    return tasks::run_here(a, tasks::compute<tbb_system>);
}
