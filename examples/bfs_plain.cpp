/* SPDX-License-Identifier: MIT */
/* The same search as in bfs_search.cpp, written for one core. */
#include <algorithm>

#include "examples/bfs_search.hpp"

namespace bfs
{

template <class T> static std::vector<T> copy_of(uat::span<T> s)
{
    std::vector<T> copy(s.size());
    uat_global_get(copy.data(), s.data(), s.size() * sizeof(T));
    return copy;
}

Plain::Plain(const kronecker::Graph &g)
    : offset(copy_of(g.offset)), last((g.vertices + 63) / 64), next(last), seen(last),
      neighbour(copy_of(g.neighbour.first(offset.back()))), parent(g.vertices)
{
}

void Plain::reach(uint64_t v, uint64_t from, Found &found)
{
    parent[v] = uint32_t(from);
    add(seen.data(), v);
    add(next.data(), v);
    found.vertices++;
    found.edges += offset[v + 1] - offset[v];
}

Found Plain::top_down()
{
    Found found = {};
    for (size_t w = 0; w < last.size(); w++)
        for (uint64_t left = last[w]; left; left &= left - 1) {
            uint64_t v = 64 * w + uint64_t(__builtin_ctzll(left));
            for (uint64_t i = offset[v]; i < offset[v + 1]; i++)
                if (!has(seen.data(), neighbour[i]))
                    reach(neighbour[i], v, found);
        }
    return found;
}

Found Plain::bottom_up()
{
    Found found = {};
    for (size_t w = 0; w < seen.size(); w++)
        for (uint64_t left = ~seen[w]; left; left &= left - 1) {
            uint64_t v = 64 * w + uint64_t(__builtin_ctzll(left));
            auto end = neighbour.begin() + int64_t(offset[v + 1]);
            auto hit = std::find_if(neighbour.begin() + int64_t(offset[v]), end,
                                    [this](uint32_t u) { return has(last.data(), u); });
            if (hit != end)
                reach(v, *hit, found);
        }
    return found;
}

void Plain::run(uint32_t root)
{
    Found found = {1, 0};
    uint64_t left = offset.back();

    std::fill(parent.begin(), parent.end(), kronecker::none);
    std::fill(last.begin(), last.end(), 0);
    std::fill(seen.begin(), seen.end(), 0);
    for (size_t v = 0; v < 64 * seen.size(); v++)
        if (v >= parent.size() || offset[v] == offset[v + 1])
            add(seen.data(), v);
    parent[root] = root;
    add(seen.data(), root);
    add(last.data(), root);
    while (found.vertices) {
        std::fill(next.begin(), next.end(), 0);
        found = found.edges < left / few ? top_down() : bottom_up();
        left -= found.edges;
        last.swap(next);
    }
}

} // namespace bfs
