/* SPDX-License-Identifier: MIT */
/* uat-cg with MPI. Each rank has a block of planes of each vector. Before each product with the matrix its
 * neighbours send the planes on both sides. Prints one line of JSON. usage: cg-mpi EDGE TOLERANCE */
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

#include "examples/cg.hpp"

namespace
{
using Vector = std::vector<double>;

int rank, ranks;
int64_t first, planes, plane; /* this rank's planes; unknowns of a plane */
uint64_t got;                 /* bytes of planes that this rank has received */

double sum(double own)
{
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return own;
}

/* The planes below and above this rank's planes of v. */
struct Sides {
    Vector below, above;
};

void exchange(const Vector &v, Sides &sides)
{
    MPI_Request requests[4];
    MPI_Status statuses[4]; /* GCC warns of MPICH's MPI_STATUSES_IGNORE, whose address is 1 */
    int pending = 0;
    auto swap = [&](int peer, const double *own, Vector &side) {
        if (peer < 0 || peer == ranks)
            return;
        side.resize(size_t(plane));
        MPI_Irecv(side.data(), int(plane), MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[pending++]);
        MPI_Isend(own, int(plane), MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[pending++]);
        got += uint64_t(plane) * sizeof(double);
    };
    swap(rank - 1, v.data(), sides.below);
    swap(rank + 1, v.data() + (planes - 1) * plane, sides.above);
    MPI_Waitall(pending, requests, statuses);
}

/* Set q := A v. Returns the dot product of v and q. */
double apply(const Vector &v, Vector &q, Sides &sides)
{
    double dot = 0;
    exchange(v, sides);
    for (int64_t z = 0; z < planes; z++) {
        const double *own = v.data() + z * plane;
        const double *below = z > 0 ? own - plane : sides.below.empty() ? nullptr : sides.below.data();
        const double *above = z < planes - 1 ? own + plane : sides.above.empty() ? nullptr : sides.above.data();
        dot += cg::apply_lines({below, own, above}, 0, cg::edge, q.data() + z * plane);
    }
    return sum(dot);
}

/* Solve the system, check the solution, and print. Returns whether it is right. */
bool measure()
{
    Vector x(size_t(planes * plane)), r(x), p(x), q(x);
    Sides sides;
    int64_t done = 0;
    const int64_t line = first * cg::edge;

    cg::start(line, x, r, p); /* maps the pages */
    cg::turn(0, q, p);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    double square = sum(cg::start(line, x, r, p)), enough = cg::tolerance * cg::tolerance * square;
    for (; done < 500 && square > enough; done++) {
        double before = square, alpha = square / apply(p, q, sides);
        square = sum(cg::step(alpha, x, r, p, q));
        cg::turn(square / before, p, r);
    }
    double seconds = MPI_Wtime() - begin;
    uint64_t bytes = got;
    apply(x, q, sides);
    cg::Check c = cg::check(line, x, q);
    bool right = sum(double(c.right)) == double(plane * cg::edge) &&
                 std::sqrt(sum(c.square) / cg::initial) <= cg::slack * cg::tolerance + cg::rounding;
    double all = sum(double(bytes));
    if (rank == 0)
        std::printf("{\"seconds\": %.9f, \"iterations\": %lld, \"bytes\": %.1f, \"correct\": %s}\n", seconds,
                    static_cast<long long>(done), all / double(done), right ? "true" : "false");
    return right;
}
} // namespace

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cg::edge = argc == 3 ? std::atol(argv[1]) : 0;
    cg::tolerance = argc == 3 ? std::atof(argv[2]) : 0;
    if (cg::edge < 2 || cg::edge > cg::edge_max || cg::tolerance <= 0 || ranks > cg::edge) {
        std::fprintf(stderr, "usage: mpiexec -n RANKS %s EDGE TOLERANCE\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    plane = cg::edge * cg::edge;
    first = cg::edge * rank / ranks;
    planes = cg::edge * (rank + 1) / ranks - first;
    cg::prepare_bound();
    bool right = measure();
    MPI_Finalize();
    return right ? 0 : 1;
}
