/* SPDX-License-Identifier: MIT */
#include "examples/small/skynet.hpp"

#include "uat.hpp"

using namespace skynet;

static int64_t sum(int64_t first, int64_t size)
{
    if (size == 1)
        return first;
    uat::result_group<int64_t, children> group;
    for (int i = 0; i < children; i++)
        group.run(sum, first + i * (size / children), size / children);
    int64_t all = 0;
    for (int64_t part : group.wait())
        all += part;
    return all;
}

int main(int argc, char **argv)
{
    uat::job job;
    return small::compare(
        argc, argv, uat_rank(), "skynet", [] { return double(uat::run(sum, int64_t(0), leaves)); }, plain);
}
