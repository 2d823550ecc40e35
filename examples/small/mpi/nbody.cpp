/* SPDX-License-Identifier: MIT */
#include "examples/small/nbody.hpp"

#include "examples/small/mpi/mpi.hpp"

using namespace nbody;

static double simulate(const job &j)
{
    std::vector<Body> now(n), next(n);
    for (int64_t i = 0; i < n; i++)
        now[size_t(i)] = body(i);
    for (int step = 0; step < steps; step++, now.swap(next)) {
        for (int64_t i = j.begin(n); i < j.end(n); i++)
            next[size_t(i)] = moved(now[size_t(i)], now.data());
        j.gather(next);
    }
    double sum = 0;
    for (int64_t i = j.begin(n); i < j.end(n); i++)
        sum += distance(now[size_t(i)]);
    return j.sum(sum);
}

int main(int argc, char **argv)
{
    job j;
    return small::compare(
        argc, argv, j.rank, "nbody", [&] { return simulate(j); }, plain);
}
