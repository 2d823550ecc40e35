/* SPDX-License-Identifier: MIT */
#include "examples/kronecker.h"

#include <errno.h>
#include <string.h>

#include "examples/splitmix.h"
#include "uat/pattern.h"

enum { CHUNK = 512 /* edges or vertices that are checked out at once */ };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A permutation of the numbers below 2^scale: multiplications by odd numbers, and shifts, can be undone. */
static uint32_t scrambled(uint32_t v, int scale, uint64_t seed)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << scale) - 1);

    for (uint64_t round = 0; round < 4; round++) {
        uint64_t key = splitmix(seed ^ round << 56);
        v = (uint32_t)(v * (key | 1) + (key >> 32)) & mask;
        v ^= v >> (scale + 1) / 2;
    }
    return v;
}

/* The four initiator probabilities are .57, .19, .19 and .05. Edges are independent, so their order needs no
 * permutation. */
struct edge kronecker_edge(int scale, uint64_t seed, int64_t i)
{
    const double ab = 0.76, a_norm = 0.57 / 0.76, c_norm = 0.19 / 0.24;
    uint64_t state = splitmix(seed) ^ (uint64_t)i * 0xd1342543de82ef95u;
    struct edge e = {0, 0};

    for (int bit = 0; bit < scale; bit++) {
        uint64_t x = splitmix(state += SPLITMIX_STEP);
        bool down = (double)(x >> 32) * 0x1p-32 > ab;
        bool right = (double)(x & UINT32_MAX) * 0x1p-32 > (down ? c_norm : a_norm);
        e.u |= (uint32_t)down << bit;
        e.v |= (uint32_t)right << bit;
    }
    return (struct edge){scrambled(e.u, scale, seed), scrambled(e.v, scale, seed)};
}

/* What the tasks of construction get. */
struct making {
    struct graph g;
    int scale;
    uint64_t seed;
};

static void fill(int64_t begin, int64_t end, const void *arg)
{
    const struct making *m = arg;

    for (int64_t at = begin; at < end; at += CHUNK) {
        int64_t count = smaller(end - at, CHUNK);
        struct edge *e = uat_global_checkout(m->g.edge + at, (size_t)count * sizeof(*e), UAT_WRITE);
        for (int64_t i = 0; i < count; i++)
            e[i] = kronecker_edge(m->scale, m->seed, at + i);
        uat_global_checkin(m->g.edge + at, (size_t)count * sizeof(*e), UAT_WRITE);
    }
}

UAT_TASK_VOID(generate, struct making, m)
{
    uat_for(0, m.g.edges, fill, &m, sizeof(m));
}

int kronecker_generate(struct graph *g, int scale, int edge_factor, uint64_t seed)
{
    size_t n = (size_t)1 << scale, m = n * (size_t)edge_factor;

    *g = (struct graph){.vertices = (int64_t)n, .edges = (int64_t)m};
    /* The first one that there is no memory for is reported; no other is asked for. */
    if (!(g->edge = uat_global_alloc(m * sizeof(*g->edge), UAT_BLOCKED, 0)) ||
        !(g->offset = uat_global_alloc((n + 1) * sizeof(*g->offset), UAT_BLOCKED, 0)) ||
        !(g->neighbour = uat_global_alloc(2 * m * sizeof(*g->neighbour), UAT_BLOCKED, 0)) ||
        !(g->cursor = uat_global_alloc(n * sizeof(*g->cursor), UAT_BLOCKED, 0)) ||
        !(g->witness = uat_global_alloc(n * sizeof(*g->witness), UAT_BLOCKED, 0)))
        return -ENOMEM;
    return generate_run((struct making){*g, scale, seed});
}

/* Call f for each edge of [begin, end) that is no loop, from a copy. */
static inline void each_edge(const struct graph *g, int64_t begin, int64_t end,
                             void (*f)(const struct graph *, struct edge))
{
    struct edge e[CHUNK];

    for (int64_t at = begin; at < end; at += CHUNK) {
        int64_t count = smaller(end - at, CHUNK);
        uat_global_get(e, g->edge + at, (size_t)count * sizeof(*e));
        for (int64_t i = 0; i < count; i++)
            if (e[i].u != e[i].v)
                f(g, e[i]);
    }
}

static inline void count_edge(const struct graph *g, struct edge e)
{
    uat_atomic_add(&g->cursor[e.u], 1);
    uat_atomic_add(&g->cursor[e.v], 1);
}

static inline void place_neighbour(const struct graph *g, uint32_t u, uint32_t v)
{
    int64_t first;
    uint64_t left = uat_atomic_fetch_add(&g->cursor[u], UINT64_MAX); /* less 1 */

    uat_global_get(&first, g->offset + u, sizeof(first));
    uat_global_put(g->neighbour + first + left - 1, &v, sizeof(v));
}

static inline void place_edge(const struct graph *g, struct edge e)
{
    place_neighbour(g, e.u, e.v);
    place_neighbour(g, e.v, e.u);
}

static void count_edges(int64_t begin, int64_t end, const void *arg)
{
    each_edge(arg, begin, end, count_edge);
}

static void place_edges(int64_t begin, int64_t end, const void *arg)
{
    each_edge(arg, begin, end, place_edge);
}

/* Degrees are summed, and in the scan's second pass become offsets: `write` says which. */
static inline void degrees(int64_t begin, int64_t end, int64_t *sum, const struct graph *g, bool write)
{
    uint64_t degree[CHUNK];

    for (int64_t at = begin; at < end; at += CHUNK) {
        int64_t count = smaller(end - at, CHUNK);
        uat_global_get(degree, g->cursor + at, (size_t)count * sizeof(*degree)); /* nobody changes them now */
        int64_t *offset =
            write ? uat_global_checkout(g->offset + at, (size_t)count * sizeof(*offset), UAT_WRITE) : NULL;
        for (int64_t i = 0; i < count; i++) {
            if (write)
                offset[i] = *sum;
            *sum += (int64_t)degree[i];
        }
        if (write)
            uat_global_checkin(g->offset + at, (size_t)count * sizeof(*offset), UAT_WRITE);
    }
}

static void add_degrees(int64_t begin, int64_t end, void *partial, const void *arg)
{
    degrees(begin, end, partial, arg, false);
}

static void write_offsets(int64_t begin, int64_t end, void *prefix, const void *arg)
{
    degrees(begin, end, prefix, arg, true);
}

static void add(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(int64_t *)left += *(const int64_t *)right;
}

UAT_TASK_VOID(construct, struct graph, g)
{
    static const int64_t zero = 0;
    const uat_reduction_t reduction = {add_degrees, add, &zero, sizeof(zero)};
    int64_t total;

    uat_for(0, g.edges, count_edges, &g, sizeof(g));
    uat_scan(0, g.vertices, &reduction, write_offsets, &g, sizeof(g), &total);
    uat_global_put(g.offset + g.vertices, &total, sizeof(total));
    uat_for(0, g.edges, place_edges, &g, sizeof(g));
}

int kronecker_construct(const struct graph *g)
{
    return construct_run(*g);
}

void kronecker_free(struct graph *g)
{
    uat_global_free(g->witness);
    uat_global_free(g->cursor);
    uat_global_free(g->neighbour);
    uat_global_free(g->offset);
    uat_global_free(g->edge);
    memset(g, 0, sizeof(*g));
}
