/* SPDX-License-Identifier: MIT */
/* flow::compare() for programs with uat: the data are in global memory, and rank 0 reads the command line for all
 * ranks. */
#ifndef EXAMPLES_FLOW_WITH_UAT_HPP
#define EXAMPLES_FLOW_WITH_UAT_HPP

#include "examples/flow/flow.hpp"

#include "uat.hpp"

namespace flow
{

/* Copy n bytes of rank 0 to all ranks. On failure, all ranks throw. */
inline void *replicate(const void *p, std::size_t n)
{
    void *copy = uat_replicate(p, n);
    if (!copy)
        throw uat::error(errno, "uat_replicate");
    return copy;
}

/* Compare solve(problem, data), a task, with the sequential program. Returns the exit status. */
template <class Problem, class Solve> int compare_uat(int argc, char **argv, Solve solve)
{
    using element = typename Problem::element;
    uat::job job;
    request<Problem> given;
    if (uat_rank() == 0)
        given = request<Problem>(argc, argv);
    given = *static_cast<request<Problem> *>(replicate(&given, sizeof(given)));
    if (given.status)
        return given.status;
    const Problem p = given.problem.spread(replicate);
    uat::global_vector<element> data(p.elements(), uat::distribution::cyclic, 1);
    comparison<Problem> rounds(p, true);
    for (std::int64_t i = 0; i < given.rounds; i++) {
        uat::run([=, s = data.span()] {
            uat::parallel_for(0, std::int64_t(s.size()),
                              [=](std::int64_t e) { p.fill(std::size_t(e), *s.subspan(std::size_t(e), 1).write()); });
        });
        double seconds = timed([&] { uat::run(solve, p, data.span().data()); });
        if (uat_rank() != 0)
            continue;
        std::vector<element> got(data.size());
        for (std::size_t e = 0; e < got.size(); e++)
            uat_global_get(&got[e], &data.span().data()[e], sizeof(element));
        rounds.add(seconds, got);
    }
    return uat_rank() == 0 ? rounds.report() : 0;
}

} // namespace flow

#endif
