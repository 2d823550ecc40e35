/* SPDX-License-Identifier: MIT */
/*
 * Compares programs in global memory with their plain sequential forms. There are two kinds of programs: sorts of input
 * that has a pattern, in C++ and in C; and same-fringe, by generators over trees of objects. Prints the ratios of
 * processor times as JSON. Each ratio is the median of the rounds. Same-fringe has two plain forms: one uses the same
 * generators, and the other uses a stack for each tree.
 * usage: uatrun -n 1 rival-beside ROUNDS
 */
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <uat.hpp>

#include "tests/mix.h"

namespace
{

enum { ELEMENTS = 500000, PATTERNS = 5, STACK = 32768 };
const std::array<const char *, PATTERNS> names = {"random", "sorted", "reversed", "organ-pipe", "few distinct"};
using word = std::int64_t;

/* The processor time of f(). Wall time would include the time of other programs that preempt this process. */
template <class F> double seconds_of(F f)
{
    std::clock_t begin = std::clock();
    f();
    return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

[[noreturn]] void wrong(const char *what)
{
    std::fprintf(stderr, "rival-beside: wrong answer: %s\n", what);
    std::exit(1);
}

word element(int pattern, word i)
{
    word random = word(mix(std::uint64_t(i)) >> 1);
    const std::array<word, PATTERNS> all = {random, i, ELEMENTS - i, std::min<word>(i, ELEMENTS - i), random % 16};
    return all[std::size_t(pattern)];
}

int compare(const void *a, const void *b)
{
    word x = *static_cast<const word *>(a), y = *static_cast<const word *>(b);
    return (x > y) - (x < y);
}

int compare_with(const void *a, const void *b, const void *)
{
    return compare(a, b);
}

/* Sort a pattern once by the given library function, and once by uat's function. Returns the ratio of the times. */
double sort_once(int pattern, bool in_c, uat::span<word> global)
{
    std::vector<word> plain(ELEMENTS);
    for (word i = 0; i < ELEMENTS; i++)
        plain[std::size_t(i)] = element(pattern, i);
    uat::run([=] { uat::tabulate(global, [=](std::size_t i) { return element(pattern, word(i)); }); });
    double own = seconds_of([&] {
        if (in_c)
            uat::run([=] { uat_sort(global.data(), global.size(), sizeof(word), compare_with, nullptr, 0); });
        else
            uat::run([=] { uat::sort(global); });
    });
    double other = seconds_of([&] {
        if (in_c)
            std::qsort(plain.data(), plain.size(), sizeof(word), compare);
        else
            std::sort(plain.begin(), plain.end());
    });
    for (std::size_t i = 0; i < ELEMENTS; i += 997)
        if (global.get(i) != plain[i])
            wrong(names[std::size_t(pattern)]);
    return own / other;
}

/* A node of a binary tree with numbers at its leaves. The seed determines the tree's shape. */
struct node {
    node *left, *right;
    word leaf;
};

template <class Make> node *build(word begin, word end, std::uint64_t seed, Make make)
{
    if (end - begin == 1)
        return make(node{nullptr, nullptr, begin * begin});
    word middle = begin + 1 + word(mix(seed + std::uint64_t(begin)) % std::uint64_t(end - begin - 1));
    node *left = build(begin, middle, mix(seed), make), *right = build(middle, end, mix(seed + 1), make);
    return make(node{left, right, 0});
}

using fringe = uat::generator<word, STACK>;

/* Read a node: from global memory, or from the process's own memory. */
node load(uat::global_ptr<node> p)
{
    return p.load();
}

const node &load(const node *p)
{
    return *p;
}

template <class P> void give_leaves(fringe::giver &give, P tree)
{
    const node &n = load(tree);
    if (!n.left) {
        give(n.leaf);
        return;
    }
    give_leaves(give, P(n.left));
    give_leaves(give, P(n.right));
}

template <class A> bool compare_leaves(A &one, A &two)
{
    word x = 0, y = 0;
    bool more = one.next(x), others = two.next(y);
    while (more && others && x == y) {
        more = one.next(x);
        others = two.next(y);
    }
    return !more && !others;
}

template <class P> bool same_fringe(P a, P b)
{
    fringe one([a](fringe::giver &give) { give_leaves(give, a); }),
        two([b](fringe::giver &give) { give_leaves(give, b); });
    return compare_leaves(one, two);
}

/* The plain program with a stack: finds the next leaf of a tree. The stack holds the nodes still to be visited. */
struct walk {
    std::vector<const node *> open;
    bool next(word &leaf)
    {
        while (!open.empty()) {
            const node *n = open.back();
            open.pop_back();
            if (!n->left) {
                leaf = n->leaf;
                return true;
            }
            open.push_back(n->right);
            open.push_back(n->left);
        }
        return false;
    }
};

/* The ratios of same-fringe to both plain forms. */
std::array<double, 2> measure_fringe(int rounds, word leaves)
{
    std::array<std::vector<double>, 2> ratios;
    auto grow = [=](std::uint64_t seed) {
        return uat::global_ptr<node>(uat::run(
            [=] { return build(0, leaves, seed, [](const node &n) { return uat::make_object<node>(n).get(); }); }));
    };
    auto plant = [=](std::uint64_t seed) -> const node * {
        return build(0, leaves, seed, [](const node &n) { return new node(n); }); /* the end of the process frees the
                                                                                   * nodes */
    };
    auto a = grow(1), b = grow(2);
    auto plain_a = plant(1), plain_b = plant(2);
    for (int i = 0; i < rounds; i++) {
        bool own = false, by_generators = false, by_stacks = false;
        double seconds = seconds_of([&] { own = uat::run([=] { return same_fringe(a, b); }); });
        ratios[0].push_back(seconds / seconds_of([&] { by_generators = same_fringe(plain_a, plain_b); }));
        ratios[1].push_back(seconds / seconds_of([&] {
                                walk one{{plain_a}}, two{{plain_b}};
                                by_stacks = compare_leaves(one, two);
                            }));
        if (!own || !by_generators || !by_stacks)
            wrong("same-fringe");
    }
    return {median(ratios[0]), median(ratios[1])};
}

} // namespace

int main(int argc, char **argv)
{
    int rounds = argc == 2 ? std::atoi(argv[1]) : 0;
    if (rounds < 1) {
        std::fprintf(stderr, "usage: %s ROUNDS\n", argv[0]);
        return 2;
    }
    uat::job job;
    uat::global_vector<word> global(ELEMENTS);
    const char *comma = "{";
    for (word leaves : {3000, 60000}) { /* trees that fit into the second-level cache, and trees that do not */
        auto ratios = measure_fringe(rounds, leaves);
        std::printf(
            "%s\"same-fringe, %ld leaves / the same generators\": %.4f, \"same-fringe, %ld leaves / stacks\": %.4f",
            comma, long(leaves), ratios[0], long(leaves), ratios[1]);
        comma = ", ";
    }
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (bool in_c : {false, true}) {
            std::vector<double> ratios;
            for (int i = 0; i < rounds; i++)
                ratios.push_back(sort_once(pattern, in_c, global));
            std::printf(", \"%s, %s\": %.4f", names[std::size_t(pattern)], in_c ? "uat_sort" : "uat::sort",
                        median(ratios));
        }
    std::printf("}\n");
}
