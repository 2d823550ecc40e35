/* SPDX-License-Identifier: MIT */
#include "examples/small/fft.hpp"

#include <functional>

#include "uat.hpp"

using namespace fft;

static void transform_span(uat::span<Number> x)
{
    if (x.size() <= together) {
        transform(x.update().data(), int64_t(x.size()));
        return;
    }
    auto even = x.first(x.size() / 2), odd = x.last(x.size() / 2);
    uat::parallel_invoke([even] { transform_span(even); }, [odd] { transform_span(odd); });
    uat::parallel_for(0, int64_t(even.size()) / 1024, [even, odd](int64_t i) {
        size_t first = size_t(i) * 1024;
        auto a = even.subspan(first, 1024).update(), b = odd.subspan(first, 1024).update();
        combine(a.data(), b.data(), int64_t(first), 1024, int64_t(even.size()));
    });
}

static double transform_all(uat::span<Number> x)
{
    uat::tabulate(x, [](size_t i) { return sample(int64_t(i)); });
    transform_span(x);
    return uat::transform_reduce(x, 0.0, std::plus<>(), [](Number number) { return std::abs(number); });
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<Number> x(n);
    return small::compare(
        argc, argv, uat_rank(), "fft", [x = x.span()] { return uat::run(transform_all, x); }, plain);
}
