/* SPDX-License-Identifier: MIT */
#include "examples/small/histogram.hpp"

#include <functional>

#include "uat.hpp"

using namespace histogram;

static double count()
{
    auto range = [](int64_t from, int64_t to, Counts counts) {
        for (int64_t i = from; i < to; i++)
            counts.add(value(i));
        return counts;
    };
    return uat::parallel_reduce_ranges(0, n, Counts{}, std::plus<>(), range, 4096).checksum();
}

int main(int argc, char **argv)
{
    uat::job job;
    return small::compare(
        argc, argv, uat_rank(), "histogram", [] { return uat::run(count); }, plain);
}
