/* SPDX-License-Identifier: MIT */
/* The combinations of features that the program `combinations` tests: see combinations.cpp. */
#ifndef COMBINATIONS_HPP
#define COMBINATIONS_HPP

#include <uat.hpp>

#include "tests/mix.h"
#include "tests/sequence.h"

namespace meet
{

/* The far memory that combinations share. Each use has its own part. */
struct ground {
    uat::span<std::uint64_t> array;       /* written during runs */
    uat::span<const std::uint64_t> fixed; /* frozen in every second run; element i is fixed_value(i, run) */
    std::uint64_t run;
};

/* One use of a combination. The seed determines its random numbers. */
struct use {
    ground at;
    std::uint64_t seed;
    std::uint64_t draw(std::uint64_t what, std::uint64_t below) const
    {
        return mix(mix(seed) + what) % below;
    }
    std::uint64_t value(std::uint64_t i) const
    {
        return mix(seed * 31 + i);
    }
};

inline std::uint64_t fixed_value(std::uint64_t i, std::uint64_t run)
{
    return mix(i + run / 2 * 1000003);
}

struct join_sequences {
    static sequence identity()
    {
        return SEQUENCE_NONE;
    }
    sequence operator()(const sequence &a, const sequence &b) const
    {
        return sequence_join(a, b);
    }
};
using ordered = uat::reducer<sequence, join_sequences>;

inline void add(const ordered &to, std::uint64_t x)
{
    *to = sequence_join(*to, sequence_of(x));
}

/* Work for some nanoseconds, so that thieves find something to steal. */
inline void linger(std::uint64_t ns)
{
    uat_sim_work(ns);
    for (volatile std::uint64_t i = 0; i < ns; i = i + 1)
        ;
}

/* One combination. check() returns the number of wrong answers. */
struct combination {
    const char *name;
    int (*check)(const use &);
};
extern const combination of_memory[], of_tasks[];
enum { OF_MEMORY = 7, OF_TASKS = 7, PART = 6000 /* array elements per use */ };

} // namespace meet

#endif
