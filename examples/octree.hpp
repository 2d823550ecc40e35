/* SPDX-License-Identifier: MIT */
/*
 * An octree over bodies in global memory, built in parallel. A task sorts its bodies by octants, spawns a task for each
 * of the eight octants, and allocates its cell on the worker that runs it now. With Plain instead of Global, the same
 * code is the sequential program.
 */
#ifndef UAT_OCTREE_HPP
#define UAT_OCTREE_HPP

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "uat.hpp"

namespace octree
{

constexpr int leaf = 16;       /* a cell with at most this number of bodies is a leaf */
constexpr int together = 1024; /* a cell with at most this number of bodies is built by one task */
constexpr int chunk = 256;     /* maximum bodies to check out at once */
constexpr int depth_max = 50;  /* limits the depth if bodies are at the same place */

struct Vector {
    double x, y, z;
};

inline Vector operator+(Vector a, Vector b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vector operator-(Vector a, Vector b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector operator*(double s, Vector a)
{
    return {s * a.x, s * a.y, s * a.z};
}
inline double square(Vector a)
{
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

struct Body {
    Vector x;
    double mass;
    int64_t id; /* the body's place in motion[] */
};
struct Motion {
    Vector v, a;
};

struct Cell;

/* An octant of a cell: mass, centre of mass, and either a cell or the bodies of a leaf. */
struct Octant {
    Vector centre;
    double mass;
    Cell *cell; /* null: a leaf */
    int64_t first, count;
};
struct Cell {
    Octant octant[8];
};

/* Bodies to be built into an octant. */
struct Range {
    int64_t first, count;
    Vector middle;
    double half; /* of the edge */
    int depth;   /* odd: the bodies are in `other` */
};

/* All data. Arrays have the same addresses on all ranks. */
struct World {
    Body *body, *sorted, *other; /* body: by id; sorted: in the tree's order; other: scratch space for building the
                                  * tree */
    Motion *motion;              /* by id */
    Octant root;
    double edge, theta; /* edge: of the root; theta: maximum ratio of a cell's size to its distance */
};

/* Memory of the parallel program. Code checks it out while using it. */
struct Global {
    template <class T> static T *open(T *p, int64_t count, uat_access access)
    {
        return static_cast<T *>(uat_global_checkout(p, size_t(count) * sizeof(T), access));
    }
    template <class T> static void close(T *p, int64_t count, uat_access access)
    {
        uat_global_checkin(p, size_t(count) * sizeof(T), access);
    }
    static Cell *make(const Cell &cell)
    {
        return uat::make_object<Cell>(cell).get();
    }
};

/* Memory of the sequential program. */
struct Plain {
    template <class T> static T *open(T *p, int64_t, uat_access)
    {
        return p;
    }
    template <class T> static void close(T *, int64_t, uat_access)
    {
    }
    static inline std::vector<std::unique_ptr<Cell>> cells;
    static Cell *make(const Cell &cell)
    {
        return cells.emplace_back(std::make_unique<Cell>(cell)).get();
    }
};

/* Call f(elements, count, index of the first) for each chunk of [first, first + count). The chunk is checked out during
 * the call. */
template <class M, class T, class F> void each_chunk(T *array, int64_t first, int64_t count, uat_access access, F f)
{
    for (int64_t at = first; at < first + count; at += chunk) {
        int64_t now = std::min<int64_t>(chunk, first + count - at);
        f(M::open(array + at, now, access), now, at);
        M::close(array + at, now, access);
    }
}

inline int octant_of(const Range &r, Vector x)
{
    return (x.x >= r.middle.x) + 2 * (x.y >= r.middle.y) + 4 * (x.z >= r.middle.z);
}

/* Sort a range of bodies by octants into the other array. part[8]: on return, the octants' ranges. */
template <class M> void divide(const World &w, const Range &r, Range *part)
{
    Body *from = r.depth % 2 ? w.other : w.sorted, *to = r.depth % 2 ? w.sorted : w.other;
    int64_t next[8], count[8] = {};
    each_chunk<M>(from, r.first, r.count, UAT_READ, [&](const Body *b, int64_t bodies, int64_t) {
        for (int64_t i = 0; i < bodies; i++)
            count[octant_of(r, b[i].x)]++;
    });
    int64_t at = r.first;
    for (int o = 0; o < 8; o++) {
        double h = r.half / 2;
        Vector shift = {o & 1 ? h : -h, o & 2 ? h : -h, o & 4 ? h : -h};
        part[o] = Range{at, count[o], r.middle + shift, h, r.depth + 1};
        next[o] = at;
        at += count[o];
    }
    each_chunk<M>(from, r.first, r.count, UAT_READ, [&](const Body *b, int64_t bodies, int64_t) {
        for (int64_t i = 0; i < bodies; i++) {
            Body *place = to + next[octant_of(r, b[i].x)]++, *p = M::open(place, 1, UAT_WRITE);
            *p = b[i];
            M::close(place, 1, UAT_WRITE);
        }
    });
}

/* Make a leaf. Move the leaf's bodies to `sorted` if they are not there. */
template <class M> Octant make_leaf(const World &w, const Range &r)
{
    Octant o = {{0, 0, 0}, 0, nullptr, r.first, r.count};
    Body *from = r.depth % 2 ? w.other : w.sorted;
    each_chunk<M>(from, r.first, r.count, UAT_READ, [&](const Body *b, int64_t count, int64_t at) {
        for (int64_t i = 0; i < count; i++) {
            o.centre = o.centre + b[i].mass * b[i].x;
            o.mass += b[i].mass;
        }
        if (from == w.sorted)
            return;
        std::memcpy(static_cast<void *>(M::open(w.sorted + at, count, UAT_WRITE)), b, size_t(count) * sizeof(*b));
        M::close(w.sorted + at, count, UAT_WRITE);
    });
    o.centre = (1 / o.mass) * o.centre;
    return o;
}

template <class M> Octant build(const World &w, const Range &r)
{
    if (r.count <= leaf || r.depth >= depth_max)
        return r.count ? make_leaf<M>(w, r) : Octant{};
    Range part[8];
    Octant o = {{0, 0, 0}, 0, nullptr, r.first, r.count};
    Cell inner;
    divide<M>(w, r, part);
    if (std::is_same<M, Global>::value && r.count > together) {
        auto task = [&](int i) { return [w, r = part[i]] { return build<Global>(w, r); }; };
        inner =
            std::apply([](auto... octant) { return Cell{{octant...}}; },
                       uat::parallel_invoke(task(0), task(1), task(2), task(3), task(4), task(5), task(6), task(7)));
    } else {
        for (int i = 0; i < 8; i++)
            inner.octant[i] = build<M>(w, part[i]);
    }
    o.cell = M::make(inner); /* after the joins, so that the cell is near the worker that now runs the task */
    for (const Octant &i : inner.octant) {
        o.centre = o.centre + i.mass * i.centre;
        o.mass += i.mass;
    }
    o.centre = (1 / o.mass) * o.centre;
    return o;
}

/* Attraction by a mass at distance d, softened (Plummer 1911). */
inline Vector pull(Vector d, double mass)
{
    double q = square(d) + 1e-6, s = std::sqrt(q);
    return (mass / (q * s)) * d;
}

/* The acceleration at x. An octant that is small compared with its distance counts as one body. */
template <class M> Vector force(const World &w, Vector x)
{
    struct Open {
        Cell *cell;
        double edge;
    } stack[8 * depth_max];
    int height = 0;
    Vector a = {0, 0, 0};
    stack[height++] = {w.root.cell, w.edge};
    while (height) {
        Open o = stack[--height];
        double edge = o.edge / 2;
        const Cell *cell = M::open(o.cell, 1, UAT_READ);
        for (const Octant &i : cell->octant) {
            Vector d = i.centre - x;
            if (i.mass == 0)
                continue;
            if (edge * edge < w.theta * w.theta * square(d)) {
                a = a + pull(d, i.mass);
            } else if (i.cell) {
                stack[height++] = {i.cell, edge};
            } else {
                each_chunk<M>(w.sorted, i.first, i.count, UAT_READ, [&](const Body *b, int64_t count, int64_t) {
                    for (int64_t k = 0; k < count; k++)
                        a = a + pull(b[k].x - x, b[k].mass);
                });
            }
        }
        M::close(o.cell, 1, UAT_READ);
    }
    return a;
}

} // namespace octree

#endif
