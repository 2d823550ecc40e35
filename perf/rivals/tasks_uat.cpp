/* SPDX-License-Identifier: MIT */
/* The small fork-join programs with uat, on one host. usage: uatrun -n WORKERS rival-tasks-uat PROGRAM SIZE WORKERS
 * ROUNDS */
#include <functional>

#include <uat.hpp>

extern "C" {
#include "perf/gather.h"
}
#include "perf/rivals/tasks_run.hpp"

using tasks::answer;

namespace
{

struct uat_system {
    template <class F, class G> static answer both(F f, G g)
    {
        auto first = uat::spawn(f);
        answer second = g();
        return first.join() + second;
    }

    template <std::size_t Max, class F> static answer children(int n, F f)
    {
        uat::result_group<answer, Max> group;
        for (int i = 0; i < n; i++)
            group.run(f, i);
        answer sum = 0;
        for (answer one : group.wait())
            sum += one;
        return sum;
    }

    template <class F> static answer sum(std::int64_t n, std::int64_t, F f)
    {
        return uat::parallel_reduce_ranges(
            0, n, answer(0), std::plus<>(),
            [f](std::int64_t begin, std::int64_t end, answer before) { return before + f(begin, end); });
    }

    static void scan(const std::uint64_t *in, std::uint64_t *out, std::int64_t n)
    {
        uat::parallel_scan(
            0, n, std::uint64_t(0), [in](std::int64_t i) { return in[i]; }, std::plus<>(),
            [out](std::int64_t i, std::uint64_t, std::uint64_t with) { out[i] = with; });
    }
};

} // namespace

int main(int argc, char **argv)
{
    static tasks::arguments a; /* tasks read these two; all workers set them alike */
    static tasks::input in;
    a = tasks::read_arguments(argc, argv);
    uat::job job;
    if (uat_size() != a.workers)
        tasks::refuse("WORKERS is not the number of the job's workers");
    uat::global_vector<char> memory(tasks::bytes_of(a));
    in = tasks::place_input(a, memory.span().data());
    std::vector<double> seconds;
    for (int i = 0; i < a.rounds; i++) {
        if (uat_rank() == 0)
            tasks::fill(a, in);
        double begin = tasks::seconds_now(a.workers);
        answer found = uat::run([] { return tasks::compute<uat_system>(a.which, &in); });
        seconds.push_back(tasks::seconds_now(a.workers) - begin);
        if (uat_rank() == 0 && !tasks::is_right(a, in, found)) {
            std::fprintf(stderr, "rival-tasks: %s: wrong answer %.17g\n", tasks::names[a.which], found);
            std::exit(1);
        }
    }
    uat_gathered peak;
    if (uat_gather(std::uint64_t(tasks::peak_kib()), &peak) < 0)
        return 1;
    if (uat_rank() == 0)
        tasks::print_report(a, seconds, long(peak.sum));
}
