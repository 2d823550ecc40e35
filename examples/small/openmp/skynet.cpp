/* SPDX-License-Identifier: MIT */
#include "examples/small/skynet.hpp"

using namespace skynet;

static int64_t sum(int64_t first, int64_t size)
{
    if (size == 1)
        return first;
    int64_t part[children], all = 0;
    for (int i = 0; i < children; i++)
#pragma omp task shared(part)
        part[i] = sum(first + i * (size / children), size / children);
#pragma omp taskwait
    for (int64_t one : part)
        all += one;
    return all;
}

static double sum_all()
{
    int64_t all = 0;
#pragma omp parallel
#pragma omp single
    all = sum(0, leaves);
    return double(all);
}

int main(int argc, char **argv)
{
    return small::compare(argc, argv, 0, "skynet", sum_all, plain);
}
