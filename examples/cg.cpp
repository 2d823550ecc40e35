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
#include <array>
#include <cerrno>
#include <cmath>
#include <functional>
#include <new>
#include <vector>

#include "perf/bench.h"
#include "uat.hpp"

namespace
{
using Vector = uat::span<double>;

constexpr int64_t edge_max = 512, lines = 16; /* edge_max: maximum unknowns along an edge; lines: per block */

int64_t edge = 96, iterations_max = 500;
double tolerance = 1e-9, unknown_ns = 0;
Vector x, r, p, q; /* solution, residual, direction, A p */

/* An element of A times the vector of ones: 27 minus the number of unknowns in the neighbourhood, this one included. */
double right_hand_side(int64_t line, int64_t i)
{
    auto near = [](int64_t k) { return 1 + (k > 0) + (k < edge - 1); };
    return double(27 - near(line / edge) * near(line % edge) * near(i));
}

/*
 * Computes out := A v for lines [from, to) of a plane. v points to lines of the plane below, of the plane itself and of
 * the plane above. A pointer is null if there is no such plane. The lines are [low, high): lines [from, to), and one
 * more line on each side if there is one. Returns the dot product of v and out.
 */
double apply_lines(std::array<const double *, 3> v, int64_t from, int64_t to, double *out)
{
    int64_t low = std::max<int64_t>(from - 1, 0), high = std::min(to + 1, edge);
    double dot = 0, sum[edge_max + 2]; /* sums over the neighbour lines at the same x; 0 at both ends */

    for (int64_t y = from; y < to; y++, out += edge) {
        const double *own = v[1] + (y - low) * edge;
        std::fill_n(sum, edge + 2, 0);
        for (const double *plane : v)
            for (int64_t j = std::max(y - 1, low); plane && j < std::min(y + 2, high); j++)
                for (int64_t i = 0; i < edge; i++)
                    sum[i + 1] += plane[(j - low) * edge + i];
        for (int64_t i = 0; i < edge; i++) {
            out[i] = 27 * own[i] - (sum[i] + sum[i + 1] + sum[i + 2]);
            dot += own[i] * out[i];
        }
    }
    return dot;
}

/* Set x := 0, r := p := b, for the lines from `line` on. Returns the squared norm of b. */
template <class V> double start(int64_t line, V &x, V &r, V &p)
{
    double square = 0;
    for (size_t at = 0; at < x.size(); line++)
        for (int64_t i = 0; i < edge; i++, at++) {
            x[at] = 0;
            r[at] = p[at] = right_hand_side(line, i);
            square += r[at] * r[at];
        }
    return square;
}

/* Set x := x + alpha p, r := r - alpha q. Returns the squared norm of the new r. */
template <class V, class W> double step(double alpha, V &x, V &r, const W &p, const W &q)
{
    double square = 0;
    for (size_t i = 0; i < x.size(); i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        square += r[i] * r[i];
    }
    return square;
}

/* p := r + beta p. */
template <class V, class W> void turn(double beta, V &p, const W &r)
{
    for (size_t i = 0; i < p.size(); i++)
        p[i] = r[i] + beta * p[i];
}

/* The quality of a solution: the squared norm of its residual, its largest error, and the number of unknowns whose
 * error is within the bound. */
struct Check {
    double square, error;
    uint64_t right;
};

Check operator+(const Check &a, const Check &b)
{
    return {a.square + b.square, std::max(a.error, b.error), a.right + b.right};
}

double initial, bound; /* the squared norm of the right-hand side; the largest error that the tolerance allows */

template <class V> Check check(int64_t line, const V &x, const V &product)
{
    Check c = {};
    for (size_t at = 0; at < x.size(); line++)
        for (int64_t i = 0; i < edge; i++, at++) {
            double residual = right_hand_side(line, i) - product[at], error = std::fabs(x[at] - 1);
            c = c + Check{residual * residual, error, error <= bound};
        }
    return c;
}

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

/*
 * An error e has the residual A e. So |e| is at most the residual's norm divided by A's least eigenvalue. A is 27 I
 * minus the Kronecker product of three tridiagonal matrices of ones. The largest eigenvalue of such a matrix is 1 + 2
 * cos(pi / (edge + 1)). Because of rounding, the residual that the iteration updates differs from the recomputed one.
 * `slack` allows for this difference. `rounding` allows for a tolerance of 0.
 */
constexpr double slack = 10, rounding = 1e-13;

double error_bound()
{
    double largest = 1 + 2 * std::cos(M_PI / double(edge + 1));
    return (slack * tolerance + rounding) * std::sqrt(initial) / (27 - largest * largest * largest);
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
    for (int64_t line = 0; line < edge * edge; line++)
        for (int64_t i = 0; i < edge; i++)
            initial += right_hand_side(line, i) * right_hand_side(line, i);
    bound = error_bound();
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
