/* SPDX-License-Identifier: MIT */
#include "examples/small/histogram.hpp"

#include "examples/small/mpi/mpi.hpp"

using namespace histogram;

static double count(const job &j)
{
    Counts mine, all;
    for (int64_t i = j.begin(n); i < j.end(n); i++)
        mine.add(value(i));
    MPI_Allreduce(mine.of, all.of, 256, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
    return all.checksum();
}

int main(int argc, char **argv)
{
    job j;
    return small::compare(
        argc, argv, j.rank, "histogram", [&] { return count(j); }, plain);
}
