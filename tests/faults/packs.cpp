/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks that take and return packed strings go on after a restart, and so does the result of a run that
 * was over before. Rank 0 prints two numbers, which do not depend on the workers or on restarts.
 * usage: packs DEPTH
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <uat.hpp>

namespace
{

std::string text_of(std::uint64_t seed)
{
    return std::string(200 + seed % 300, char('a' + seed % 26)) + std::to_string(seed);
}

/* FNV-1a (Fowler, Noll, Vo) */
std::uint64_t hash_of(const std::string &text)
{
    std::uint64_t hash = UINT64_C(14695981039346656037);
    for (unsigned char c : text)
        hash = (hash ^ c) * UINT64_C(1099511628211);
    return hash;
}

std::string tree(std::string text, int depth)
{
    std::uint64_t hash = hash_of(text);
    std::string().swap(text); /* a string must not live across a spawn */
    if (depth == 0)
        return text_of(hash);
    for (int i = 0; i < 100; i++) /* most orders to stop come here, so that the spawn is where the task stops */
        hash = hash_of(std::to_string(hash));
    auto left = uat::spawn(tree, text_of(hash + 1), depth - 1);
    std::uint64_t right = hash_of(uat::spawn(tree, text_of(hash + 2), depth - 1).join());
    return text_of(hash_of(left.join()) + 3 * right);
}

std::string root(int depth)
{
    return tree(text_of(1), depth);
}

} // namespace

int main(int argc, char **argv)
{
    int depth = argc > 1 ? std::atoi(argv[1]) : 14;
    uat::job job;
    std::uint64_t first = hash_of(uat::run(text_of, std::uint64_t{7}));
    if (uat_rank() == 0)
        std::fprintf(stderr, "the second run begins\n");
    std::uint64_t second = hash_of(uat::run(root, depth));
    if (uat_rank() == 0)
        std::printf("%llu %llu\n", static_cast<unsigned long long>(first), static_cast<unsigned long long>(second));
}
