/* SPDX-License-Identifier: MIT */
/*
 * A fast Fourier transform by the six-step method (Bailey, "FFTs in external or hierarchical memory", Journal of
 * Supercomputing 1990). N = n * n points are a matrix of n rows in global memory, and each worker keeps a block of
 * rows. Three loops transpose the matrix. The first two also transform each row that they have made, and the first one
 * multiplies the rows by powers of the N-th root of unity. Each loop names the array that it writes, so each row is
 * made by the worker that keeps it. The body fetches its columns as tiles. With H hosts a share of (H - 1) / H of the
 * array must move in each loop, and no more moves: the program prints both numbers.
 *
 * The input is a geometric sequence, a damped wave whose frequency lies between two whole numbers. So its spectrum is
 * known by a formula, and the program checks each frequency. A spectrum of the spectrum is the input again, in
 * reverse order and N times as large: the program checks each point of it, too. It also computes some of the
 * frequencies, or all of few, directly from the definition.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "perf/bench.h"
#include "uat/global.h"
#include "uat/pattern.h"
#include "uat/transfer.h"

enum {
    N_MIN = 16,
    N_MAX = 4096,
    TILE = 16,           /* rows of a tile, and its most columns */
    AHEAD = 4,           /* tiles that are fetched at a time */
    TRANSPOSES = 3,      /* of a transform */
    DIRECT_MAX = 1 << 22 /* products that the direct transform may take */
};

struct point {
    double re, im;
};

static int64_t n = 1024, columns; /* n: points in a row; columns: of a tile, and rows that one iteration makes */
static double point_ns = 3;

static struct point *matrices[2]; /* n rows of n points each */
static uat_atomic_t *least;       /* bytes that the three loops must move between hosts, over all hosts */
static struct point roots[N_MAX]; /* exp(-2 pi i k / n) */
static struct point fine[N_MAX];  /* exp(-2 pi i k / N) */
static int16_t reversed[N_MAX];   /* the bits of k, in reverse order */

static size_t bytes_of_rows(int64_t rows)
{
    return (size_t)(rows * n) * sizeof(struct point);
}

static struct point product(struct point a, struct point b)
{
    return (struct point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-2 pi i k / N) */
static struct point root(int64_t k)
{
    return product(roots[k / n % n], fine[k % n]);
}

/* The input is exp((-DAMPING + pi i WAVE) k / N). WAVE is twice the frequency of the wave, and odd. */
static const double damping = 3;

static int64_t wave(void)
{
    return 2 * (n * n / 3) + 1;
}

static struct point input(int64_t k)
{
    double size = exp(-damping * (double)k / (double)(n * n)),
           angle = M_PI * (double)(wave() * k % (2 * n * n)) / (double)(n * n);
    return (struct point){size * cos(angle), size * sin(angle)};
}

/* The sum of the geometric sequence: (1 - a^N) / (1 - a w), w = exp(-2 pi i f / N). a^N is -exp(-DAMPING). */
static struct point spectrum(int64_t f)
{
    double points = (double)(n * n), real = -damping / points, angle = M_PI * (double)(wave() - 2 * f) / points;
    double sine = sin(angle / 2);
    struct point below = {2 * exp(real) * sine * sine - expm1(real),
                          -exp(real) * sin(angle)}; /* exact where it is small */
    double share = (1 + exp(-damping)) / (below.re * below.re + below.im * below.im);

