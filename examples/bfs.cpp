/* SPDX-License-Identifier: MIT */
/*
 * The search of the Graph500 benchmark (specification 2.0): breadth-first, from up to 64 vertices of a Kronecker graph.
 * The program validates each search. The rate is in traversed edges per second (TEPS). As the specification demands,
 * the rate is the harmonic mean over the search keys.
 */
#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <vector>

#include "examples/bfs_search.hpp"
#include "perf/bench.h"

namespace
{

constexpr int keys_max = 64;

int64_t scale = 16, edge_factor = 16, keys = keys_max, seed = 1;
std::optional<bfs::Search> search;
uat::span<int32_t> level;
uint64_t validations;
std::vector<uint32_t> chosen;
bool all_valid;
double figures[UAT_BENCH_FIGURES];

/* Choose different vertices that have neighbours. All ranks choose the same vertices. If the graph has too few such
 * vertices, choose all of them. */
void choose_keys(const kronecker::Graph &g)
{
    uint64_t state = uint64_t(seed);

    for (int64_t tries = 0; int64_t(chosen.size()) < keys && tries < 1000 * keys; tries++) {
        state = state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu; /* PCG's generator (O'Neill 2014), upper bits */
        uint32_t key = uint32_t((state >> 32) % g.vertices);
        bool is_new = std::find(chosen.begin(), chosen.end(), key) == chosen.end();
        if (is_new && g.offset.get(key) < g.offset.get(key + 1))
            chosen.push_back(key);
    }
}

int prepare()
try {
    uint64_t vertices = UINT64_C(1) << scale;
    kronecker::Graph g = kronecker::allocate(vertices, vertices * uint64_t(edge_factor));
    kronecker::generate(g, int(scale), uint64_t(seed));
    search.emplace(g);
    level = kronecker::make_array<int32_t>(vertices);
    uint64_t begin = uat_time_ns();
    kronecker::construct(g);
    figures[5] = 1e-9 * double(uat_time_ns() - begin);
    /* From here on, no task writes these arrays, so their cached bytes stay valid. */
    for (void *array : {static_cast<void *>(g.edge.data()), static_cast<void *>(g.offset.data()),
                        static_cast<void *>(g.neighbour.data())})
        if (int rc = uat_global_freeze(array))
            return rc;
    choose_keys(g);
    return 0;
} catch (const uat::error &e) {
    return -e.code().value(); /* reported already */
}

/* Compute the harmonic mean and its deviation (Norris 1940), and quantiles of the times. */
void make_figures(std::vector<double> &seconds, const std::vector<double> &edges)
{
    double sum = 0, squares = 0, count = double(seconds.size());

    for (size_t i = 0; i < seconds.size(); i++)
        sum += seconds[i] / edges[i] / count;
    for (size_t i = 0; i < seconds.size(); i++)
        squares += std::pow(seconds[i] / edges[i] - sum, 2);
    std::sort(seconds.begin(), seconds.end());
    figures[0] = 1 / sum;
    figures[1] = count > 1 ? std::sqrt(squares) / (count - 1) / (sum * sum) : 0;
    figures[2] = seconds[seconds.size() / 2];
    figures[3] = seconds.front();
    figures[4] = seconds.back();
}

/* Validate the last search, from `root`. Returns the number of traversed edges. */
uint64_t check(uint32_t root)
{
    kronecker::Validity v = kronecker::validate({search->g, search->parent, level, root, ++validations});

    for (int i = 0; i < 5; i++) {
        all_valid &= v.broken[i] == 0;
        if (v.broken[i] && uat_rank() == 0)
            std::fprintf(stderr, "uat-bfs: the tree of vertex %u is wrong in %lld places: %s\n", root,
                         static_cast<long long>(v.broken[i]), kronecker::rules[i]);
    }
    return uint64_t(v.edges);
}

int run(uint64_t *answer)
{
    std::vector<double> seconds, edges;

    all_valid = true;
    for (uint32_t key : chosen) {
        double begin = uat_bench_seconds();
        search->run(key);
        uat_bench_pause();
        uint64_t traversed = check(key);
        uat_bench_resume();
        seconds.push_back(uat_bench_seconds() - begin);
        edges.push_back(double(traversed));
        answer[0] += traversed;
    }
    make_figures(seconds, edges);
    return 0;
}

int verify(bool *correct)
{
    *correct = all_valid;
    return 0;
}

int sequential(uint64_t *answer)
try {
    uat_bench_pause();
    bfs::Plain plain(search->g);
    for (uint32_t key : chosen) {
        uat_bench_resume();
        plain.run(key);
        uat_bench_pause();
        for (uint64_t i = 0; i < search->g.edge.size(); i++) /* count the edges of the list that have an end in the
                                                              * tree */
            answer[0] += plain.parent[kronecker::make_edge(int(scale), uint64_t(seed), i).u] != kronecker::none;
    }
    return 0;
} catch (const std::bad_alloc &) {
    return -ENOMEM;
}

const struct uat_bench_option options[] = {
    {"-s", "SCALE", "2^SCALE vertices", &scale, nullptr, 4, kronecker::scale_max},
    {"-e", "FACTOR", "edges for each vertex", &edge_factor, nullptr, 1, 64},
    {"-k", "KEYS", "vertices from which to search", &keys, nullptr, 1, keys_max},
    {"-r", "SEED", "random seed of the graph", &seed, nullptr, 0, INT32_MAX},
    {nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0},
};

struct uat_bench describe()
{
    struct uat_bench b = {};
    b.program = "uat-bfs";
    b.purpose = "Breadth-first search of a Graph500 Kronecker graph, with the specification's validation.";
    b.options = options;
    b.results[0] = "edges";
    b.prepare = prepare;
    b.run = run;
    b.verify = verify;
    b.sequential = sequential;
    b.figures = figures;
    b.names[0] = {"teps", "edges/s, harmonic mean over keys"};
    b.names[1] = {"teps_stddev", ""};
    b.names[2] = {"seconds_median_key", ""};
    b.names[3] = {"seconds_min_key", ""};
    b.names[4] = {"seconds_max_key", ""};
    b.names[5] = {"construction", "s"};
    return b;
}
} // namespace

extern "C" const struct uat_bench uat_bench = describe();
