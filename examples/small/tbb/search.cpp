/* SPDX-License-Identifier: MIT */
#include "examples/small/search.hpp"

#include <atomic>

#include "examples/small/tbb/tbb.hpp"

using namespace key_search;

static double find()
{
    std::atomic<int64_t> found{-1};
    tbb::task_group_context context;
    using range = tbb::blocked_range<int64_t>;

    tbb::parallel_for(
        range(0, n, part),
        [&](const range &r) {
            for (int64_t i = r.begin(); i < r.end(); i++) {
                if (i % 1024 == 0 && context.is_group_execution_cancelled())
                    return;
                if (matches(i)) {
                    found = i;
                    context.cancel_group_execution();
                }
            }
        },
        tbb::simple_partitioner(), context);
    return double(found);
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(argc, argv, 0, "search", find, plain);
}
