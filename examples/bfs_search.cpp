/* SPDX-License-Identifier: MIT */
/*
 * Search level by level, in two ways (Beamer, Asanovic and Patterson, SC'12). Bottom-up: a loop over all vertices; each
 * vertex outside the tree looks for a neighbour in the last level. An iteration writes only its own words, so the loop
 * needs no atomics. Top-down, for levels with few edges: the neighbours of the last level join the tree. Each task
 * reads all edges of the level, and adds the vertices that are in its own part of the bitmaps.
 */
#include "examples/bfs_search.hpp"

#include <algorithm>
#include <functional>

namespace bfs
{
namespace
{

constexpr uint64_t piece = 256;   /* maximum neighbours to check out at once */
constexpr uint64_t words = 4;     /* bitmap words per block; loops over all vertices go block by block */
constexpr uint64_t shared = 4096; /* a top-down level with fewer edges (some 50 us of work) is one task */
constexpr uint64_t parts_max = 8; /* maximum tasks of a top-down level */

uint64_t blocks_of(const Search &s)
{
    return (s.seen.size() + words - 1) / words;
}

/* The parts of the arrays that belong to the vertices of block b. The part of `offset` has one more element. */
template <class T> uat::span<T> bitmap_of(uat::span<T> map, uint64_t b)
{
    return map.subspan(words * b, words);
}
template <class T> uat::span<T> rows_of(uat::span<T> array, uint64_t b, uint64_t more = 0)
{
    return array.subspan(64 * words * b, 64 * words + more);
}

/* This worker starts a loop with this block. The block's words are near, and the worker has used them in the previous
 * level. */
uint64_t first_block(const Search &s)
{
    return blocks_of(s) * uint64_t(uat_rank()) / uint64_t(uat_size());
}

/* The first of a row's neighbours that is also in the map. If there is none, returns kronecker::none. */
uint32_t neighbour_in(const uint64_t *map, uat::span<uint32_t> row)
{
    for (; !row.empty(); row = row.subspan(piece))
        for (uint32_t v : row.first(piece).read())
            if (has(map, v))
                return v;
    return kronecker::none;
}

/* Add the vertices of block b that have a neighbour in the last level and are not seen yet. */
Found bottom_up(const Search &s, uint64_t b, const uint64_t *last)
{
    auto offset = rows_of(s.g.offset, b, 1).read();
    auto parent = rows_of(s.parent, b).update();
    auto next = bitmap_of(s.next, b).write(), seen = bitmap_of(s.seen, b).update();
    Found found = {};

    for (uint64_t w = 0; w < next.size(); w++) {
        uint64_t now = 0;
        for (uint64_t left = ~seen[w]; left; left &= left - 1) {
            uint64_t v = 64 * w + uint64_t(__builtin_ctzll(left)), edges = offset[v + 1] - offset[v];
            uint32_t hit = neighbour_in(last, s.g.neighbour.subspan(offset[v], edges));
            if (hit == kronecker::none)
                continue;
            parent[v] = hit;
            now |= left & -left;
            found = found + Found{1, edges};
        }
        next[w] = now;
        seen[w] |= now;
    }
    return found;
}

Found search_bottom_up(const Search &s)
{
    return uat::parallel_reduce_ranges(0, int64_t(blocks_of(s)), Found{}, std::plus<>(),
                                       [s, first = first_block(s)](int64_t begin, int64_t end, Found found) {
                                           auto last = s.last.read();
                                           for (auto i = uint64_t(begin); i < uint64_t(end); i++)
                                               found = found + bottom_up(s, (i + first) % blocks_of(s), last.data());
                                           return found;
                                       });
}

/* The words of the bitmaps, from word `first` on, that a task has checked out. The task may add the vertices of these
 * words. */
struct Part {
    uint64_t first;
    uat::checkout<uint64_t> next, seen;
};

/* Make a vertex a child of v unless the vertex is seen. w: the vertex's number, counted from the part's first
 * vertex. */
void adopt(const Search &s, const Part &part, uint64_t w, uint32_t v, Found &found)
{
    if (has(part.seen.data(), w))
        return;
    add(part.seen.data(), w);
    add(part.next.data(), w);
    s.parent.put(64 * part.first + w, v);
    auto offset = s.g.offset.subspan(64 * part.first + w, 2).read();
    found = found + Found{1, offset[1] - offset[0]};
}

/* Make each neighbour of v that is in the part a child of v. */
void adopt_neighbours(const Search &s, const Part &part, uint32_t v, Found &found)
{
    uint32_t first = uint32_t(64 * part.first), vertices = uint32_t(64 * part.next.size()), mine[piece];
    uint64_t begin = s.g.offset.get(v), end = s.g.offset.get(v + 1);

    for (auto row = s.g.neighbour.subspan(begin, end - begin); !row.empty(); row = row.subspan(piece)) {
        size_t n = 0;
        for (uint32_t u : row.first(piece).read()) { /* without branches, because every task reads all edges of the
                                                      * level */
            mine[n] = u - first;
            n += u - first < vertices;
        }
        for (size_t i = 0; i < n; i++)
            adopt(s, part, mine[i], v, found);
    }
}

Found top_down(const Search &s, uint64_t begin, uint64_t end)
{
    auto last = s.last.read();
    Part part = {begin, s.next.subspan(begin, end - begin).write(), s.seen.subspan(begin, end - begin).update()};
    Found found = {};

    std::fill(part.next.begin(), part.next.end(), 0);
    for (uint64_t w = 0; w < last.size(); w++)
        for (uint64_t left = last[w]; left; left &= left - 1)
            adopt_neighbours(s, part, uint32_t(64 * w) + uint32_t(__builtin_ctzll(left)), found);
    return found;
}

/* Search one level top-down: in a single part if the level has few edges, else in one part per worker. There are at
 * most parts_max parts, because each part reads all edges. */
Found search_top_down(const Search &s, uint64_t edges)
{
    uint64_t size = s.seen.size(), first = uint64_t(uat_rank());
    uint64_t parts = edges < shared ? 1 : std::min({uint64_t(uat_size()), size, parts_max});

    return uat::parallel_reduce(0, int64_t(parts), Found{}, std::plus<>(), [=](int64_t i) {
        uint64_t k = (uint64_t(i) + first) % parts;
        return top_down(s, size * k / parts, size * (k + 1) / parts);
    });
}

/* Prepare block b for a search: no vertex has a parent. Mark vertices without edges, and bits beyond the last vertex,
 * as seen. */
void clear(const Search &s, uint64_t b)
{
    auto offset = rows_of(s.g.offset, b, 1).read();
    auto parent = rows_of(s.parent, b).write();
    auto last = bitmap_of(s.last, b).write(), seen = bitmap_of(s.seen, b).write();

    std::fill(parent.begin(), parent.end(), kronecker::none);
    std::fill(last.begin(), last.end(), 0);
    for (uint64_t w = 0; w < seen.size(); w++) {
        uint64_t v = 64 * w, count = std::min<uint64_t>(parent.size() - v, 64),
                 word = count < 64 ? ~UINT64_C(0) << count : 0;
        for (uint64_t i = 0; i < count; i++)
            word |= uint64_t(offset[v + i] == offset[v + i + 1]) << i;
        seen[w] = word;
    }
}

void search(Search s, uint32_t root)
{
    Found found = {1, 0};

    uat::parallel_for(0, int64_t(blocks_of(s)),
                      [s, first = first_block(s)](int64_t i) { clear(s, (uint64_t(i) + first) % blocks_of(s)); });
    add(s.seen.subspan(root / 64, 1).update().data(), root % 64);
    add(s.last.subspan(root / 64, 1).update().data(), root % 64);
    s.parent.put(root, root);
    uint64_t left = s.g.offset.get(s.g.vertices); /* edges of the root and of vertices that are not in the tree */
    while (found.vertices) {
        bool top_down = found.edges < left / few / uint64_t(uat_size());
        found = top_down ? search_top_down(s, found.edges) : search_bottom_up(s);
        left -= found.edges;
        std::swap(s.next, s.last);
    }
}

} // namespace

Search::Search(const kronecker::Graph &graph) : g(graph), parent(kronecker::make_array<uint32_t>(g.vertices))
{
    for (auto map : {&last, &next, &seen})
        *map = kronecker::make_array<uint64_t>((g.vertices + 63) / 64, (g.vertices + 7) / 8);
}

void Search::run(uint32_t root) const
{
    uat::run(search, *this, root);
}

} // namespace bfs
