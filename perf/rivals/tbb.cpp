/* SPDX-License-Identifier: MIT */
/* The exercises of perf/measure rivals with oneTBB. Loops over arrays and pieces use the auto_partitioner, or, with
 * RIVAL_AFFINITY, an affinity_partitioner for each. usage: rival-tbb WORKERS ROUNDS STEPS [curve WORK...] */
#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>

#include "perf/rivals/rivals.hpp"

using range = tbb::blocked_range<std::int64_t>;
#ifdef RIVAL_AFFINITY
static tbb::affinity_partitioner of_pieces, of_axpy, of_stream;
#else
static const tbb::auto_partitioner of_pieces, of_axpy, of_stream;
#endif

namespace rival
{

void loop_empty(std::int64_t n)
{
    tbb::parallel_for(range(0, n), [](const range &r) { run_empty(r.begin(), r.end()); });
}

void loop_pieces(std::int64_t n, std::int64_t steps)
{
    tbb::parallel_for(
        std::int64_t(0), n, [=](std::int64_t) { run_piece(steps); }, of_pieces);
}

void loop_axpy(double *x, double *y, double a, std::int64_t n)
{
    tbb::parallel_for(
        range(0, n),
        [=](const range &r) {
            for (std::int64_t i = r.begin(); i < r.end(); i++)
                y[i] += a * x[i];
        },
        of_axpy);
}

void loop_stream(int kernel, double *a, const double *b, const double *c, std::int64_t n)
{
    tbb::parallel_for(
        range(0, n), [=](const range &r) { run_stream(kernel, a, b, c, r.begin(), r.end()); }, of_stream);
}

double reduce_series(std::int64_t n)
{
    return tbb::parallel_reduce(
        range(0, n), 0.0,
        [](const range &r, double sum) {
            for (std::int64_t i = r.begin(); i < r.end(); i++)
                sum += term(i);
            return sum;
        },
        std::plus<>());
}

void scan_sums(const std::int64_t *in, std::int64_t *out, std::int64_t n)
{
    tbb::parallel_scan(
        range(0, n), std::int64_t(0),
        [=](const range &r, std::int64_t sum, bool is_final) {
            for (std::int64_t i = r.begin(); i < r.end(); i++) {
                sum += in[i];
                if (is_final)
                    out[i] = sum;
            }
            return sum;
        },
        std::plus<>());
}

void sort_words(std::uint64_t *words, std::int64_t n)
{
    tbb::parallel_sort(words, words + n);
}

} // namespace rival

int main(int argc, char **argv)
{
    rival::arguments given = rival::read_arguments(argc, argv);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(given.workers));
    rival::run_all_here(given);
}
