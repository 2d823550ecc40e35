/* SPDX-License-Identifier: MIT */
#include "examples/small/histogram.hpp"

#include <functional>

#include "examples/small/tbb/tbb.hpp"

using namespace histogram;

static double count()
{
    auto range = [](const tbb::blocked_range<int64_t> &r, Counts counts) {
        for (int64_t i = r.begin(); i < r.end(); i++)
            counts.add(value(i));
        return counts;
    };
    return tbb::parallel_reduce(tbb::blocked_range<int64_t>(0, n, 4096), Counts{}, range, std::plus<>()).checksum();
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(argc, argv, 0, "histogram", count, plain);
}
