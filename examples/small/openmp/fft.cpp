/* SPDX-License-Identifier: MIT */
#include "examples/small/fft.hpp"

using namespace fft;

static void transform_range(Number *x, int64_t size)
{
    if (size <= together) {
        transform(x, size);
        return;
    }
    Number *odd = x + size / 2;
#pragma omp task
    transform_range(x, size / 2);
    transform_range(odd, size / 2);
#pragma omp taskwait
#pragma omp taskloop grainsize(1)
    for (int64_t first = 0; first < size / 2; first += 1024)
        combine(x + first, odd + first, first, std::min<int64_t>(1024, size / 2 - first), size / 2);
}

static double transform_all(std::vector<Number> &x)
{
    double sum = 0;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        x[size_t(i)] = sample(i);
#pragma omp parallel
#pragma omp single
    transform_range(x.data(), n);
#pragma omp parallel for reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += std::abs(x[size_t(i)]);
    return sum;
}

int main(int argc, char **argv)
{
    std::vector<Number> x(n);
    return small::compare(
        argc, argv, 0, "fft", [&] { return transform_all(x); }, plain);
}
