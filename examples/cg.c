/* SPDX-License-Identifier: MIT */
/*
 * Conjugate gradients (Hestenes and Stiefel 1952) for the matrix of HPCG. Unlike HPCG it has no preconditioner and does
 * not store the matrix.
 *
 * The vectors are arrays in global memory. A loop runs over lines of the cube and checks out those that it works on, so
 * it works on near and on far memory. The solution is 1 everywhere; the residual is computed anew from the solution at
 * the end.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/stencil.h"
#include "perf/bench.h"
#include "uat/global.h"
#include "uat/pattern.h"

enum { LINES = 16 /* that are checked out at once */ };

static int64_t edge = 96, iterations_max = 500;
static double tolerance = 1e-9;
static double *x, *r, *p,
    *q; /* solution, residual, direction, A p: in global memory, at the same addresses on all ranks */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A vector, and for what a loop checks it out. */
struct use {
    double *v;
    enum uat_access access;
};

static void open_all(const struct use *use, int uses, int64_t from, int64_t count, double **place)
{
    for (int i = 0; i < uses; i++)
        place[i] = uat_global_checkout(use[i].v + from, (size_t)count * sizeof(double), use[i].access);
}

static void close_all(const struct use *use, int uses, int64_t from, int64_t count)
{
    for (int i = uses - 1; i >= 0; i--)
        uat_global_checkin(use[i].v + from, (size_t)count * sizeof(double), use[i].access);
}

/* q := A v for lines [from, to) of plane z; returns the dot product of both there. */
static double apply_lines(const double *v, int64_t z, int64_t from, int64_t to)
{
    int64_t low, count;
    struct stencil_view view = stencil_bounds(edge, z, from, to, &low, &count);
    struct use own = {q + (z * edge + from) * edge, UAT_WRITE}, in[3];
    double *out, *place[3];

    for (int k = 0; k < view.planes; k++)
        in[k] = (struct use){(double *)v + ((low + k) * edge + view.first) * edge, UAT_READ};
    open_all(in, view.planes, 0, count * edge, place);
    for (int k = 0; k < view.planes; k++)
        view.plane[k] = place[k];
    open_all(&own, 1, 0, (to - from) * edge, &out);
    double dot = stencil_apply(edge, &view, from, to, out);
    close_all(&own, 1, 0, (to - from) * edge);
    close_all(in, view.planes, 0, count * edge);
    return dot;
}

static void apply(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const double *v = *(double *const *)arg;

    for (int64_t line = begin, stop; line < end; line = stop) {
        int64_t z = line / edge;
        stop = smaller(smaller(end, (z + 1) * edge), line + LINES);
        *(double *)partial += apply_lines(v, z, line - z * edge, stop - z * edge);
    }
}

/* x := x + alpha p, r := r - alpha q; returns the square of the new r. */
static double step_here(double *const *at, int64_t count, double alpha)
{
    double *xs = at[0], *rs = at[1], square = 0;
    const double *ps = at[2], *qs = at[3];

    for (int64_t i = 0; i < count; i++) {
        xs[i] += alpha * ps[i];
        rs[i] -= alpha * qs[i];
        square += rs[i] * rs[i];
    }
    return square;
}

static void step(int64_t begin, int64_t end, void *partial, const void *alpha)
{
    const struct use use[] = {{x, UAT_READ_WRITE}, {r, UAT_READ_WRITE}, {p, UAT_READ}, {q, UAT_READ}};

    for (int64_t line = begin; line < end; line += LINES) {
        int64_t count = smaller(end - line, LINES) * edge;
        double *at[4];
        open_all(use, 4, line * edge, count, at);
        *(double *)partial += step_here(at, count, *(const double *)alpha);
        close_all(use, 4, line * edge, count);
    }
}

static void turn_here(double *ps, const double *rs, int64_t count, double beta)
{
    for (int64_t i = 0; i < count; i++)
        ps[i] = rs[i] + beta * ps[i];
}

/* p := r + beta p. */
static void turn(int64_t begin, int64_t end, const void *beta)
{
    const struct use use[] = {{p, UAT_READ_WRITE}, {r, UAT_READ}};

    for (int64_t line = begin; line < end; line += LINES) {
        int64_t count = smaller(end - line, LINES) * edge;
        double *at[2];
        open_all(use, 2, line * edge, count, at);
        turn_here(at[0], at[1], count, *(const double *)beta);
        close_all(use, 2, line * edge, count);
    }
}

