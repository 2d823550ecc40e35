// SPDX-License-Identifier: MIT
// oneTBB's parallel_sort on the input of uat-cilksort, for perf/measure sorts. rival-sort-tbb N 32|64 THREADS ROUNDS
// prints the best time as JSON.
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class Element> static double best_of(std::size_t n, int rounds)
{
    std::vector<Element> a(n);
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        for (std::size_t i = 0; i < n; i++) {
            std::uint64_t x = (i + 1) * 0xbf58476d1ce4e5b9u;
            x = (x ^ x >> 27) * 0x94d049bb133111ebu;
            a[i] = static_cast<Element>(x >> (64 - 8 * sizeof(Element)));
        }
        auto begin = std::chrono::steady_clock::now();
        tbb::parallel_sort(a.begin(), a.end());
        std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        best = std::min(best, passed.count());
        if (!std::is_sorted(a.begin(), a.end()))
            std::exit((std::fprintf(stderr, "rival-sort-tbb: wrong answer: not sorted\n"), 1));
    }
    return best;
}

int main(int argc, char **argv)
{
    if (argc != 5 || (std::atoi(argv[2]) != 32 && std::atoi(argv[2]) != 64)) {
        std::fprintf(stderr, "usage: rival-sort-tbb N 32|64 THREADS ROUNDS\n");
        return 2;
    }
    std::size_t n = std::strtoull(argv[1], nullptr, 10);
    int bits = std::atoi(argv[2]), threads = std::atoi(argv[3]), rounds = std::atoi(argv[4]);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    double best = bits == 32 ? best_of<std::uint32_t>(n, rounds) : best_of<std::uint64_t>(n, rounds);
    std::printf("{\"seconds\": %.6f}\n", best);
    return 0;
}
