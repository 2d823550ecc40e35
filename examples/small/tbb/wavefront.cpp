/* SPDX-License-Identifier: MIT */
/* A flow graph with one node per block. */
#include "examples/small/wavefront.hpp"

#include <memory>

#include "examples/small/tbb/tbb.hpp"

using namespace wavefront;
using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

static void fill_block(std::vector<int32_t> &table, int64_t y, int64_t x)
{
    for (int64_t row = 1 + y * edge, column = 1 + x * edge; row <= (y + 1) * edge; row++)
        fill_line(row, column, &table[size_t((row - 1) * pitch + column)], table[size_t(row * pitch + column - 1)],
                  &table[size_t(row * pitch + column)]);
}

static double fill_all(std::vector<int32_t> &table)
{
    tbb::flow::graph graph;
    std::vector<std::unique_ptr<Node>> node(blocks * blocks);
    for (int64_t i = blocks * blocks - 1; i >= 0; i--) {
        int64_t y = i / blocks, x = i % blocks;
        node[size_t(i)] =
            std::make_unique<Node>(graph, [&table, y, x](const tbb::flow::continue_msg &) { fill_block(table, y, x); });
        if (y + 1 < blocks)
            tbb::flow::make_edge(*node[size_t(i)], *node[size_t(i + blocks)]);
        if (x + 1 < blocks)
            tbb::flow::make_edge(*node[size_t(i)], *node[size_t(i + 1)]);
    }
    node[0]->try_put(tbb::flow::continue_msg());
    graph.wait_for_all();
    return table.back();
}

int main(int argc, char **argv)
{
    workers limit;
    std::vector<int32_t> table(pitch * pitch);
    return small::compare(
        argc, argv, 0, "wavefront", [&] { return fill_all(table); }, plain);
}
