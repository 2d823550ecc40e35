// SPDX-License-Identifier: MIT
// Description: like by_value.c, but with uat::spawn(). Arguments and captures of 1 to 80 bytes, and of some more, are
// aligned to 1, 8 and 64 bytes. usage: by_value_cpp [ROUNDS]
#include <cstdlib>
#include <utility>

#include "tests/programs/by_value.h"
#include "uat.hpp"

namespace
{

template <std::size_t n, std::size_t alignment> struct block {
    alignas(alignment) unsigned char byte[n];
};

// Returns the bytes after a change and a join. The task may have moved at the join.
template <std::size_t n, std::size_t alignment> block<n, alignment> change(const block<n, alignment> &b)
{
    auto child = uat::spawn([] { by_value_work(); });
    by_value_work();
    child.join();
    bool whole = by_value_wrong(&b, n, n) == 0 && reinterpret_cast<std::uintptr_t>(&b) % alignment == 0;
    block<n, alignment> changed;
    by_value_fill(&changed, n, whole ? n + 1 : n);
    return changed;
}

template <std::size_t n, std::size_t alignment> block<n, alignment> change_value(block<n, alignment> b)
{
    block<n, alignment> own = b; // some compilers align no parameter to more than 16 bytes
    return change(own);
}

template <std::size_t n, std::size_t alignment> int one()
{
    block<n, alignment> b;
    by_value_fill(&b, n, n);
    auto named = uat::spawn(change_value<n, alignment>, b);
    auto captured = uat::spawn([b] { return change(b); });
    by_value_work();
    b = captured.join();
    auto same = named.join();
    return by_value_wrong(&b, n, n + 1) + by_value_wrong(&same, n, n + 1);
}

// The size of a type that is aligned to 8 bytes is a multiple of 8, so other lengths would add no sizes. Types aligned
// to 64 bytes have two sizes, 64 and 128; 40 and 80 bytes give both.
template <std::size_t n> int aligned(int rounds)
{
    int wrong = 0;
    for (int i = 0; i < rounds; i++) {
        wrong += one<n, 1>();
        if constexpr (n % 8 == 0 || n > 80)
            wrong += one<n, 8>();
        if constexpr (n % 40 == 0 || n > 80)
            wrong += one<n, 64>();
    }
    return wrong;
}

template <std::size_t... n> int all(int rounds, std::index_sequence<n...>)
{
    return (aligned<n + 1>(rounds) + ... + (aligned<510>(rounds) + aligned<600>(rounds)));
}

} // namespace

int main(int argc, char **argv)
{
    if (uat_init())
        return 1;
    int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    int wrong = uat::run([rounds] { return all(rounds, std::make_index_sequence<80>()); });
    return by_value_end("by_value_cpp", 0, wrong);
}
