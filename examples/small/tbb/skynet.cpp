/* SPDX-License-Identifier: MIT */
#include "examples/small/skynet.hpp"

#include "examples/small/tbb/tbb.hpp"

using namespace skynet;

static int64_t sum(int64_t first, int64_t size)
{
    if (size == 1)
        return first;
    int64_t part[children], all = 0;
    tbb::task_group group;
    for (int i = 0; i < children; i++)
        group.run([&part, i, first, size] { part[i] = sum(first + i * (size / children), size / children); });
    group.wait();
    for (int64_t one : part)
        all += one;
    return all;
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(
        argc, argv, 0, "skynet", [] { return double(sum(0, leaves)); }, plain);
}
