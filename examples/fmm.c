/* SPDX-License-Identifier: MIT */
/*
 * The potentials of N charges in the plane by the fast multipole method (Greengard and Rokhlin, J. Comput. Phys. 73,
 * 1987): the potential of a charge q at distance r is q log r. The unit square is a tree of squares, "boxes", four in
 * each. Each box has two series of complex numbers: the outer one gives the potential of its charges far from the box,
 * the inner one the potential of all far charges inside the box. Loops compute the outer series from the leaves to
 * level 2, above which no boxes are far from each other, then the inner ones from level 2 to the leaves, and then the
 * potentials. The boxes of a level are an array in global memory, in Morton's order, so that children and most
 * neighbours have one home. Each loop runs where its boxes are, and checks out the series and the charges of other
 * boxes.
 *
 * The sequential program calls the same functions box by box. Both must give the same potentials, to the last bit.
 */
#include <complex.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/series.h"
#include "examples/splitmix.h"
#include "perf/bench.h"
#include "uat/global.h"
#include "uat/pattern.h"

enum { DEPTH_MAX = 8, SAMPLE = 64 /* charges whose potentials are checked */ };

struct charge {
    double x, y, q;
};

static int64_t n = 20000, depth = 4, seed = 1;
static double term_ns = 1;

/* The same on all ranks. leaf[b]: first charge of leaf b. */
static struct series *outer[DEPTH_MAX + 1], *inner[DEPTH_MAX + 1];
static struct charge *charges;
static double *potentials;
static int64_t *leaf;

static struct charge *sorted; /* a copy of all charges, for the check */
static double figures[UAT_BENCH_FIGURES];

static int64_t boxes(int level)
{
    return (int64_t)1 << 2 * level;
}

/* Column and row of a box: the even and the odd bits of its number. */
static void find_place(int64_t box, int64_t *x, int64_t *y)
{
    *x = *y = 0;
    for (int bit = 0; bit < DEPTH_MAX; bit++) {
        *x |= (box >> 2 * bit & 1) << bit;
        *y |= (box >> (2 * bit + 1) & 1) << bit;
    }
}

static int64_t box_at(int64_t x, int64_t y)
{
    int64_t box = 0;

    for (int bit = 0; bit < DEPTH_MAX; bit++)
        box |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
    return box;
}

static double complex centre(int level, int64_t box)
{
    int64_t x, y;

    find_place(box, &x, &y);
    return ldexp((double)x + 0.5, -level) + I * ldexp((double)y + 0.5, -level);
}

/* Find the boxes of a level within `distance` columns and rows of a box, the box included. Returns their number. */
static int find_near(int level, int64_t box, int64_t distance, int64_t *found)
{
    int64_t x, y, side = (int64_t)1 << level;
    int count = 0;

    find_place(box, &x, &y);
    for (int64_t i = x - distance; i <= x + distance; i++)
        for (int64_t j = y - distance; j <= y + distance; j++)
            if (i >= 0 && i < side && j >= 0 && j < side)
                found[count++] = box_at(i, j);
    return count;
}

static const struct charge *open_leaf(int64_t box)
{
    return uat_global_checkout(charges + leaf[box], (size_t)(leaf[box + 1] - leaf[box]) * sizeof(*charges), UAT_READ);
}

static void close_leaf(int64_t box)
{
    uat_global_checkin(charges + leaf[box], (size_t)(leaf[box + 1] - leaf[box]) * sizeof(*charges), UAT_READ);
}

/* Add the charges of a leaf to its outer series. */
static void add_charges(struct series *sum, int64_t box)
{
    const struct charge *c = open_leaf(box);

    for (int64_t i = 0; i < leaf[box + 1] - leaf[box]; i++) {
        double complex z = c[i].x + I * c[i].y - centre((int)depth, box), power = 1;
        sum->a[0] += c[i].q;
        for (int64_t k = 1; k <= order; k++) {
            power *= z;
            sum->a[k] -= c[i].q * power / (double)k;
        }
    }
    close_leaf(box);
}

/* The outer series of a box: from the charges of a leaf, otherwise from the four children. */
static void find_outer(int level, int64_t box)
{
    struct series sum = {{0}};

    if (level == depth) {
        add_charges(&sum, box);
    } else {
        const struct series *child = uat_global_checkout(outer[level + 1] + 4 * box, 4 * sizeof(*child), UAT_READ);
        for (int64_t k = 0; k < 4; k++)
            add_shifted_outer(&sum, &child[k], centre(level + 1, 4 * box + k) - centre(level, box));
        uat_global_checkin(outer[level + 1] + 4 * box, 4 * sizeof(*child), UAT_READ);
    }
    uat_global_put(outer[level] + box, &sum, sizeof(sum));
}

/* The inner series of a box: that of its parent, and the outer series of the boxes that are far, but whose parents are
 * near the parent. */
