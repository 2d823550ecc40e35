/* SPDX-License-Identifier: MIT */
#include "examples/kronecker.hpp"

#include "examples/splitmix.h"

namespace kronecker
{

/* A permutation of the numbers below 2^scale: multiplications by odd numbers and xor-shifts are invertible. */
static uint32_t scrambled(uint32_t v, int scale, uint64_t seed)
{
    uint32_t mask = uint32_t((UINT64_C(1) << scale) - 1);

    for (uint64_t round = 0; round < 4; round++) {
        uint64_t key = splitmix(seed ^ round << 56);
        v = uint32_t(v * (key | 1) + (key >> 32)) & mask;
        v ^= v >> (scale + 1) / 2;
    }
    return v;
}

/* The four initiator probabilities are .57, .19, .19 and .05. Edges are independent, so their order needs no
 * permutation. */
Edge make_edge(int scale, uint64_t seed, uint64_t i)
{
    const double ab = 0.76, a_norm = 0.57 / 0.76, c_norm = 0.19 / 0.24;
    uint64_t state = splitmix(seed) ^ i * 0xd1342543de82ef95u;
    Edge e = {0, 0};

    for (int bit = 0; bit < scale; bit++) {
        uint64_t x = splitmix(state += SPLITMIX_STEP);
        bool down = double(x >> 32) * 0x1p-32 > ab;
        bool right = double(x & UINT32_MAX) * 0x1p-32 > (down ? c_norm : a_norm);
        e.u |= uint32_t(down) << bit;
        e.v |= uint32_t(right) << bit;
    }
    return {scrambled(e.u, scale, seed), scrambled(e.v, scale, seed)};
}

Graph allocate(uint64_t vertices, uint64_t edges)
{
    return {vertices,
            make_array<Edge>(edges),
            make_array<uint64_t>(vertices + 1),
            make_array<uint32_t>(2 * edges),
            make_array<uint64_t>(vertices),
            make_array<uint64_t>(vertices)};
}

void generate(const Graph &g, int scale, uint64_t seed)
{
    uat::run([=] { uat::tabulate(g.edge, [=](size_t i) { return make_edge(scale, seed, i); }); });
}

/* Three runs. The first and the last one use the cursors as atomic words, and the second one uses them as plain data. A
 * single run must not do both. */
void construct(const Graph &g)
{
    uat::span<const Edge> edges = g.edge;

    uat::run([=] {
        uat::for_each(edges, [g](Edge e) {
            if (e.u != e.v) {
                g.cursor.atomic(e.u).add(1);
                g.cursor.atomic(e.v).add(1);
            }
        });
    });
    uat::run([g] { g.offset.put(g.vertices, uat::exclusive_scan(g.cursor, g.offset.first(g.vertices))); });
    uat::run([=] {
        auto place = [g](uint32_t u, uint32_t v) {
            uint64_t left = g.cursor.atomic(u).fetch_sub(1);
            g.neighbour.put(g.offset.get(u) + left - 1, v);
        };
        uat::for_each(edges, [place](Edge e) {
            if (e.u != e.v) {
                place(e.u, e.v);
                place(e.v, e.u);
            }
        });
    });
}

} // namespace kronecker
