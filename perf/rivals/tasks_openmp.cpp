/* SPDX-License-Identifier: MIT */
/* The small fork-join programs with GCC's OpenMP. usage: rival-tasks-openmp PROGRAM SIZE WORKERS ROUNDS */
#include <omp.h>

#include "perf/rivals/tasks_run.hpp"

using tasks::answer;

namespace
{

struct openmp_system {
    template <class F, class G> static answer both(F f, G g)
    {
        answer first;
#pragma omp task shared(first, f)
        first = f();
        answer second = g();
#pragma omp taskwait
        return first + second;
    }

    template <std::size_t Max, class F> static answer children(int n, F f)
    {
        answer part[Max], sum = 0;
        for (int i = 0; i < n; i++)
#pragma omp task shared(part, f)
            part[i] = f(i);
#pragma omp taskwait
        for (int i = 0; i < n; i++)
            sum += part[i];
        return sum;
    }

    template <class F> static answer sum(std::int64_t n, std::int64_t grain, F f)
    {
        answer all = 0;
#pragma omp parallel for reduction(+ : all) schedule(dynamic)
        for (std::int64_t begin = 0; begin < n; begin += grain)
            all += f(begin, std::min(begin + grain, n));
        return all;
    }

    static void scan(const std::uint64_t *in, std::uint64_t *out, std::int64_t n)
    {
        std::uint64_t sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
        for (std::int64_t i = 0; i < n; i++) {
            sum += in[i];
#pragma omp scan inclusive(sum)
            out[i] = sum;
        }
    }
};

/* The programs with tasks run in a parallel region; those with loops make one. */
answer run(tasks::program which, const tasks::input *in)
{
    answer found = 0;
    if (which >= tasks::PRIMES)
        return tasks::compute<openmp_system>(which, in);
#pragma omp parallel
#pragma omp single
    found = tasks::compute<openmp_system>(which, in);
    return found;
}

} // namespace

int main(int argc, char **argv)
{
    tasks::arguments a = tasks::read_arguments(argc, argv);
    omp_set_num_threads(a.workers);
    return tasks::run_here(a, run);
}
