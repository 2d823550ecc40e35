/* SPDX-License-Identifier: MIT */
#include "examples/small/quadtree.hpp"

#include <tuple>

#include "uat.hpp"

using namespace quadtree;

struct Cell {
    uat::global_ptr<Cell> child[4];
    int64_t points;
};

static uat::reducer<double> sum; /* the answer; the leaves add to it */

static uat::global_ptr<Cell> build(Part part, uat::span<Point> points)
{
    Cell cell = {{}, part.end - part.first};
    if (cell.points <= leaf) {
        *sum += double((part.depth + 1) * cell.points);
        return uat::make_object<Cell>(cell);
    }
    Part quarter[4];
    divide(part, points.subspan(size_t(part.first), size_t(cell.points)).update().data(), quarter);
    auto &child = cell.child;
    if (cell.points > together) {
        auto task = [&](int q) { return [part = quarter[q], points] { return build(part, points); }; };
        std::tie(child[0], child[1], child[2], child[3]) = uat::parallel_invoke(task(0), task(1), task(2), task(3));
    } else {
        for (int q = 0; q < 4; q++)
            child[q] = build(quarter[q], points);
    }
    return uat::make_object<Cell>(cell);
}

static void free_tree(uat::global_ptr<Cell> cell)
{
    Cell copy = cell.load();
    for (auto child : copy.child)
        if (child)
            free_tree(child);
    uat::destroy(cell);
}

static double build_all(uat::span<Point> points)
{
    uat::tabulate(points, [](size_t i) { return point(int64_t(i)); });
    free_tree(build({0, n, 0, 0, 1, 0}, points));
    return sum.take();
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<Point> points(n);
    return small::compare(
        argc, argv, uat_rank(), "quadtree", [p = points.span()] { return uat::run(build_all, p); }, plain);
}
