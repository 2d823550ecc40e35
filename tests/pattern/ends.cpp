/* SPDX-License-Identifier: MIT */
/*
 * A program of run-ends: global vectors that are destroyed in unusual places. usage: test-ends finish | static | unwind
 *   finish: after job::finish(). static: at the end of the process. unwind: by an exception on rank 0 alone.
 */
#include <optional>
#include <stdexcept>
#include <string>

#include <uat.hpp>

namespace
{

std::optional<uat::global_vector<long>> kept;

/* Whether the vector's elements can be used. */
bool works(uat::span<long> s)
{
    return uat::run([s] {
        uat::fill(s, 2L);
        return s.get(s.size() - 1) == 2;
    });
}

} // namespace

int main(int, char **argv)
{
    uat::job job;
    std::string where = argv[1];
    bool good = true;
    if (where == "static") {
        kept.emplace(1000);
        return !works(*kept);
    }
    if (where == "finish") {
        uat::global_vector<long> v(1000), w(10);
        good = works(v) && works(w);
        return job.finish() || !good;
    }
    try {
        uat::global_vector<long> v(1000);
        good = works(v);
        if (uat_rank() == 0)
            throw std::runtime_error("rank 0 leaves the block, and its peers end here");
        uat_barrier();
        std::_Exit(job.finish() || !good);
    } catch (const std::exception &) {
        uat_barrier();
    }
    return job.finish() || !good;
}
