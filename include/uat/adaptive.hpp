/* SPDX-License-Identifier: MIT */
/* Adaptive requests in C++: uat/adaptive.h with a function object. */
#ifndef UAT_ADAPTIVE_HPP
#define UAT_ADAPTIVE_HPP

#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "adaptive.h"
#include "uat/detail/standard.hpp"

namespace uat
{

/* The context of a part, which the library passes to the part's function. */
template <typename Result> class context
{
  public:
    explicit context(uat_context_t *c) : c_(c)
    {
    }
    /* Take at most `most` of the next iterations. Returns the bounds of these iterations, or nothing if the interval is
     * empty. */
    std::optional<std::pair<std::int64_t, std::int64_t>> next(std::int64_t most)
    {
        std::int64_t begin = 0, end = 0;
        if (!uat_context_next(c_, most, &begin, &end))
            return std::nullopt;
        return std::pair(begin, end);
    }
    /* The result of the next part in order; nothing if there is no further part. */
    std::optional<Result> merge()
    {
        Result result;
        return uat_context_merge(c_, &result) ? std::optional<Result>(result) : std::nullopt;
    }
    /* uat_context_take_back(): the partial result of the next part, and the end of the iterations that the result
     * includes. */
    std::optional<std::pair<Result, std::int64_t>> take_back()
    {
        Result result;
        std::int64_t to = 0;
        if (!uat_context_take_back(c_, &result, &to))
            return std::nullopt;
        return std::pair(result, to);
    }
    /* The C context, for functions of uat/adaptive.h and as the argument `outer` of another uat::adaptive(). */
    uat_context_t *get() const
    {
        return c_;
    }

  private:
    uat_context_t *c_;
};

/*
 * uat_adaptive_run() for the interval [begin, end): returns f(context<Result> &). f is copied to each part. Result and
 * f must be trivially copyable, and Result must have a default constructor. f must not throw.
 */
template <typename Result, typename F>
Result adaptive(std::int64_t begin, std::int64_t end, F f, uat_adaptive_mode mode = UAT_CONCURRENT,
                std::int64_t grain = 1, uat_context_t *outer = nullptr)
{
    static_assert(std::is_trivially_copyable_v<F> && std::is_trivially_copyable_v<Result>,
                  "the function and its result travel between workers, so both must be trivially copyable");
    static_assert(std::is_invocable_r_v<Result, const F &, context<Result> &>,
                  "uat: the function takes a uat::context<Result> &, and its result converts to Result");
    static_assert(sizeof(F) <= UAT_ADAPTIVE_ARG, "the function's captures are too large");
    static_assert(alignof(F) <= 16 && alignof(Result) <= 16, "arguments and results are aligned to 16 bytes");
    uat_adaptive_t a = {};
    a.fn = [](uat_context_t *c, const void *arg, void *result) noexcept {
        context<Result> here(c);
        Result value = (*static_cast<const F *>(arg))(here);
        ::new (result) Result(value);
    };
    a.mode = mode;
    a.grain = grain;
    a.arg_size = sizeof(F);
    a.result_size = sizeof(Result);
    Result result;
    uat_adaptive_run(&a, outer, begin, end, &f, &result);
    return result;
}

} // namespace uat

#endif
