/* SPDX-License-Identifier: MIT */
/* The exercises of perf/measure rivals with uat. usage: uatrun -n WORKERS rival-uat WORKERS ROUNDS STEPS */
#include <functional>

#include <uat.hpp>

#include "perf/rivals/rivals.hpp"

namespace rival
{

void loop_empty(std::int64_t n)
{
    uat::parallel_for_ranges(0, n, run_empty);
}

void loop_pieces(std::int64_t n, std::int64_t steps)
{
    uat::parallel_for(0, n, [=](std::int64_t) { run_piece(steps); });
}

void loop_axpy(double *x, double *y, double a, std::int64_t n)
{
    uat::span<double> ys(y, std::size_t(n));
    uat::transform(uat::span<double>(x, std::size_t(n)), ys, ys, [a](double u, double v) { return v + a * u; });
}

void loop_stream(int kernel, double *a, const double *b, const double *c, std::int64_t n)
{
    uat::parallel_for_ranges(0, n,
                             [=](std::int64_t begin, std::int64_t end) { run_stream(kernel, a, b, c, begin, end); });
}

double reduce_series(std::int64_t n)
{
    return uat::parallel_reduce(0, n, 0.0, std::plus<>(), [](std::int64_t i) { return term(i); });
}

void scan_sums(const std::int64_t *in, std::int64_t *out, std::int64_t n)
{
    uat::parallel_scan(
        0, n, std::int64_t(0), [in](std::int64_t i) { return in[i]; }, std::plus<>(),
        [out](std::int64_t i, std::int64_t, std::int64_t with) { out[i] = with; });
}

void sort_words(std::uint64_t *words, std::int64_t n)
{
    uat::sort(uat::span<std::uint64_t>(words, std::size_t(n)));
}

} // namespace rival

int main(int argc, char **argv)
{
    const rival::sizes n;
    rival::arguments given = rival::read_arguments(argc, argv);
    uat::job job;
    uat::global_vector<double> x(std::size_t(n.axpy)), y(x.size()), z(x.size());
    uat::global_vector<std::int64_t> in(std::size_t(n.scan)), out(in.size());
    uat::global_vector<std::uint64_t> words(std::size_t(n.sort));
    rival::arrays a{x.span().data(),  y.span().data(),   z.span().data(),
                    in.span().data(), out.span().data(), words.span().data()};
    uat::run([=] { rival::run_all(a, given); });
}
