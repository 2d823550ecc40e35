/* SPDX-License-Identifier: MIT */
/* The exercises of perf/measure rivals with GCC's OpenMP. Loops over arrays and pieces have a static schedule, or, with
 * RIVAL_DYNAMIC, a dynamic one. The sort is the one of libstdc++'s parallel mode. usage: rival-openmp WORKERS ROUNDS
 * STEPS [curve WORK...] */
#include <algorithm>
#include <parallel/algorithm>

#include <omp.h>

#include "perf/rivals/rivals.hpp"

namespace rival
{

#ifdef RIVAL_DYNAMIC
#define SCHEDULE        schedule(dynamic)
#define SCHEDULE_ARRAYS schedule(dynamic, 4096) /* doubles: 32 KiB */
#else
#define SCHEDULE        schedule(static)
#define SCHEDULE_ARRAYS schedule(static)
#endif

void loop_empty(std::int64_t n)
{
#pragma omp parallel
    {
        std::int64_t k = omp_get_thread_num(), p = omp_get_num_threads();
        run_empty(n * k / p, n * (k + 1) / p);
    }
}

void loop_pieces(std::int64_t n, std::int64_t steps)
{
#pragma omp parallel for SCHEDULE
    for (std::int64_t i = 0; i < n; i++)
        run_piece(steps);
}

void loop_axpy(double *x, double *y, double a, std::int64_t n)
{
#pragma omp parallel for SCHEDULE_ARRAYS
    for (std::int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void loop_stream(int kernel, double *a, const double *b, const double *c, std::int64_t n)
{
#ifdef RIVAL_DYNAMIC
    const std::int64_t block = 4096;
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t i = 0; i < n; i += block)
        run_stream(kernel, a, b, c, i, std::min(n, i + block));
#else
#pragma omp parallel
    {
        std::int64_t k = omp_get_thread_num(), p = omp_get_num_threads();
        run_stream(kernel, a, b, c, n * k / p, n * (k + 1) / p);
    }
#endif
}

double reduce_series(std::int64_t n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::int64_t i = 0; i < n; i++)
        sum += term(i);
    return sum;
}

void scan_sums(const std::int64_t *in, std::int64_t *out, std::int64_t n)
{
    std::int64_t sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (std::int64_t i = 0; i < n; i++) {
        sum += in[i];
#pragma omp scan inclusive(sum)
        out[i] = sum;
    }
}

void sort_words(std::uint64_t *words, std::int64_t n)
{
    __gnu_parallel::sort(words, words + n);
}

} // namespace rival

int main(int argc, char **argv)
{
    rival::arguments given = rival::read_arguments(argc, argv);
    omp_set_num_threads(given.workers);
    rival::run_all_here(given);
}