    return (struct point){share * below.re, -share * below.im};
}

/* Whether two points differ by no more than rounding allows in a sum of numbers as large as `size`. */
static bool equal(struct point a, struct point b, double size)
{
    return hypot(a.re - b.re, a.im - b.im) <= 2e-15 * size;
}

static void fill_row(struct point *row, int64_t i)
{
    for (int64_t j = 0; j < n; j++)
        row[j] = input(i * n + j);
}

/* The number of frequencies in row i that are right. */
static uint64_t count_frequencies(const struct point *row, int64_t i)
{
    uint64_t right = 0;

    for (int64_t j = 0; j < n; j++)
        right += equal(row[j], spectrum(i * n + j), (double)(n * n)); /* about three times the largest */
    return right;
}

/* The number of points in row i of the spectrum's spectrum that are right. */
static uint64_t count_points(const struct point *row, int64_t i)
{
    uint64_t right = 0;
    double points = (double)(n * n);

    for (int64_t j = 0; j < n; j++) {
        struct point before = input((n * n - i * n - j) % (n * n));
        right += equal(row[j], (struct point){points * before.re, points * before.im}, 8 * points);
    }
    return right;
}

/* Transform a row whose points are in bit-reversed order (Cooley and Tukey 1965). */
static void transform_row(struct point *row)
{
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k < n; k += 2 * half)
            for (int64_t j = 0; j < half; j++) {
                struct point a = row[k + j], b = product(row[k + j + half], roots[n / 2 / half * j]);
                row[k + j] = (struct point){a.re + b.re, a.im + b.im};
                row[k + j + half] = (struct point){a.re - b.re, a.im - b.im};
            }
}

/* The work of a step on `count` rows from row i on, after the transpose. Step 0 transforms and turns rows, step 1
 * transforms them, and step 2 does nothing. */
static void finish_rows(struct point *rows, int64_t i, int64_t count, int step)
{
    for (int64_t r = 0; r < count && step < 2; r++) {
        transform_row(rows + r * n);
        for (int64_t j = 0; j < n && step == 0; j++)
            rows[r * n + j] = product(rows[r * n + j], root((i + r) * j));
    }
}

/* Put a tile at its place: row j + k of the source becomes column j + k of the rows. Rows to be transformed get their
 * points in bit-reversed order. pitch: points from one row of the tile to the next. */
static void place(struct point *rows, const struct point *tile, int64_t pitch, int64_t j, int step)
{
    for (int64_t k = j; k < j + TILE; k++, tile += pitch)
        for (int64_t r = 0; r < columns; r++)
            rows[r * n + (step < 2 ? reversed[k] : k)] = tile[r];
}

/* Fetch columns [i, i + columns) of a matrix as rows, several tiles at a time. It begins with the tile on the diagonal,
 * so that workers read from different hosts at the same time. */
static void transpose(const struct point *from, int64_t i, struct point *rows, int step)
{
    struct point tiles[AHEAD][TILE * TILE];
    uat_global_transfer_t transfers[AHEAD];

    for (int64_t k = 0, tiles_of_column = n / TILE; k < tiles_of_column + AHEAD; k++) {
        int64_t slot = k % AHEAD, j = (i / TILE + k) % tiles_of_column * TILE;
        if (k >= AHEAD) {
            uat_global_transfer_wait(&transfers[slot]);
            place(rows, tiles[slot], columns, (i / TILE + k - AHEAD) % tiles_of_column * TILE, step);
        }
        if (k < tiles_of_column)
            uat_global_get_strided_begin(&transfers[slot], tiles[slot], (size_t)columns * sizeof(struct point),
                                         from + j * n + i, bytes_of_rows(1), (size_t)columns * sizeof(struct point),
                                         TILE);
    }
}

UAT_FOR(fill, i, struct point *, matrix)
{
    struct point *row = uat_global_checkout(matrix + i * n, bytes_of_rows(1), UAT_WRITE);
    fill_row(row, i);
    uat_global_checkin(matrix + i * n, bytes_of_rows(1), UAT_WRITE);
}

/* Iteration k makes the k-th group of `columns` rows. */
UAT_FOR(make, k, const struct point *, from, struct point *, to, int, step)
{
    int64_t i = k * columns;
    struct point *rows = uat_global_checkout(to + i * n, bytes_of_rows(columns), UAT_WRITE);

    transpose(from, i, rows, step);
    finish_rows(rows, i, columns, step);
    uat_sim_work((uint64_t)(point_ns * (double)(columns * n) * (step < 2 ? log2((double)n) : 1)));
    uat_global_checkin(to + i * n, bytes_of_rows(columns), UAT_WRITE);
}

