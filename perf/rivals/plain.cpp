/* SPDX-License-Identifier: MIT */
/*
 * The exercises of perf/measure rivals without any runtime: plain loops and std::sort(). usage:
 * rival-plain WORKERS ROUNDS STEPS. "rival-plain steps" prints the value of STEPS that takes a microsecond on this
 * host.
 */
#include <algorithm>
#include <cstring>

#include "perf/rivals/rivals.hpp"

namespace rival
{

void loop_empty(std::int64_t n)
{
    run_empty(0, n);
}

void loop_pieces(std::int64_t n, std::int64_t steps)
{
    for (std::int64_t i = 0; i < n; i++)
        run_piece(steps);
}

void loop_axpy(double *x, double *y, double a, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void loop_stream(int kernel, double *a, const double *b, const double *c, std::int64_t n)
{
    run_stream(kernel, a, b, c, 0, n);
}

double reduce_series(std::int64_t n)
{
    double sum = 0;
    for (std::int64_t i = 0; i < n; i++)
        sum += term(i);
    return sum;
}

void scan_sums(const std::int64_t *in, std::int64_t *out, std::int64_t n)
{
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; i++)
        out[i] = sum += in[i];
}

void sort_words(std::uint64_t *words, std::int64_t n)
{
    std::sort(words, words + n);
}

} // namespace rival

int main(int argc, char **argv)
{
    if (argc == 2 && !std::strcmp(argv[1], "steps"))
        std::printf("%lld\n", static_cast<long long>(rival::steps_of_microsecond()));
    else
        rival::run_all_here(rival::read_arguments(argc, argv));
}
