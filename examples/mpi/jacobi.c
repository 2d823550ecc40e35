/* SPDX-License-Identifier: MIT */
/* uat-jacobi with MPI. Each rank has a block of rows, and a copy of the row on each side, which its neighbours
 * send in each iteration. Prints one line of JSON. usage: jacobi-mpi N ITERATIONS */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/plate.h"

static int rank, ranks;
static int64_t first, rows; /* of this rank */

/* Exchange the rows at both borders. grid points to the copy of the row above. Returns the bytes that this rank got. */
static uint64_t exchange(double *grid)
{
    MPI_Request requests[4];
    MPI_Status statuses[4]; /* GCC warns of MPICH's MPI_STATUSES_IGNORE, whose address is 1 */
    int pending = 0;
    uint64_t got = 0;

    for (int side = 0; side < 2; side++) { /* above, below */
        int peer = side ? rank + 1 : rank - 1;
        if (peer < 0 || peer == ranks)
            continue;
        MPI_Irecv(grid + (side ? rows + 1 : 0) * n, (int)n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[pending++]);
        MPI_Isend(grid + (side ? rows : 1) * n, (int)n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[pending++]);
        got += row_bytes();
    }
    MPI_Waitall(pending, requests, statuses);
    return got;
}

/* Run all iterations. Returns the grid with the result, which is one of the two. *got: bytes, added. */
static double *iterate(double *from, double *to, uint64_t *got)
{
    for (int64_t k = 0; k < iterations; k++) {
        *got += exchange(from);
        for (int64_t i = 1; i <= rows; i++)
            if (first + i - 1 > 0 && first + i - 1 < n - 1)
                relax_row(to + i * n, from + (i - 1) * n, from + i * n, from + (i + 1) * n);
        double *other = from;
        from = to;
        to = other;
    }
    return from;
}

static int measure(void)
{
    double *grids[2];
    uint64_t own[2] = {0}, all[2]; /* bytes, right points */

    first = n * rank / ranks;
    rows = n * (rank + 1) / ranks - first;
    for (int k = 0; k < 2; k++) {
        grids[k] = malloc((size_t)(rows + 2) * row_bytes());
        if (!grids[k])
            MPI_Abort(MPI_COMM_WORLD, 1); /* the other ranks wait in the barrier */
        for (int64_t i = 0; i < rows; i++)
            fill_row(grids[k] + (i + 1) * n, first + i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    double *result = iterate(grids[0], grids[1], &own[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = MPI_Wtime() - begin;
    for (int64_t i = 0; i < rows; i++)
        own[1] += count_right(result + (i + 1) * n, first + i);
    MPI_Reduce(own, all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("{\"seconds\": %.9f, \"bytes\": %.1f, \"correct\": %s}\n", seconds, (double)all[0] / (double)iterations,
               all[1] == (uint64_t)(n * n) ? "true" : "false");
    free(grids[0]);
    free(grids[1]);
    return rank == 0 && all[1] != (uint64_t)(n * n);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc == 3 ? atol(argv[1]) : 0;
    iterations = argc == 3 ? atol(argv[2]) : 0;
    if (n < 3 || n > N_MAX || iterations < 1 || ranks > n) {
        fprintf(stderr, "usage: mpiexec -n RANKS %s N ITERATIONS\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    prepare_plate();
    int status = measure();
    MPI_Finalize();
    return status;
}