static double start_here(double *const *at, int64_t line)
{
    double square = 0;

    memset(at[0], 0, (size_t)edge * sizeof(double));
    stencil_right_hand_side(edge, line, at[1]);
    memcpy(at[2], at[1], (size_t)edge * sizeof(double));
    for (int64_t i = 0; i < edge; i++)
        square += at[1][i] * at[1][i];
    return square;
}

/* x := 0, r := p := b; the square of b. */
static void start(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct use use[] = {{x, UAT_WRITE}, {r, UAT_WRITE}, {p, UAT_WRITE}};

    (void)arg;
    for (int64_t line = begin; line < end; line++) {
        double *at[3];
        open_all(use, 3, line * edge, edge, at);
        *(double *)partial += start_here(at, line);
        close_all(use, 3, line * edge, edge);
    }
}

static void add(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(double *)left += *(const double *)right;
}

static double sum_over_lines(uat_reduce_fn *body, const void *arg, size_t arg_size)
{
    static const double zero = 0;
    const uat_reduction_t reduction = {body, add, &zero, sizeof(zero)};
    double sum;

    uat_reduce(0, edge * edge, &reduction, arg, arg_size, &sum);
    return sum;
}

/* How a solution went: iterations, and the square of the residual over that of the right-hand side. */
struct solved {
    int64_t iterations;
    double square;
};

UAT_TASK(struct solved, solve)
{
    double first = sum_over_lines(start, NULL, 0), square = first, enough = tolerance * tolerance * first;
    int64_t done = 0;

    for (; done < iterations_max && square > enough; done++) {
        double before = square, alpha = square / sum_over_lines(apply, &p, sizeof(p));
        square = sum_over_lines(step, &alpha, sizeof(alpha));
        double beta = square / before;
        uat_for(0, edge * edge, turn, &beta, sizeof(beta));
    }
    return (struct solved){done, square / first};
}

/* The same on one core, in ordinary memory and loops. */
static double apply_all(const double *v, double *out)
{
    double dot = 0;

    for (int64_t z = 0, low, count; z < edge; z++) {
        struct stencil_view view = stencil_bounds(edge, z, 0, edge, &low, &count);
        for (int k = 0; k < view.planes; k++)
            view.plane[k] = v + (low + k) * edge * edge;
        dot += stencil_apply(edge, &view, 0, edge, out + z * edge * edge);
    }
    return dot;
}

static void solve_here(double *const *at)
{
    int64_t count = edge * edge * edge;
    double square = 0;

    for (int64_t line = 0; line < edge * edge; line++)
        square += start_here((double *const[]){at[0] + line * edge, at[1] + line * edge, at[2] + line * edge}, line);
    double enough = tolerance * tolerance * square;
    for (int64_t done = 0; done < iterations_max && square > enough; done++) {
        double before = square;
        square = step_here(at, count, square / apply_all(at[2], at[3]));
        turn_here(at[2], at[1], count, square / before);
    }
}

/* A solution: the square of its residual, its largest error, and the number of unknowns whose error the residual
 * explains. */
struct check {
    double square, error;
    uint64_t right;
};

static double initial, bound; /* the square of the right-hand side; the largest error that the tolerance allows */

/*
 * An error e leaves the residual A e, so e is at most the residual over A's least eigenvalue. A is 27 less the
 * threefold Kronecker product of the matrix of three diagonals of ones. The largest eigenvalue of that matrix is
 * 1 + 2 cos(pi / (edge + 1)). What the iteration carries along is not quite the residual computed anew: rounding,
 * hence the factor, and what is left where the tolerance is 0.
 */
enum { SLACK = 10 };
static const double rounding = 1e-13;

static double error_bound(void)
{
    double largest = 1 + 2 * cos(M_PI / (double)(edge + 1));

    return (SLACK * tolerance + rounding) * sqrt(initial) / (27 - largest * largest * largest);
}

static void check_line(const double *solution, const double *product, int64_t line, struct check *c)
{
    double b[STENCIL_EDGE_MAX];

    stencil_right_hand_side(edge, line, b);
    for (int64_t i = 0; i < edge; i++) {
        double residual = b[i] - product[i], error = fabs(solution[i] - 1);
        c->square += residual * residual;
        c->error = error > c->error ? error : c->error;
        c->right += error <= bound;
    }
}

