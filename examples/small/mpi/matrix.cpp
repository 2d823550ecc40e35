/* SPDX-License-Identifier: MIT */
/* Each rank has some rows of tiles of each matrix. It receives the other ranks' rows of b one after the other. */
#include "examples/small/matrix.hpp"

#include "examples/small/mpi/mpi.hpp"

using namespace matrix;

static double product(const job &j)
{
    constexpr int64_t row = edge * n; /* elements per row of tiles */
    int64_t from = j.begin(tiles), to = j.end(tiles);
    std::vector<double> a(size_t((to - from) * row)), b(a.size()), panel(row);
    std::vector<Tile> c(size_t((to - from) * tiles));
    for (int64_t i = 0; i < (to - from) * row; i++) {
        a[size_t(i)] = element(from * row + i, 8);
        b[size_t(i)] = element(from * row + i, 7);
    }
    for (int owner = 0; owner < j.size; owner++)
        for (int64_t k = j.first(tiles, owner); k < j.first(tiles, owner + 1); k++) {
            if (owner == j.rank)
                std::copy_n(&b[size_t((k - from) * row)], row, panel.begin());
            MPI_Bcast(panel.data(), int(row), MPI_DOUBLE, owner, MPI_COMM_WORLD);
            for (int64_t i = 0; i < to - from; i++)
                for (int64_t column = 0; column < tiles; column++)
                    multiply_add(&a[size_t(i * row + k * edge)], &panel[size_t(column * edge)], n,
                                 c[size_t(i * tiles + column)]);
        }
    double sum = 0;
    for (const Tile &t : c)
        for (int64_t i = 0; i < edge * edge; i++)
            sum += t.at[i / edge][i % edge] * t.at[i / edge][i % edge];
    return j.sum(sum);
}

int main(int argc, char **argv)
{
    job j;
    return small::compare(
        argc, argv, j.rank, "matrix", [&] { return product(j); }, plain);
}