UAT_REDUCE(uint64_t, right, 0, UAT_PLUS, i, const struct point *, matrix, int, twice)
{
    const struct point *row = uat_global_checkout(matrix + i * n, bytes_of_rows(1), UAT_READ);
    uint64_t count = twice ? count_points(row, i) : count_frequencies(row, i);
    uat_global_checkin(matrix + i * n, bytes_of_rows(1), UAT_READ);
    return count;
}

UAT_TASK_VOID(start, struct point *, matrix)
{
    fill_near(0, n, matrix, bytes_of_rows(1), matrix);
}

/* Transform the points of `from`. The result is in `to`, and `from` is overwritten. */
UAT_TASK_VOID(transform, struct point *, from, struct point *, to)
{
    make_near(0, n / columns, to, bytes_of_rows(columns), from, to, 0);
    make_near(0, n / columns, from, bytes_of_rows(columns), to, from, 1);
    make_near(0, n / columns, to, bytes_of_rows(columns), from, to, 2);
}

UAT_TASK(uint64_t, check, const struct point *, matrix, int, twice)
{
    return right(0, n, matrix, twice);
}

/* The number of frequencies that count_direct() computes. */
static int64_t directs(void)
{
    int64_t points = n * n, most = DIRECT_MAX / points;

    return most < 1 ? 1 : most < points ? most : points;
}

static int64_t direct_frequency(int64_t k)
{
    int64_t apart = n * n / directs();

    return k * apart + k % apart;
}

/* Compute frequencies from the definition, and return how many of them are those in `result`. Called on rank 0. */
static uint64_t count_direct(const struct point *result)
{
    struct point sums[1 << 11] = {{0, 0}}; /* directs() is at most the root of DIRECT_MAX */
    uint64_t right = 0;

    for (int64_t i = 0; i < n * n; i++) {
        struct point before = input(i);
        for (int64_t k = 0; k < directs(); k++) {
            struct point term = product(before, root(direct_frequency(k) * i));
            sums[k] = (struct point){sums[k].re + term.re, sums[k].im + term.im};
        }
    }
    for (int64_t k = 0; k < directs(); k++) {
        struct point found = {0, 0};
        if (uat_global_home(result) >= 0)
            uat_global_get(&found, result + direct_frequency(k), sizeof(found));
        else
            found = result[direct_frequency(k)];
        right += equal(found, sums[k], (double)(n * n * n)); /* the sum rounds N times */
    }
    return right;
}

static double figures[UAT_BENCH_FIGURES];

/* Count what the hosts must read: of each row that a worker makes, the points that are in rows of other hosts. A row
 * belongs to the host of its first byte. */
static int count_least(void)
{
    int64_t own = 0, near = 0;

    for (int64_t i = 0; i < n; i++) {
        own += uat_global_home(matrices[0] + i * n) == uat_rank();
        near += uat_global_near(matrices[0] + i * n, 1) > 0;
    }
    uat_atomic_fetch_add(least, TRANSPOSES * (uint64_t)(own * (n - near)) * sizeof(struct point));
    return uat_barrier();
}

static int prepare(void)
{
    for (int64_t k = 0, back = 0; k < n; k++) {
        double angle = -2 * M_PI * (double)k / (double)n;
        roots[k] = (struct point){cos(angle), sin(angle)};
        fine[k] = (struct point){cos(angle / (double)n), sin(angle / (double)n)};
        reversed[k] = (int16_t)back;
        int64_t bit = n / 2;
        for (; back & bit; bit /= 2) /* add 1 from the left */
            back -= bit;
        back += bit;
    }
    columns = TILE;
    while (columns > 1 && n / columns < uat_size())
        columns /= 2;
    for (int k = 0; k < 2; k++)
        matrices[k] = uat_global_alloc(bytes_of_rows(n), UAT_BLOCKED, 0);
    least = uat_global_alloc(sizeof(*least), UAT_BLOCKED, 0);
    return matrices[0] && matrices[1] && least ? count_least() : -ENOMEM; /* reported already */
}

