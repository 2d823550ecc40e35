/* SPDX-License-Identifier: MIT */
/* Each rank has some rows of blocks. It receives the line above these rows block by block, and sends its own last line
 * block by block. */
#include "examples/small/wavefront.hpp"

#include "examples/small/mpi/mpi.hpp"

using namespace wavefront;

static double fill_all(const job &j)
{
    int64_t from = j.begin(blocks) * edge, lines = j.end(blocks) * edge - from;
    std::vector<int32_t> table(size_t((lines + 1) * pitch)); /* the line above, then the rank's own lines */
    for (int64_t x = 0; x < blocks; x++) {
        int64_t column = 1 + x * edge;
        if (j.rank > 0)
            MPI_Recv(&table[size_t(column)], int(edge), MPI_INT32_T, j.rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int64_t i = 1; i <= lines; i++)
            fill_line(from + i, column, &table[size_t((i - 1) * pitch + column)], table[size_t(i * pitch + column - 1)],
                      &table[size_t(i * pitch + column)]);
        if (j.rank < j.size - 1)
            MPI_Send(&table[size_t(lines * pitch + column)], int(edge), MPI_INT32_T, j.rank + 1, 0, MPI_COMM_WORLD);
    }
    int32_t answer = table.back();
    MPI_Bcast(&answer, 1, MPI_INT32_T, j.size - 1, MPI_COMM_WORLD);
    return answer;
}

int main(int argc, char **argv)
{
    job j;
    return small::compare(
        argc, argv, j.rank, "wavefront", [&] { return fill_all(j); }, plain);
}
