/* SPDX-License-Identifier: MIT */
#include "examples/small/floorplan.hpp"

#include <atomic>

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
    each_place(floor, cell, best, [&](const Floor &next) {
        Floor copy = next;
        int after = cell + 1;
#pragma omp task firstprivate(copy, after)
        place(copy, after);
    });
#pragma omp taskwait
}

static double search()
{
    smallest = board * board + 1;
#pragma omp parallel
#pragma omp single
    place(Floor{}, 0);
    return smallest;
}

int main(int argc, char **argv)
{
    return small::compare(argc, argv, 0, "floorplan", search, plain);
}