static void make_figures(const uat_stats_t *before, const uat_stats_t *after)
{
    double points = (double)(n * n);

    figures[0] = 1e-6 * (double)(after->global_bytes_fetched - before->global_bytes_fetched);
    figures[1] = 1e-6 * (double)(after->global_bytes_written - before->global_bytes_written);
    figures[2] = 1e-6 * (double)uat_atomic_load(least);
    figures[3] = 5e-9 * points * log2(points) / uat_bench_seconds();
}

static int run(uint64_t *answer)
{
    struct point *from = matrices[0], *to = matrices[1];
    uat_stats_t before, after;

    uat_bench_pause();
    int status = start_run(from);
    status = status ? status : uat_stats_total(&before);
    uat_bench_resume();
    status = status ? status : transform_run(from, to);
    uat_bench_pause();
    status = status ? status : uat_stats_total(&after);
    status = status ? status : check_run(&answer[0], to, 0);
    if (status)
        return status;
    answer[2] = uat_rank() == 0 ? count_direct(to) : (uint64_t)directs();
    make_figures(&before, &after);
    status = transform_run(to, from);
    return status ? status : check_run(&answer[1], from, 1);
}

static bool known(uint64_t *answer)
{
    answer[0] = answer[1] = (uint64_t)(n * n);
    answer[2] = (uint64_t)directs();
    return true;
}

static void transform_here(struct point *from, struct point *to)
{
    for (int step = 0; step < TRANSPOSES; step++) {
        for (int64_t i = 0; i < n; i += columns) {
            for (int64_t j = 0; j < n; j += TILE)
                place(to + i * n, from + j * n + i, n, j, step);
            finish_rows(to + i * n, i, columns, step);
        }
        struct point *made = to;
        to = from;
        from = made;
    }
}

static int sequential(uint64_t *answer)
{
    uat_bench_pause();
    struct point *from = malloc(bytes_of_rows(n)), *to = malloc(bytes_of_rows(n));
    int status = from && to ? 0 : -ENOMEM;
    for (int64_t i = 0; i < n && !status; i++) {
        fill_row(from + i * n, i);
        fill_row(to + i * n, i); /* maps its pages */
    }
    uat_bench_resume();
    if (!status)
        transform_here(from, to);
    uat_bench_pause();
    for (int64_t i = 0; i < n && !status; i++)
        answer[0] += count_frequencies(to + i * n, i);
    if (!status) {
        answer[2] = count_direct(to);
        transform_here(to, from);
    }
    for (int64_t i = 0; i < n && !status; i++)
        answer[1] += count_points(from + i * n, i);
    free(from);
    free(to);
    return status;
}

static const char *refuse(void)
{
    return n & (n - 1) ? "-n must be a power of two" : NULL;
}

static const struct uat_bench_option options[] = {
    {"-n", "N", "points in a row of the matrix, and rows: a power of two", &n, NULL, N_MIN, N_MAX},
    {"-w", "NS", "nanoseconds that a point takes in a simulation, for each factor of two", NULL, &point_ns, 0, 1e6},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-fft",
    .purpose = "Compute a fast Fourier transform of N * N points by six steps, and count the bytes that hosts move.",
    .options = options,
    .results = {"frequencies", "points", "direct"},
    .refuse = refuse,
    .known = known,
    .run = run,
    .sequential = sequential,
    .prepare = prepare,
    .figures = figures,
    .names = {{"read", "MB from other hosts"},
              {"written", "MB to other hosts"},
              {"least", "MB that must move between hosts"},
              {"gflops", "nominal Gflop/s, 5 N log2 N operations"}},
};
