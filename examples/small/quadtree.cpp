/* SPDX-License-Identifier: MIT */
#include "examples/small/quadtree.hpp"

#include <tuple>

#include "uat.hpp"

using namespace quadtree;

struct Cell {
    uat::global_ptr<Cell> child[4];
    int64_t points;
};

/* A tree, and the answer's part of it. */
struct Built {
    uat::global_ptr<Cell> root;
    double sum;
};

static Built build(Part part, uat::span<Point> points)
{
    int64_t count = part.end - part.first;
    if (count <= leaf)
        return {uat::make_object<Cell>(Cell{{}, count}), double((part.depth + 1) * count)};
    Part quarter[4];
    divide(part, points.subspan(size_t(part.first), size_t(count)).update().data(), quarter);
    Built built[4];
    if (count > together) {
        auto task = [&](int q) { return [part = quarter[q], points] { return build(part, points); }; };
        std::tie(built[0], built[1], built[2], built[3]) = uat::parallel_invoke(task(0), task(1), task(2), task(3));
    } else {
        for (int q = 0; q < 4; q++)
            built[q] = build(quarter[q], points);
    }
    return {uat::make_object<Cell>(Cell{{built[0].root, built[1].root, built[2].root, built[3].root}, count}),
            built[0].sum + built[1].sum + built[2].sum + built[3].sum};
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
    Built tree = build({0, n, 0, 0, 1, 0}, points);
    free_tree(tree.root);
    return tree.sum;
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<Point> points(n);
    return small::compare(
        argc, argv, uat_rank(), "quadtree", [p = points.span()] { return uat::run(build_all, p); }, plain);
}
