/* SPDX-License-Identifier: MIT */
/*
 * Small fork-join programs on one host, written once for all systems: uat, oneTBB, GCC's OpenMP, and plain C++. The
 * programs are those of the public comparisons of task libraries. perf/measure published runs them.
 *
 * A system is a class S with these static functions. All calls are made inside S's own parallel region.
 *     both(f, g)            runs f() and g() in parallel. Returns their sum.
 *     children<Max>(n, f)   runs f(0) to f(n - 1) in parallel, n <= Max. Returns the sum.
 *     sum(n, grain, f)      a parallel loop: the sum of f(begin, end) over parts of [0, n).
 *     scan(in, out, n)      out[i] = in[0] + ... + in[i].
 * A function is passed by value and captures only values, because in uat it may start on another worker's stack. All
 * functions return answer.
 */
#ifndef TASKS_HPP
#define TASKS_HPP

#include <cstdint>

extern "C" {
#include "perf/uts_tree.h"
}

namespace tasks
{

/* The answer of a program. The integers among the answers are exact: they have at most 53 bits. */
using answer = double;

/* A node of the tree that the program `tree` sums. */
struct node {
    std::int64_t value;
    const node *left, *right;
};

/* The input of a program, in memory that all workers can access. A program uses the arrays that it needs. */
struct input {
    std::int64_t size;
    struct uat_uts_tree uts;
    std::uint32_t *a, *b, *c; /* matrices of size * size */
    std::uint64_t *in, *out;  /* `size` numbers */
    node *nodes;              /* 2^size - 1 nodes in preorder */
};

enum { QUEENS_MAX = 16, SKYNET_CHILDREN = 10, MATRIX_LEAF = 32, PRIMES_GRAIN = 1000, FOLD_GRAIN = 1000 };

template <class S> answer fib(std::int64_t n)
{
    if (n < 2)
        return answer(n);
    return S::both([=] { return fib<S>(n - 1); }, [=] { return fib<S>(n - 2); });
}

/* The sum of the numbers of all leaves: ten children for each task, down to single leaves. */
template <class S> answer skynet(std::int64_t first, std::int64_t leaves)
{
    if (leaves == 1)
        return answer(first);
    return S::template children<SKYNET_CHILDREN>(SKYNET_CHILDREN, [=](int i) {
        std::int64_t part = leaves / SKYNET_CHILDREN;
        return skynet<S>(first + i * part, part);
    });
}

struct board {
    std::int8_t queen[QUEENS_MAX];
};

inline bool attacked(const board &b, int row, int column)
{
    for (int i = 0; i < row; i++)
        if (b.queen[i] == column || b.queen[i] - column == row - i || column - b.queen[i] == row - i)
            return true;
    return false;
}

/* The number of ways to place the queens of rows `row` to size - 1: a task for each column without an attack. */
template <class S> answer queens(board b, int row, int size)
{
    board columns = {};
    int n = 0;
    if (row == size)
        return 1;
    for (int column = 0; column < size; column++)
        if (!attacked(b, row, column))
            columns.queen[n++] = std::int8_t(column);
    return S::template children<QUEENS_MAX>(n, [=](int i) {
        board next = b;
        next.queen[row] = columns.queen[i];
        return queens<S>(next, row + 1, size);
    });
}

inline double cubic(double x)
{
    return (x * x + 1) * x;
}

/* The integral of cubic() from x1 to x2 by trapezoids. `area` is the trapezoid of the whole interval. A task halves its
 * interval until the two halves change the area by less than 1e-9. */
template <class S> answer integrate(double x1, double y1, double x2, double y2, double area)
{
    double x = x1 + (x2 - x1) / 2, y = cubic(x);
    double left = (y1 + y) / 2 * (x - x1), right = (y + y2) / 2 * (x2 - x), change = left + right - area;
    if (change < 1e-9 && -change < 1e-9)
        return left + right;
    return S::both([=] { return integrate<S>(x1, y1, x, y, left); }, [=] { return integrate<S>(x, y, x2, y2, right); });
}

/* The sum of the values below a node. */
template <class S> answer sum_tree(const node *n)
{
    answer own = answer(n->value);
    if (!n->left)
        return own;
    const node *left = n->left, *right = n->right;
    return own + S::both([=] { return sum_tree<S>(left); }, [=] { return sum_tree<S>(right); });
}

/* The number of nodes below children first to end - 1 of a node: a task for each child and for each half of a range. */
template <class S> answer search(const uat_uts_tree *tree, uat_uts_node parent, std::uint32_t first, std::uint32_t end)
{
    answer nodes = 0;
    while (end - first == 1) {
        uat_uts_node child;
        uat_uts_child(tree, &parent, first, &child);
        parent = child;
        first = 0;
        end = uat_uts_children(tree, &parent);
        nodes++;
    }
    if (end == 0)
        return nodes;
    std::uint32_t middle = first + (end - first) / 2;
    return nodes + S::both([=] { return search<S>(tree, parent, first, middle); },
                           [=] { return search<S>(tree, parent, middle, end); });
}

/* Add the product of two tiles of n x n elements to a third one. `pitch`: elements from one row to the next. */
inline void multiply_tile(const std::uint32_t *a, const std::uint32_t *b, std::uint32_t *c, std::int64_t n,
                          std::int64_t pitch)
{
    for (std::int64_t i = 0; i < n; i++)
        for (std::int64_t k = 0; k < n; k++)
            for (std::int64_t j = 0; j < n; j++)
                c[i * pitch + j] += a[i * pitch + k] * b[k * pitch + j];
}

/* c += a b, by quadrants: four tasks for the left columns of a, then four for the right columns. */
template <class S>
answer multiply(const std::uint32_t *a, const std::uint32_t *b, std::uint32_t *c, std::int64_t n, std::int64_t pitch)
{
    if (n <= MATRIX_LEAF) {
        multiply_tile(a, b, c, n, pitch);
        return 0;
    }
    std::int64_t half = n / 2;
    for (std::int64_t k = 0; k < 2; k++)
        S::template children<4>(4, [=](int quadrant) {
            std::int64_t i = quadrant / 2, j = quadrant % 2;
            return multiply<S>(a + (i * pitch + k) * half, b + (k * pitch + j) * half, c + (i * pitch + j) * half, half,
                               pitch);
        });
    return 0;
}

inline bool is_prime(std::int64_t n)
{
    if (n < 4 || n % 2 == 0 || n % 3 == 0)
        return n == 2 || n == 3;
    for (std::int64_t i = 5; i * i <= n; i += 6)
        if (n % i == 0 || n % (i + 2) == 0)
            return false;
    return true;
}

inline answer count_primes(std::int64_t begin, std::int64_t end)
{
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; i++)
        count += is_prime(i);
    return answer(count);
}

