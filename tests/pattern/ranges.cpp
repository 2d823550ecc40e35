/* SPDX-License-Identifier: MIT */
/*
 * Description: loops with a step, over boxes and over tiles call the body once for each iteration, point or tile, also
 * at the ends of std::int64_t, and refuse a step of 0, tiles without indices, and too many iterations.
 * usage: test-ranges
 */
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <uat.hpp>

namespace
{

int check(bool right, const char *what)
{
    if (!right)
        std::fprintf(stderr, "test-ranges: wrong: %s\n", what);
    return !right;
}

/* Whether f throws std::invalid_argument whose text contains this. */
template <class F> bool refuses(F f, const char *text)
{
    try {
        f();
    } catch (const std::invalid_argument &e) {
        return std::string(e.what()).find(text) != std::string::npos;
    }
    return false;
}

/* The iterations of a loop with a step, counted in words. Word 0 has `begin`; a loop downwards counts from it, too. */
int check_step(uat::span<std::int64_t> words, std::int64_t begin, std::int64_t end, std::int64_t step)
{
    uat::fill(words, 0);
    uat::parallel_for_step(begin, end, step, [=](std::int64_t i) {
        std::uint64_t at = step > 0 ? std::uint64_t(i) - std::uint64_t(begin) : std::uint64_t(begin) - std::uint64_t(i);
        words.atomic(at).fetch_add(1);
    });
    int errors = 0;
    std::uint64_t stride = step > 0 ? std::uint64_t(step) : -std::uint64_t(step), all = 0;
    if (step > 0 ? begin < end : begin > end)
        all = step > 0 ? std::uint64_t(end) - std::uint64_t(begin) : std::uint64_t(begin) - std::uint64_t(end);
    auto q = words.read();
    for (std::uint64_t at = 0; at < q.size(); at++)
        errors += q[at] != (at < all && at % stride == 0);
    return check(errors == 0, "a loop with a step");
}

int check_steps(uat::span<std::int64_t> words)
{
    int errors = 0;
    for (std::int64_t step : {1, 2, 7, 999, 1000, 1001}) {
        errors += check_step(words, -500, 500, step) + check_step(words, 500, -500, -step);
        errors +=
            check_step(words, INT64_MAX - 990, INT64_MAX, step) + check_step(words, INT64_MIN + 990, INT64_MIN, -step);
        errors += check_step(words, 3, 3, step) + check_step(words, 3, 2, step) + check_step(words, 2, 3, -step);
    }
    uat::reducer<std::int64_t> calls;
    uat::parallel_for_step(INT64_MIN, INT64_MAX, INT64_MAX, [=](std::int64_t i) { *calls += i != INT64_MAX; });
    uat::parallel_for_step(INT64_MAX, INT64_MIN, INT64_MIN, [=](std::int64_t i) { *calls += i == INT64_MAX; });
    errors += check(calls.take() == 4, "the longest steps");
    auto never = [](std::int64_t) {};
    errors += check(refuses([=] { uat::parallel_for_step(0, 9, 0, never); }, "a step of 0"), "a step of 0");
    errors += check(refuses([=] { uat::parallel_for_step(INT64_MIN, INT64_MAX, 1, never); }, "iterations"), "too many");
    return errors;
}

/* Each point of the box once, in three dimensions of a x b x c, with the given tiles or point by point. */
int check_box(uat::span<std::int64_t> words, std::array<std::int64_t, 3> size, std::array<std::int64_t, 3> tile)
{
    const std::array<std::int64_t, 3> first = {-3, INT64_MAX - size[1], INT64_MIN};
    const uat::box<3> all{first, {first[0] + size[0], INT64_MAX, first[2] + size[2]}};
    auto note = [=](std::int64_t i, std::int64_t j, std::int64_t k) {
        std::int64_t at = ((i - first[0]) * size[1] + (j - first[1])) * size[2] + (k - first[2]);
        words.atomic(std::size_t(at)).fetch_add(1);
    };
    uat::reducer<std::int64_t> wrong;
    uat::fill(words, 0);
    if (tile[0] == 0)
        uat::parallel_for_box(all, note);
    else
        uat::parallel_for_tiles(all, tile, [=](uat::box<3> t) {
            for (std::size_t d = 0; d < 3; d++) {
                std::int64_t n = t.end[d] - t.begin[d];
                *wrong += n < 1 || n > tile[d] || (n < tile[d] && t.end[d] != all.end[d]);
            }
            for (std::int64_t i = t.begin[0]; i < t.end[0]; i++)
                for (std::int64_t j = t.begin[1]; j < t.end[1]; j++)
                    for (std::int64_t k = t.begin[2]; k < t.end[2]; k++)
                        note(i, j, k);
        });
    int errors = check(wrong.take() == 0, "the size of a tile");
    std::size_t points = std::size_t(size[0] * size[1] * size[2]);
    auto q = words.read();
    for (std::size_t at = 0; at < q.size(); at++)
        errors += q[at] != (at < points);
    return check(errors == 0, "a loop over a box");
}

int check_boxes(uat::span<std::int64_t> words)
{
    int errors = 0;
    for (std::array<std::int64_t, 3> size :
         {std::array<std::int64_t, 3>{10, 10, 10}, {1, 1, 1000}, {7, 11, 13}, {5, 0, 9}}) {
        errors +=
            check_box(words, size, {0, 0, 0}) + check_box(words, size, {1, 1, 1}) + check_box(words, size, {3, 4, 5});
        errors += check_box(words, size, {2, 1000, INT64_MAX});
    }
    uat::reducer<std::int64_t> sum;
    uat::parallel_for_box(uat::box<2>{{1, 1}, {4, 3}}, [=](std::int64_t i, std::int64_t j) { *sum += 10 * i + j; });
    errors += check(sum.take() == 2 * 60 + 3 * 3, "two dimensions");
    uat::parallel_for_tiles(uat::box<1>{{5}, {6}}, {9}, [=](uat::box<1> t) { *sum += t.end[0] - t.begin[0]; });
    errors += check(sum.take() == 1, "one dimension");
    const uat::box<2> whole{{INT64_MIN, 0}, {INT64_MAX, 2}}, none{{INT64_MIN, 9}, {INT64_MAX, 2}};
    auto point = [=](std::int64_t, std::int64_t) { ++*sum; };
    auto tile = [=](uat::box<2>) { ++*sum; };
    errors += check(refuses([=] { uat::parallel_for_box(whole, point); }, "more than 2^63 - 1"), "too many points");
    errors += check(refuses([=] { uat::parallel_for_tiles(whole, {9, 0}, tile); }, "a tile of 0"), "an empty tile");
    errors += check(refuses([=] { uat::parallel_for_tiles(whole, {-1, 1}, tile); }, "a tile of -1"), "a negative tile");
    uat::parallel_for_box(none, point);
    errors += check(sum.take() == 0, "an empty or refused box");
    uat::parallel_for_tiles(whole, {INT64_MAX, 2}, tile);
    return errors + check(sum.take() == 3, "tiles of a box with too many points");
}

int root(uat::span<std::int64_t> words)
{
    return check_steps(words) + check_boxes(words);
}

} // namespace

int main()
{
    uat::job job;
    uat::global_vector<std::int64_t> words(1001);
    return uat::run(root, words.span()) > 0;
}
