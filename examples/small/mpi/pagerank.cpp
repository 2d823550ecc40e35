/* SPDX-License-Identifier: MIT */
#include "examples/small/pagerank.hpp"

#include "examples/small/mpi/mpi.hpp"

using namespace pagerank;

static double iterate(const job &j)
{
    std::vector<int64_t> out(n);
    std::vector<double> rank(n, 1.0 / n), next(n);
    for (int64_t v = j.begin(n); v < j.end(n); v++)
        for (int64_t k = 0; k < links; k++)
            out[source(v, k)]++;
    MPI_Allreduce(MPI_IN_PLACE, out.data(), int(n), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int step = 0; step < steps; step++, rank.swap(next)) {
        for (int64_t v = j.begin(n); v < j.end(n); v++) {
            double given = 0;
            for (int64_t k = 0; k < links; k++)
                given += rank[source(v, k)] / double(out[source(v, k)]);
            next[size_t(v)] = rank_of(given);
        }
        j.gather(next);
    }
    double sum = 0;
    for (int64_t v = j.begin(n); v < j.end(n); v++)
        sum += rank[size_t(v)] * rank[size_t(v)];
    return j.sum(sum);
}

int main(int argc, char **argv)
{
    job j;
    return small::compare(
        argc, argv, j.rank, "pagerank", [&] { return iterate(j); }, plain);
}
