/* SPDX-License-Identifier: MIT */
/*
 * Conjugate gradients (Hestenes and Stiefel 1952) for the matrix of HPCG: a cube of unknowns. Each unknown is coupled
 * to its 26 neighbours by -1 and to itself by 26. Unlike HPCG it has no preconditioner and does not store the matrix.
 *
 * The vectors are arrays in global memory. Unknowns are numbered along x first, then y, then z. A line consists of the
 * unknowns with the same y and z. Loops run over blocks of lines. An iteration checks out the lines that it uses, so
 * these lines may be near or far. The sequential program calls the same functions with plain vectors. The exact
 * solution is 1 everywhere. At the end the program recomputes the residual from the solution.
 */
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <functional>
#include <new>
#include <vector>

#include "examples/cg.hpp"
#include "perf/bench.h"
#include "uat.hpp"

namespace
{
using namespace cg;
using Vector = uat::span<double>;

constexpr int64_t lines = 16; /* per block */

int64_t iterations_max = 500;
double unknown_ns = 0;
Vector x, r, p, q; /* solution, residual, direction, A p */

/* Up to 16 lines [from, to) of a plane. */
struct Block {
    int64_t z, from, to;

    static int64_t of_plane()
    {
        return (edge + lines - 1) / lines;
    }
    explicit Block(int64_t i) : z(i / of_plane()), from(i % of_plane() * lines), to(std::min(edge, from + lines))
    {
    }
    int64_t line() const
    {
        return z * edge + from;
    }
    /* of(): the block's part of a vector. around(): the same lines of plane z + up, and one more line on either side,
     * as far as these lines exist. */
    Vector of(Vector v) const
    {
        return v.subspan(size_t(line() * edge), size_t((to - from) * edge));
    }
    Vector around(Vector v, int64_t up) const
    {
        int64_t low = std::max<int64_t>(from - 1, 0), high = std::min(to + 1, edge), plane = z + up;
        return plane < 0 || plane >= edge ? Vector()
                                          : v.subspan(size_t((plane * edge + low) * edge), size_t((high - low) * edge));
    }
};

/* The sum of f(block) over all blocks, in parallel. */
template <class F> auto sum(F f)
{
    return uat::parallel_reduce(0, edge * Block::of_plane(), decltype(f(Block(0))){}, std::plus<>(),
                                [f](int64_t i) { return f(Block(i)); });
}

/* In a simulation, let the time pass that `share` of an iteration takes for the unknowns of a block. */
void pass(double share, const Block &b)
{
    uat_sim_work(uint64_t(share * unknown_ns * double((b.to - b.from) * edge)));
}

/* Set q := A v. Returns the dot product of v and q. */
double apply(Vector v)
{
    return sum([v](Block b) {
        auto below = b.around(v, -1).read(), own = b.around(v, 0).read(), above = b.around(v, 1).read();
        auto out = b.of(q).write();
        pass(0.8, b);
        return apply_lines({below.data(), own.data(), above.data()}, b.from, b.to, out.data());
    });
}

/* The result of a run: iterations, and the ratio of two squared norms: that of the residual and that of the right-hand
 * side. */
struct Solved {
    int64_t iterations;
    double square;
};

Solved solve()
{
    double first = sum([](Block b) {
        auto xs = b.of(x).write(), rs = b.of(r).write(), ps = b.of(p).write();
        return start(b.line(), xs, rs, ps);
    });
    double square = first, enough = tolerance * tolerance * first;
    int64_t done = 0;

    for (; done < iterations_max && square > enough; done++) {
        double before = square, alpha = square / apply(p);
        square = sum([alpha](Block b) {
            auto xs = b.of(x).update(), rs = b.of(r).update();
            auto ps = b.of(p).read(), qs = b.of(q).read();
            pass(0.1, b);
            return step(alpha, xs, rs, ps, qs);
        });
        uat::parallel_for(0, edge * Block::of_plane(), [beta = square / before](int64_t i) {
            Block b(i);
            auto ps = b.of(p).update();
            auto rs = b.of(r).read();
            pass(0.1, b);
            turn(beta, ps, rs);
        });
    }
    return {done, square / first};
}

Check check_solution()
{
    apply(x);
    return sum([](Block b) {
        auto xs = b.of(x).read(), product = b.of(q).read();
        return check(b.line(), xs, product);
    });
}

/* The sequential program: ordinary memory and loops. */
using Plain = std::vector<double>;

double apply_here(const Plain &v, Plain &out)
{
    double dot = 0;
    for (int64_t z = 0, plane = edge * edge; z < edge; z++) {
        const double *own = v.data() + z * plane;
        dot += apply_lines({z > 0 ? own - plane : nullptr, own, z < edge - 1 ? own + plane : nullptr}, 0, edge,
                           out.data() + z * plane);
    }
    return dot;
}

int sequential(uint64_t *answer)
try {
    uat_bench_pause();
    Plain x(size_t(edge * edge * edge)), r(x), p(x), q(x);
    uat_bench_resume();
    double square = start(0, x, r, p), enough = tolerance * tolerance * square;
    for (int64_t done = 0; done < iterations_max && square > enough; done++) {
        double before = square;
        square = step(square / apply_here(p, q), x, r, p, q);
        turn(square / before, p, r);
    }
    uat_bench_pause();
    apply_here(x, q);
    answer[0] = check(0, x, q).right;
    return 0;
} catch (const std::bad_alloc &) {
    return -ENOMEM;
}

double figures[UAT_BENCH_FIGURES];

bool known(uint64_t *answer)
{
    answer[0] = uint64_t(edge * edge * edge);
    return true;
}

int prepare()
{
    size_t n = size_t(edge * edge * edge);
    prepare_bound();
    for (Vector *v : {&x, &r, &p, &q}) {
        void *array = uat_global_alloc(n * sizeof(double), UAT_BLOCKED, 0);
        if (!array)
            return -ENOMEM; /* reported already */
        *v = Vector(static_cast<double *>(array), n);
    }
    return 0;
}

int run(uint64_t *answer)
{
    Solved s = uat::run(solve);
    uat_bench_pause();
    Check c = uat::run(check_solution);
    /* 64 operations per unknown and iteration: 27 products and 27 sums for the matrix, 5 products and 5 sums for the
     * vectors. */
    figures[0] = double(s.iterations);
    figures[1] = double(s.iterations * edge * edge * edge) * 64 / (1e9 * uat_bench_seconds());
    figures[2] = std::sqrt(c.square / initial);
    figures[3] = c.error;
    answer[0] = c.right;
    return 0;
}

int verify(bool *correct)
{
    *correct = figures[2] <= slack * tolerance + rounding;
    if (!*correct && uat_rank() == 0)
        std::fprintf(stderr,
                     "uat-cg: after %.0f iterations the residual is %.3g of the right-hand side, wanted %.3g; see -i\n",
                     figures[0], figures[2], tolerance);
    return 0;
}

const struct uat_bench_option options[] = {
    {"-n", "N", "edge of the cube of unknowns", &edge, nullptr, 2, edge_max},
    {"-i", "ITERATIONS", "at most", &iterations_max, nullptr, 1, 1e6},
    {"-e", "TOLERANCE", "residual that is enough, relative to the right-hand side", nullptr, &tolerance, 1e-14, 1},
    {"-w", "NS", "nanoseconds that an unknown takes in a simulation, per iteration", nullptr, &unknown_ns, 0, 1e6},
    {nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0},
};

struct uat_bench describe()
{
    struct uat_bench b = {};
    b.program = "uat-cg";
    b.purpose = "Solve the linear system of HPCG, a 27-point stencil on a cube, by conjugate gradients.";
    b.options = options;
    b.results[0] = "unknowns";
    b.known = known;
    b.prepare = prepare;
    b.run = run;
    b.verify = verify;
    b.sequential = sequential;
    b.figures = figures;
    b.names[0] = {"iterations", ""};
    b.names[1] = {"gflops", "nominal Gflop/s"};
    b.names[2] = {"residual", "of the right-hand side"};
    b.names[3] = {"error_max", ""};
    return b;
}
} // namespace

extern "C" const struct uat_bench uat_bench = describe();
