/* SPDX-License-Identifier: MIT */
#include "examples/small/floorplan.hpp"

#include "uat.hpp"

using namespace floorplan;

using Smallest = uat::atomic_ref<int64_t>;

static void place(const Floor &floor, int cell, Smallest smallest)
{
    auto best = [=] { return smallest.load(); };
    if (cell >= together)
        return place_all(floor, cell, best, [=](int64_t area) { smallest.fetch_min(area); });
    uat::task_group group;
    each_place(floor, cell, best, [&](const Floor &next) { group.run([=] { place(next, cell + 1, smallest); }); });
    group.wait();
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<int64_t> smallest(1);
    auto search = [best = smallest.span().atomic(0)] {
        best.store(board * board + 1);
        place(Floor{}, 0, best);
        return double(best.load());
    };
    return small::compare(
        argc, argv, uat_rank(), "floorplan", [=] { return uat::run(search); }, plain);
}
