/* SPDX-License-Identifier: MIT */
/* Fork and join: go from level to level. The blocks of a level need only blocks of earlier levels. */
#include "examples/flow/triangular.hpp"
#include "examples/flow/with_uat.hpp"

using triangular::part;

/* The problem with its blocks ordered by levels. Level i has the blocks order[begin[i]] to order[begin[i + 1] - 1]. */
struct problem : triangular::problem {
    std::int64_t levels = 0;
    const std::int64_t *order, *begin;

    problem() = default;
    explicit problem(const char *file) : triangular::problem(file)
    {
        static std::vector<std::int64_t> places, starts; /* static, because copies of the problem refer to them */
        places.clear();
        starts.clear();
        std::vector<std::int64_t> level(elements());
        for (std::int64_t i = 0; i < blocks; i++) {
            for (std::int64_t e = first[i]; e < first[i + 1]; e++)
                level[std::size_t(i)] = std::max(level[std::size_t(i)], level[std::size_t(pair[e])] + 1);
            levels = std::max(levels, level[std::size_t(i)] + 1);
        }
        for (std::int64_t l = 0; l < levels; l++) {
            starts.push_back(std::int64_t(places.size()));
            for (std::int64_t i = 0; i < blocks; i++)
                if (level[std::size_t(i)] == l)
                    places.push_back(i);
        }
        starts.push_back(blocks);
        order = places.data();
        begin = starts.data();
    }
    template <class Copy> problem spread(Copy copy) const
    {
        problem p = *this;
        static_cast<triangular::problem &>(p) = triangular::problem::spread(copy);
        p.order = static_cast<const std::int64_t *>(copy(order, std::size_t(blocks) * 8));
        p.begin = static_cast<const std::int64_t *>(copy(begin, std::size_t(levels + 1) * 8));
        return p;
    }
};

static void solve_block(const problem &p, part *x, std::int64_t i)
{
    auto xi = uat::span<part>(x + i, 1).update();
    for (std::int64_t e = p.first[i]; e < p.first[i + 1]; e++)
        p.subtract(i, p.pair[e], *uat::span<part>(x + p.pair[e], 1).read(), *xi);
    p.subtract(i, i, *xi, *xi);
}

static void solve(problem p, part *x)
{
    for (std::int64_t l = 0; l < p.levels; l++)
        uat::parallel_for(p.begin[l], p.begin[l + 1], [=](std::int64_t i) { solve_block(p, x, p.order[i]); });
}

int main(int argc, char **argv)
{
    return flow::compare_uat<problem>(argc, argv, solve);
}
