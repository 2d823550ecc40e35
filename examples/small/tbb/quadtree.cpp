/* SPDX-License-Identifier: MIT */
#include "examples/small/quadtree.hpp"

#include "examples/small/tbb/tbb.hpp"

using namespace quadtree;

/* A tree, and its contribution to the answer. */
struct Built {
    Node *root;
    double sum;
};

static Built build(const Part &part, std::vector<Point> &points)
{
    Node *node = new Node;
    node->points = part.end - part.first;
    if (node->points <= leaf)
        return {node, double((part.depth + 1) * node->points)};
    Part quarter[4];
    divide(part, &points[size_t(part.first)], quarter);
    Built built[4];
    auto task = [&](int q) { return [&, q] { built[q] = build(quarter[q], points); }; };
    if (node->points > together) {
        tbb::parallel_invoke(task(0), task(1), task(2), task(3));
    } else {
        for (int q = 0; q < 4; q++)
            task(q)();
    }
    double sum = 0;
    for (int q = 0; q < 4; q++) {
        node->child[q] = built[q].root;
        sum += built[q].sum;
    }
    return {node, sum};
}

static double build_all(std::vector<Point> &points)
{
    tbb::parallel_for(int64_t(0), n, [&](int64_t i) { points[size_t(i)] = point(i); });
    Built tree = build({0, n, 0, 0, 1, 0}, points);
    plain_free(tree.root);
    return tree.sum;
}

int main(int argc, char **argv)
{
    workers limit;
    std::vector<Point> points(n);
    return small::compare(
        argc, argv, 0, "quadtree", [&] { return build_all(points); }, plain);
}