static void check(int64_t begin, int64_t end, void *partial, const void *arg)
{
    const struct use use[] = {{x, UAT_READ}, {q, UAT_READ}};

    (void)arg;
    for (int64_t line = begin; line < end; line++) {
        double *at[2];
        open_all(use, 2, line * edge, edge, at);
        check_line(at[0], at[1], line, partial);
        close_all(use, 2, line * edge, edge);
    }
}

static void add_checks(void *left, const void *right, const void *arg)
{
    struct check *a = left;
    const struct check *b = right;

    (void)arg;
    *a = (struct check){a->square + b->square, a->error > b->error ? a->error : b->error, a->right + b->right};
}

UAT_TASK(struct check, check_solution)
{
    static const struct check none;
    const uat_reduction_t reduction = {check, add_checks, &none, sizeof(none)};
    struct check c;

    sum_over_lines(apply, &x, sizeof(x)); /* q := A x */
    uat_reduce(0, edge * edge, &reduction, NULL, 0, &c);
    return c;
}

static double figures[UAT_BENCH_FIGURES];

static bool known(uint64_t *answer)
{
    answer[0] = (uint64_t)(edge * edge * edge);
    return true;
}

static int prepare(void)
{
    double b[STENCIL_EDGE_MAX], **vector[] = {&x, &r, &p, &q};

    for (int64_t line = 0; line < edge * edge; line++) {
        stencil_right_hand_side(edge, line, b);
        for (int64_t i = 0; i < edge; i++)
            initial += b[i] * b[i];
    }
    bound = error_bound();
    for (int i = 0; i < 4; i++) {
        *vector[i] = uat_global_alloc((size_t)(edge * edge * edge) * sizeof(double), UAT_BLOCKED, 0);
        if (!*vector[i])
            return -ENOMEM;
    }
    return 0;
}

static int run(uint64_t *answer)
{
    struct solved s;
    struct check c;
    int rc = solve_run(&s);

    uat_bench_pause();
    if (!rc)
        rc = check_solution_run(&c);
    if (rc)
        return rc;
    /* Nominally 27 products and sums for each unknown, and 5 for each of its vectors' updates and dot products. */
    figures[0] = (double)s.iterations;
    figures[1] = (double)(s.iterations * edge * edge * edge) * 64 / (1e9 * uat_bench_seconds());
    figures[2] = sqrt(c.square / initial);
    figures[3] = c.error;
    answer[0] = c.right;
    return 0;
}

static int verify(bool *correct)
{
    *correct = figures[2] <= SLACK * tolerance + rounding;
    if (!*correct && uat_rank() == 0)
        fprintf(stderr,
                "uat-cg: after %.0f iterations the residual is %.3g of the right-hand side, wanted %.3g; see -i\n",
                figures[0], figures[2], tolerance);
    return 0;
}

static int sequential(uint64_t *answer)
{
    size_t bytes = (size_t)(edge * edge * edge) * sizeof(double);
    double *at[4];
    struct check c = {0};

    for (int i = 0; i < 4; i++)
        at[i] = malloc(bytes);
    bool have = at[0] && at[1] && at[2] && at[3];
    if (have) {
        solve_here(at);
        uat_bench_pause();
        apply_all(at[0], at[3]);
        for (int64_t line = 0; line < edge * edge; line++)
            check_line(at[0] + line * edge, at[3] + line * edge, line, &c);
    }
    for (int i = 0; i < 4; i++)
        free(at[i]);
    answer[0] = c.right;
    return have ? 0 : -ENOMEM;
}

static const struct uat_bench_option options[] = {
    {"-n", "N", "edge of the cube of unknowns", &edge, NULL, 2, STENCIL_EDGE_MAX},
    {"-i", "ITERATIONS", "at most", &iterations_max, NULL, 1, 1e6},
    {"-e", "TOLERANCE", "residual that is enough, relative to the right-hand side", NULL, &tolerance, 1e-14, 1},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-cg",
    .purpose = "Solve the linear system of HPCG, a 27-point stencil on a cube, by conjugate gradients.",
    .options = options,
    .results = {"unknowns"},
    .known = known,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .sequential = sequential,
    .figures = figures,
    .names = {{"iterations", ""},
              {"gflops", "nominal Gflop/s"},
              {"residual", "of the right-hand side"},
              {"error_max", ""}},
};
