/* SPDX-License-Identifier: MIT */
/* A quadtree of points in the unit square. The answer is the sum of (depth + 1) * points over all leaves. */
#ifndef UAT_SMALL_QUADTREE_HPP
#define UAT_SMALL_QUADTREE_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace quadtree
{
constexpr int64_t n = 60000, leaf = 32, together = 2048; /* n: points; leaf: maximum points of a leaf; together: of a
                                                          * task */

struct Point {
    float x, y;
};

/* Points [first, end), which lie in a square. */
struct Part {
    int64_t first, end;
    float x, y, edge;
    int depth;
};

/* Point i. The points are denser near the corner (0, 0). */
inline Point point(int64_t i)
{
    float x = float(splitmix(uint64_t(2 * i)) >> 40) * 0x1p-24f,
          y = float(splitmix(uint64_t(2 * i + 1)) >> 40) * 0x1p-24f;
    return {x * x, y * y};
}

/* Divides the part's points, p, among its four quarters. */
inline void divide(const Part &part, Point *p, Part *quarter)
{
    float half = part.edge / 2, x = part.x + half, y = part.y + half;
    auto below = [=](const Point &q) { return q.y < y; };
    auto left = [=](const Point &q) { return q.x < x; };
    Point *end = p + (part.end - part.first), *middle = std::partition(p, end, below);
    Point *cut[] = {p, std::partition(p, middle, left), middle, std::partition(middle, end, left), end};
    for (int q = 0; q < 4; q++)
        quarter[q] = {part.first + (cut[q] - p),
                      part.first + (cut[q + 1] - p),
                      q % 2 ? x : part.x,
                      q / 2 ? y : part.y,
                      half,
                      part.depth + 1};
}

struct Node {
    Node *child[4] = {}; /* all null in a leaf */
    int64_t points = 0;
};

inline double plain_build(const Part &part, std::vector<Point> &points, Node *&node)
{
    node = new Node;
    node->points = part.end - part.first;
    if (node->points <= leaf)
        return double((part.depth + 1) * node->points);
    Part quarter[4];
    double sum = 0;
    divide(part, &points[size_t(part.first)], quarter);
    for (int q = 0; q < 4; q++)
        sum += plain_build(quarter[q], points, node->child[q]);
    return sum;
}

inline void plain_free(Node *node)
{
    for (Node *child : node->child)
        if (child)
            plain_free(child);
    delete node;
}

inline double plain()
{
    std::vector<Point> points(n);
    Node *root = nullptr;
    for (int64_t i = 0; i < n; i++)
        points[size_t(i)] = point(i);
    double sum = plain_build({0, n, 0, 0, 1, 0}, points, root);
    plain_free(root);
    return sum;
}
} // namespace quadtree

#endif