static void find_inner(int level, int64_t box)
{
    struct series sum = {{0}};
    int64_t parent[9], own_x, own_y, x, y;
    int parents = find_near(level - 1, box / 4, 1, parent), far = 0;

    const struct series *above = uat_global_checkout(inner[level - 1] + box / 4, sizeof(*above), UAT_READ);
    add_shifted_inner(&sum, above, centre(level, box) - centre(level - 1, box / 4));
    uat_global_checkin(inner[level - 1] + box / 4, sizeof(*above), UAT_READ);
    find_place(box, &own_x, &own_y);
    for (int i = 0; i < parents; i++) {
        const struct series *child = uat_global_checkout(outer[level] + 4 * parent[i], 4 * sizeof(*child), UAT_READ);
        for (int64_t k = 0; k < 4; k++) {
            find_place(4 * parent[i] + k, &x, &y);
            if (llabs(x - own_x) <= 1 && llabs(y - own_y) <= 1)
                continue;
            add_outer_to_inner(&sum, &child[k], centre(level, 4 * parent[i] + k) - centre(level, box));
            far++;
        }
        uat_global_checkin(outer[level] + 4 * parent[i], 4 * sizeof(*child), UAT_READ);
    }
    uat_sim_work((uint64_t)(term_ns * (double)(far * order * order)));
    uat_global_put(inner[level] + box, &sum, sizeof(sum));
}

/* The potential that a charge causes at the place of another one, and 0 at its own place. */
static inline double potential_by(const struct charge *from, const struct charge *at)
{
    double x = at->x - from->x, y = at->y - from->y;

    return x == 0 && y == 0 ? 0 : 0.5 * from->q * log(x * x + y * y);
}

/* Add to the potentials at the `count` charges c what the charges of a leaf cause. */
static void add_pairs(double *sum, const struct charge *c, int64_t count, int64_t box)
{
    const struct charge *other = open_leaf(box);

    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < leaf[box + 1] - leaf[box]; k++)
            sum[i] += potential_by(&other[k], &c[i]);
    close_leaf(box);
}

/* The potentials of a leaf's charges, from its inner series and the charges of the leaves that are near. */
static void find_potentials(int64_t box)
{
    int64_t near[9], count = leaf[box + 1] - leaf[box], pairs = 0;
    int nears = find_near((int)depth, box, 1, near);
    const struct charge *c = open_leaf(box);
    const struct series *far = uat_global_checkout(inner[depth] + box, sizeof(*far), UAT_READ);
    double *sum = uat_global_checkout(potentials + leaf[box], (size_t)count * sizeof(*sum), UAT_WRITE);

    for (int64_t i = 0; i < count; i++) {
        double complex z = c[i].x + I * c[i].y - centre((int)depth, box), value = 0;
        for (int64_t k = order; k >= 0; k--)
            value = value * z + far->a[k];
        sum[i] = creal(value);
    }
    for (int k = 0; k < nears; k++) {
        add_pairs(sum, c, count, near[k]);
        pairs += count * (leaf[near[k] + 1] - leaf[near[k]]);
    }
    uat_sim_work((uint64_t)(term_ns * (double)pairs));
    uat_global_checkin(potentials + leaf[box], (size_t)count * sizeof(*sum), UAT_WRITE);
    uat_global_checkin(inner[depth] + box, sizeof(*far), UAT_READ);
    close_leaf(box);
}

UAT_FOR(all_outer, box, int, level)
{
    find_outer(level, box);
}

UAT_FOR(all_inner, box, int, level)
{
    find_inner(level, box);
}

UAT_FOR(all_potentials, box)
{
    find_potentials(box);
}

/* Boxes of levels 0 and 1 have no far boxes, so their inner series stay 0. */
UAT_TASK_VOID(evaluate, int, unused)
{
    for (int level = (int)depth; level >= 2; level--)
        all_outer_near(0, boxes(level), outer[level], sizeof(struct series), level);
    for (int level = 2; level <= depth; level++)
        all_inner_near(0, boxes(level), inner[level], sizeof(struct series), level);
    all_potentials_near(0, boxes((int)depth), inner[depth], sizeof(struct series));
}

/* The sum of all potentials' bits. */
static uint64_t digest(void)
{
    uint64_t sum = 0, bits[512];

    for (int64_t i = 0, count; i < n; i += count) {
        count = n - i < 512 ? n - i : 512;
        uat_global_get(bits, potentials + i, (size_t)count * sizeof(*bits));
        for (int64_t k = 0; k < count; k++)
            sum += bits[k];
    }
    return sum;
}

static int run(uint64_t *answer)
{
    int status = evaluate_run(0);

    uat_bench_pause();
    *answer = status ? 0 : digest();
    return status;
}

static int sequential(uint64_t *answer)
{
    for (int level = (int)depth; level >= 2; level--)
        for (int64_t box = 0; box < boxes(level); box++)
            find_outer(level, box);
    for (int level = 2; level <= depth; level++)
        for (int64_t box = 0; box < boxes(level); box++)
            find_inner(level, box);
    for (int64_t box = 0; box < boxes((int)depth); box++)
        find_potentials(box);
    uat_bench_pause();
    *answer = digest();
    return 0;
}

