/* SPDX-License-Identifier: MIT */
#include "examples/small/histogram.hpp"

#include "uat.hpp"

using namespace histogram;

static uat::reducer<Counts> counts;

static double count()
{
    uat::parallel_for_ranges(0, n, [](int64_t from, int64_t to) {
        Counts &view = counts.view();
        for (int64_t i = from; i < to; i++)
            view.add(value(i));
    });
    return counts.take().checksum();
}

int main(int argc, char **argv)
{
    uat::job job;
    return small::compare(
        argc, argv, uat_rank(), "histogram", [] { return uat::run(count); }, plain);
}
