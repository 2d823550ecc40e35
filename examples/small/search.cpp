/* SPDX-License-Identifier: MIT */
#include "examples/small/search.hpp"

#include "uat.hpp"

using namespace key_search;

static double find()
{
    uat::future<int64_t> found;
    uat::task_group group;
    auto token = group.cancellation();

    for (int64_t from = 0; from < n && !token.cancelled(); from += part)
        group.run([=, found = found.ref()] {
            for (int64_t i = from; i < from + part; i++) {
                if (i % 1024 == 0 && token.cancelled())
                    return;
                if (matches(i)) {
                    found.set(i);
                    token.cancel();
                }
            }
        });
    group.wait();
    auto answer = found.try_get();
    return answer ? double(*answer) : -1;
}

int main(int argc, char **argv)
{
    uat::job job;
    return small::compare(
        argc, argv, uat_rank(), "search", [] { return uat::run(find); }, plain);
}