/* Make the charges, sort them by their leaves, and store this rank's part. */
static int make_charges(void)
{
    int64_t leaves = boxes((int)depth), side = (int64_t)1 << depth;
    int64_t *next = calloc((size_t)leaves, sizeof(*next));

    leaf = calloc((size_t)leaves + 1, sizeof(*leaf));
    sorted = calloc((size_t)n, sizeof(*sorted));
    if (next && leaf && sorted) {
        for (int pass = 0; pass < 2; pass++) {
            uint64_t state = (uint64_t)seed;
            for (int64_t i = 0; i < n; i++) {
                struct charge c;
                c.x = ldexp((double)(splitmix_next(&state) >> 11), -53);
                c.y = ldexp((double)(splitmix_next(&state) >> 11), -53);
                c.q = ldexp((double)(splitmix_next(&state) >> 11), -52) - 1;
                int64_t box = box_at((int64_t)(c.x * (double)side), (int64_t)(c.y * (double)side));
                if (pass == 0)
                    leaf[box + 1]++;
                else
                    sorted[leaf[box] + next[box]++] = c;
            }
            for (int64_t b = 0; b < leaves && pass == 0; b++)
                leaf[b + 1] += leaf[b];
        }
        for (int64_t i = 0; i < n; i++)
            if (uat_global_home(charges + i) == uat_rank())
                uat_global_put(charges + i, &sorted[i], sizeof(*charges));
    }
    int status = next && leaf && sorted ? 0 : -ENOMEM;
    free(next);
    return status;
}

static int prepare(void)
{
    bool arrays = true;

    prepare_series();
    for (int level = 1; level <= depth && arrays; level++) {
        outer[level] = uat_global_alloc((size_t)boxes(level) * sizeof(struct series), UAT_BLOCKED, 0);
        inner[level] = uat_global_alloc((size_t)boxes(level) * sizeof(struct series), UAT_BLOCKED, 0);
        arrays = outer[level] && inner[level];
    }
    charges = arrays ? uat_global_alloc((size_t)n * sizeof(*charges), UAT_BLOCKED, 0) : NULL;
    potentials = charges ? uat_global_alloc((size_t)n * sizeof(*potentials), UAT_BLOCKED, 0) : NULL;
    int status = potentials ? make_charges() : -ENOMEM;
    return status ? status : uat_barrier();
}

/*
 * Compare some potentials with direct sums. Greengard and Rokhlin's bound for one far box is A / (c - 1) / c^order,
 * with A the sum of the box's absolute charges. A box's charges are within r = sqrt(1/2) sides of its centre, and those
 * of a far box are at least 2 - r sides from it, so c is (2 - r) / r.
 */
static int verify(bool *correct)
{
    double worst = 0, absolute = 0, c = (2 - sqrt(0.5)) / sqrt(0.5);

    if (uat_rank() != 0)
        return 0;
    for (int64_t i = 0; i < n; i++)
        absolute += fabs(sorted[i].q);
    for (int64_t s = 0; s < SAMPLE && s < n; s++) {
        int64_t at = s * (n / (n < SAMPLE ? n : SAMPLE));
        double sum = 0, found;
        for (int64_t i = 0; i < n; i++)
            sum += potential_by(&sorted[i], &sorted[at]);
        uat_global_get(&found, potentials + at, sizeof(found));
        worst = fmax(worst, fabs(found - sum));
    }
    figures[0] = worst / absolute;
    figures[1] = 1 / (c - 1) / pow(c, (double)order);
    *correct = figures[0] <= figures[1] + 1e-14;
    if (!*correct)
        fprintf(stderr, "uat-fmm: the error is %g of all charges and may be %g\n", figures[0], figures[1]);
    return 0;
}

static int finish(void)
{
    int status = uat_global_free(charges);

    for (int level = 1; level <= depth; level++) {
        status = status ? status : uat_global_free(outer[level]);
        status = status ? status : uat_global_free(inner[level]);
    }
    free(leaf);
    free(sorted);
    return status ? status : uat_global_free(potentials);
}

static const struct uat_bench_option options[] = {
    {"-n", "N", "charges", &n, NULL, 1, 1e8},
    {"-d", "DEPTH", "levels of boxes: there are 4^DEPTH leaves", &depth, NULL, 2, DEPTH_MAX},
    {"-p", "ORDER", "terms of a series", &order, NULL, 1, ORDER_MAX},
    {"-r", "SEED", "of the charges", &seed, NULL, 0, INT32_MAX},
    {"-w", "NS", "nanoseconds that a term or a pair of charges takes in a simulation", NULL, &term_ns, 0, 1e6},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-fmm",
    .purpose = "Compute the potentials of charges in the plane by the fast multipole method.",
    .options = options,
    .results = {"digest"},
    .prepare = prepare,
    .run = run,
    .sequential = sequential,
    .verify = verify,
    .finish = finish,
    .figures = figures,
    .names = {{"error", "of the sum of all absolute charges"}, {"bound", ""}},
};
