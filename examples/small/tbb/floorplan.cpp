/* SPDX-License-Identifier: MIT */
#include "examples/small/floorplan.hpp"

#include <atomic>

#include "examples/small/tbb/tbb.hpp"

using namespace floorplan;

static std::atomic<int> smallest;

static void found(int area)
{
    int before = smallest;
    while (area < before && !smallest.compare_exchange_weak(before, area))
        ;
}

static void place(const Floor &floor, int cell)
{
    auto best = [] { return smallest.load(); };
    if (cell >= together)
        return place_all(floor, cell, best, found);
    tbb::task_group group;
    each_place(floor, cell, best, [&](const Floor &next) { group.run([=] { place(next, cell + 1); }); });
    group.wait();
}

static double search()
{
    smallest = board * board + 1;
    place(Floor{}, 0);
    return smallest;
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(argc, argv, 0, "floorplan", search, plain);
}
