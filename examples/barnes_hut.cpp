/* SPDX-License-Identifier: MIT */
/*
 * Gravitation of N bodies by an octree (Barnes and Hut, Nature 324, 1986). Each time step builds a new octree in
 * parallel.
 *
 * Whichever workers run its tasks, the parallel program builds the same trees as the sequential program, and adds
 * numbers in the same order. So both programs compute the same positions, to the last bit. Direct sums check the
 * forces.
 */
#include <cerrno>
#include <new>

#include "examples/octree.hpp"
#include "examples/splitmix.h"
#include "perf/bench.h"
#include "uat.hpp"

namespace
{
using namespace octree;

constexpr int sample = 64; /* number of bodies whose forces the program checks */

int64_t n = 20000, steps = 2, seed = 1;
double theta = 0.5, time_step = 0.001;

World world;

/* First part of a time step, for bodies [from, to): move them and copy them for the tree. Returns their largest
 * coordinate. */
template <class M> double move(const World &w, int64_t from, int64_t to, bool first)
{
    double most = 0;
    each_chunk<M>(w.body, from, to - from, UAT_READ_WRITE, [&](Body *b, int64_t count, int64_t at) {
        Motion *m = M::open(w.motion + at, count, UAT_READ_WRITE);
        Body *copy = M::open(w.sorted + at, count, UAT_WRITE);
        for (int64_t i = 0; i < count; i++) {
            if (!first) {
                m[i].v = m[i].v + time_step / 2 * m[i].a;
                b[i].x = b[i].x + time_step * m[i].v;
            }
            copy[i] = b[i];
            most = std::max({most, std::fabs(b[i].x.x), std::fabs(b[i].x.y), std::fabs(b[i].x.z)});
        }
        M::close(w.sorted + at, count, UAT_WRITE);
        M::close(w.motion + at, count, UAT_READ_WRITE);
    });
    return most;
}

/* Second part, for bodies [from, to) in the tree's order: compute the forces on these bodies, and change their
 * velocities. */
template <class M> void accelerate(const World &w, int64_t from, int64_t to, bool first)
{
    for (int64_t i = from; i < to; i++) {
        Body b = *M::open(w.sorted + i, 1, UAT_READ);
        M::close(w.sorted + i, 1, UAT_READ);
        Vector a = force<M>(w, b.x);
        Motion *m = M::open(w.motion + b.id, 1, UAT_READ_WRITE);
        m->a = a;
        if (!first)
            m->v = m->v + time_step / 2 * a;
        M::close(w.motion + b.id, 1, UAT_READ_WRITE);
    }
}

/* Last part of a time step: free the tree. */
void free_tree(uat::global_ptr<Cell> cell)
{
    for (const Octant &o : cell.load().octant)
        if (o.cell)
            free_tree(uat::global_ptr<Cell>(o.cell));
    uat::destroy(cell);
}

/* Time steps of velocity Verlet (Swope et al. 1982). The first step only computes the forces. */
void simulate(World w)
{
    for (int64_t s = 0; s <= steps; s++) {
        bool first = s == 0;
        double most = uat::parallel_reduce(
            0, (n + chunk - 1) / chunk, 0.0, [](double a, double b) { return std::max(a, b); },
            [w, first](int64_t i) { return move<Global>(w, i * chunk, std::min(n, (i + 1) * chunk), first); });
        w.edge = 2.0001 * most;
        w.root = build<Global>(w, Range{0, n, {0, 0, 0}, w.edge / 2, 0});
        uat::parallel_for_ranges(0, n,
                                 [w, first](int64_t from, int64_t to) { accelerate<Global>(w, from, to, first); });
        free_tree(uat::global_ptr<Cell>(w.root.cell));
    }
}

void simulate_here(World w)
{
    for (int64_t s = 0; s <= steps; s++) {
        w.edge = 2.0001 * move<Plain>(w, 0, n, s == 0);
        w.root = build<Plain>(w, Range{0, n, {0, 0, 0}, w.edge / 2, 0});
        accelerate<Plain>(w, 0, n, s == 0);
        Plain::cells.clear();
    }
}

double random_number(uint64_t &state)
{
    return double(splitmix_next(&state) >> 11) * 0x1p-53;
}

Vector direction(uint64_t &state, double length)
{
    double z = 2 * random_number(state) - 1, angle = 2 * M_PI * random_number(state), s = std::sqrt(1 - z * z);
    return length * Vector{s * std::cos(angle), s * std::sin(angle), z};
}

/* Make body i of a cluster (Plummer 1911) by the method of Aarseth, Henon and Wielen (1974). */
void make_body(int64_t i, Body *b, Motion *m)
{
    uint64_t state = uint64_t(seed) << 40 ^ uint64_t(i);
    double radius, share, speed;
    do {
        radius = 1 / std::sqrt(std::pow(random_number(state), -2.0 / 3) - 1);
    } while (!(radius < 20));
    do {
        share = random_number(state);
    } while (0.1 * random_number(state) > share * share * std::pow(1 - share * share, 3.5));
    speed = share * std::sqrt(2.0) * std::pow(1 + radius * radius, -0.25);
    b->x = direction(state, radius);
    b->mass = 1 / double(n);
    b->id = i;
    m->v = direction(state, speed);
    m->a = {0, 0, 0};
}

template <class M> void make_bodies(const World &w, int64_t from, int64_t to)
{
    each_chunk<M>(w.body, from, to - from, UAT_WRITE, [&](Body *b, int64_t count, int64_t at) {
        Motion *m = M::open(w.motion + at, count, UAT_WRITE);
        for (int64_t i = 0; i < count; i++)
            make_body(at + i, b + i, m + i);
        M::close(w.motion + at, count, UAT_WRITE);
    });
}

/* A hash of all bits of all positions. */
template <class M> uint64_t digest(const World &w)
{
    uint64_t sum = 0;
    each_chunk<M>(w.body, 0, n, UAT_READ, [&](const Body *b, int64_t count, int64_t at) {
        for (int64_t i = 0; i < count; i++) {
            uint64_t bits[3];
            std::memcpy(bits, &b[i].x, sizeof(bits));
            for (uint64_t k : bits)
                sum = (sum ^ k ^ uint64_t(at + i)) * SPLITMIX_STEP + (sum >> 29);
        }
    });
    return sum;
}

double figures[UAT_BENCH_FIGURES];

template <class T> T *array(int64_t count)
{
    return static_cast<T *>(uat_global_alloc(size_t(count) * sizeof(T), UAT_BLOCKED, 0));
}

int prepare()
{
    world.theta = theta;
    bool have = (world.body = array<Body>(n)) && (world.sorted = array<Body>(n)) && (world.other = array<Body>(n)) &&
                (world.motion = array<Motion>(n));
    return have ? 0 : -ENOMEM; /* reported already */
}

int run(uint64_t *answer)
{
    uat_bench_pause();
    uat::run([w = world] {
        uat::parallel_for_ranges(0, n, [w](int64_t from, int64_t to) { make_bodies<Global>(w, from, to); });
    });
    uat_bench_resume();
    uat::run(simulate, world);
    uat_bench_pause();
    figures[0] = double(n * (steps + 1)) / uat_bench_seconds();
    answer[0] = uat::run([w = world] { return digest<Global>(w); });
    return 0;
}

/* Compare a sample's accelerations with direct sums. Returns the sum of the squared relative errors. */
double sum_directly(const World &w)
{
    return uat::parallel_reduce(
        0, sample, 0.0, [](double a, double b) { return a + b; },
        [w](int64_t i) {
            Body own;
            Motion m;
            uat_global_get(&own, w.body + i * (n / sample), sizeof(own));
            uat_global_get(&m, w.motion + own.id, sizeof(m));
            Vector a = {0, 0, 0};
            each_chunk<Global>(w.body, 0, n, UAT_READ, [&](const Body *b, int64_t count, int64_t) {
                for (int64_t k = 0; k < count; k++)
                    a = a + pull(b[k].x - own.x, b[k].mass);
            });
            return square(m.a - a) / square(a);
        });
}

int verify(bool *correct)
{
    figures[1] = std::sqrt(uat::run(sum_directly, world) / sample);
    *correct = figures[1] < 0.06 * theta; /* for theta = 0.5 the error is 0.005 to 0.01 */
    if (!*correct && uat_rank() == 0)
        std::fprintf(stderr, "uat-barnes-hut: the relative error of the forces is %.3g\n", figures[1]);
    return 0;
}

int sequential(uint64_t *answer)
try {
    uat_bench_pause();
    std::vector<Body> body(size_t(n), Body{}), sorted(body), other(body);
    std::vector<Motion> motion(size_t(n), Motion{});
    World w = {body.data(), sorted.data(), other.data(), motion.data(), {}, 0, theta};
    make_bodies<Plain>(w, 0, n);
    uat_bench_resume();
    simulate_here(w);
    uat_bench_pause();
    answer[0] = digest<Plain>(w);
    return 0;
} catch (const std::bad_alloc &) {
    return -ENOMEM;
}

const struct uat_bench_option options[] = {
    {"-n", "N", "bodies", &n, nullptr, 2 * sample, 1e8},
    {"-s", "STEPS", "time steps", &steps, nullptr, 0, 1e6},
    {"-o", "THETA", "size of a cell over its distance at which it counts as one body", nullptr, &theta, 0.05, 1},
    {"-t", "TIME", "length of a time step, in units in which G, the mass and the radius of the cluster are 1", nullptr,
     &time_step, 0, 1},
    {"-r", "SEED", "random seed of the bodies", &seed, nullptr, 0, 1000000},
    {nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0},
};

struct uat_bench describe()
{
    struct uat_bench b = {};
    b.program = "uat-barnes-hut";
    b.purpose = "Move N bodies under gravitation; the forces come from an octree that is built in parallel.";
    b.options = options;
    b.results[0] = "digest";
    b.prepare = prepare;
    b.run = run;
    b.verify = verify;
    b.sequential = sequential;
    b.figures = figures;
    b.names[0] = {"bodies_per_second", ""};
    b.names[1] = {"force_error", "of the force, root mean square"};
    return b;
}
} // namespace

extern "C" const struct uat_bench uat_bench = describe();
