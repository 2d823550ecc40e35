/* SPDX-License-Identifier: MIT */
/* The small fork-join programs as plain calls and loops. The report has the number of forks that the other systems
 * make. usage: rival-tasks-plain PROGRAM SIZE 1 ROUNDS */
#include "perf/rivals/tasks_run.hpp"

using tasks::answer;

namespace
{

tasks::arguments a;
long forks;

template <bool Counted> struct plain_system {
    template <class F, class G> static answer both(F f, G g)
    {
        forks += Counted;
        __asm__ volatile(""); /* keeps the compiler from merging equal calls */
        answer first = f();
        return first + g();
    }

    template <std::size_t Max, class F> static answer children(int n, F f)
    {
        answer sum = 0;
        forks += Counted ? n : 0;
        for (int i = 0; i < n; i++)
            sum += f(i);
        return sum;
    }

    template <class F> static answer sum(std::int64_t n, std::int64_t, F f)
    {
        return f(0, n);
    }

    static void scan(const std::uint64_t *in, std::uint64_t *out, std::int64_t n)
    {
        std::uint64_t sum = 0;
        for (std::int64_t i = 0; i < n; i++)
            out[i] = sum += in[i];
    }
};

long count_forks(const tasks::input &in)
{
    tasks::compute<plain_system<true>>(a.which, &in);
    return forks;
}

} // namespace

int main(int argc, char **argv)
{
    a = tasks::read_arguments(argc, argv);
    return tasks::run_here(a, tasks::compute<plain_system<false>>, count_forks);
}