inline answer sum_range(const std::uint64_t *in, std::int64_t begin, std::int64_t end)
{
    std::uint64_t sum = 0;
    for (std::int64_t i = begin; i < end; i++)
        sum += in[i];
    return answer(sum);
}

enum program { FIB, SKYNET, QUEENS, INTEGRATE, TREE, T3, T3L, MATMUL, PRIMES, FOLD, SCAN, PROGRAMS };

/* Run a program in the system S. */
template <class S> answer compute(program which, const input *in)
{
    std::int64_t n = in->size;
    switch (which) {
    case FIB:
        return fib<S>(n);
    case SKYNET:
        return skynet<S>(0, n);
    case QUEENS:
        return queens<S>(board(), 0, int(n));
    case INTEGRATE:
        return integrate<S>(0, 0, double(n), cubic(double(n)), 0);
    case TREE:
        return sum_tree<S>(in->nodes);
    case T3:
    case T3L: {
        uat_uts_node root;
        uat_uts_root(&in->uts, &root);
        return 1 + search<S>(&in->uts, root, 0, uat_uts_children(&in->uts, &root));
    }
    case MATMUL:
        return multiply<S>(in->a, in->b, in->c, n, n);
    case PRIMES:
        return S::sum(n, PRIMES_GRAIN, [](std::int64_t begin, std::int64_t end) { return count_primes(begin, end); });
    case FOLD: {
        const std::uint64_t *numbers = in->in;
        return S::sum(n, FOLD_GRAIN,
                      [=](std::int64_t begin, std::int64_t end) { return sum_range(numbers, begin, end); });
    }
    case SCAN:
        S::scan(in->in, in->out, n);
        return 0;
    case PROGRAMS:
        break;
    }
    return -1;
}

} // namespace tasks

#endif
