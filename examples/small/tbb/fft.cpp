/* SPDX-License-Identifier: MIT */
#include "examples/small/fft.hpp"

#include <functional>

#include "examples/small/tbb/tbb.hpp"

using namespace fft;
using range = tbb::blocked_range<int64_t>;

static void transform_range(Number *x, int64_t size)
{
    if (size <= together) {
        transform(x, size);
        return;
    }
    Number *odd = x + size / 2;
    tbb::parallel_invoke([=] { transform_range(x, size / 2); }, [=] { transform_range(odd, size / 2); });
    tbb::parallel_for(range(0, size / 2, 1024), [=](const range &r) {
        combine(x + r.begin(), odd + r.begin(), r.begin(), int64_t(r.size()), size / 2);
    });
}

static double transform_all(std::vector<Number> &x)
{
    tbb::parallel_for(int64_t(0), n, [&](int64_t i) { x[size_t(i)] = sample(i); });
    transform_range(x.data(), n);
    auto add = [&](const range &r, double sum) {
        for (int64_t i = r.begin(); i < r.end(); i++)
            sum += std::abs(x[size_t(i)]);
        return sum;
    };
    return tbb::parallel_reduce(range(0, n), 0.0, add, std::plus<>());
}

int main(int argc, char **argv)
{
    workers limit;
    std::vector<Number> x(n);
    return small::compare(
        argc, argv, 0, "fft", [&] { return transform_all(x); }, plain);
}
