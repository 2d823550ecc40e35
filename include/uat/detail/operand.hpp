/* SPDX-License-Identifier: MIT */
/* The elements that algorithms over spans read, window by window. */
#ifndef UAT_DETAIL_OPERAND_HPP
#define UAT_DETAIL_OPERAND_HPP

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "uat/detail/loop.hpp"
#include "uat/span.hpp"

namespace uat
{

namespace detail
{

/* Throws std::invalid_argument if an algorithm's spans differ in size. Called before the algorithm starts. */
inline void must_match(const char *algorithm, std::size_t size, std::size_t other)
{
    if (size != other)
        raise(std::invalid_argument(std::string("uat::") + algorithm + "(): spans of " + std::to_string(size) +
                                    " and " + std::to_string(other) + " elements; they must have the same size"));
}

/* The number of elements of type T that one operand checks out at a time: some KiB, and few enough for a small
 * cache. */
template <class T> std::size_t window()
{
    std::size_t share = uat_global_checkout_limit() / 8, bytes = share < 32768 ? share : 32768;
    return bytes / sizeof(T) > 0 ? bytes / sizeof(T) : 1;
}

/* An input of a transform. The operand checks its elements out, unless they are the elements that the transform
 * writes. */
template <class T> class operand
{
  public:
    operand(span<const T> s, bool same, const T *written) : s_(s), place_(written), own_(!same && !s.empty())
    {
        if (own_)
            place_ = static_cast<const T *>(uat_global_checkout(s_.data(), s_.size() * sizeof(T), UAT_READ));
    }
    operand(const operand &) = delete;
    operand &operator=(const operand &) = delete;
    ~operand()
    {
        if (own_)
            uat_global_checkin(s_.data(), s_.size() * sizeof(T), UAT_READ);
    }
    const T *data() const
    {
        return place_;
    }
    const T &operator[](std::size_t i) const
    {
        return place_[i];
    }

  private:
    span<const T> s_;
    const T *place_;
    bool own_;
};

template <class T, class U> bool is_same_range(span<const T> in, span<U> out)
{
    return std::is_same<T, U>::value && static_cast<const void *>(in.data()) == static_cast<const void *>(out.data());
}

/* The elements at `written` if they are of type T, else NULL. */
template <class T, class U> const T *as(const U *written)
{
    if constexpr (std::is_same<T, U>::value)
        return written;
    else
        return nullptr;
}

/* This is a separate function, so that the compiler keeps the sum in a register. In a function that also checks
 * elements out and in, it would keep the sum in memory. */
template <class R, class F, class... T>
__attribute__((noinline)) R fold_window(std::size_t first, std::size_t n, R value, F &f, const T *...x)
{
    for (std::size_t i = 0; i < n; i++)
        value = f(value, first + i, x[i]...);
    return value;
}

/*
 * value = f(value, i, elements i...) for i of [from, to), in order. Returns the last value. If `sum` has no value yet,
 * value starts as start(from, elements from...), and i with from + 1. [from, to) must not be empty.
 */
template <class R, class Start, class F, class... T>
R fold_elements(std::size_t from, std::size_t to, partial<R> sum, Start start, F &f, span<const T>... in)
{
    std::size_t most = to - from, n;
    ((most = window<T>() < most ? window<T>() : most), ...);
    for (std::size_t at = from; at < to; at += n) {
        n = most < to - at ? most : to - at;
        auto apply = [&](const operand<T> &...x) {
            std::size_t done = sum.any ? 0 : 1;
            R value = sum.any ? sum.get() : start(at, x[0]...);
            return fold_window(at + done, n - done, value, f, (x.data() + done)...);
        };
        sum = partial<R>(apply(operand<T>(in.subspan(at, n), false, nullptr)...));
    }
    return sum.get();
}

} // namespace detail

} // namespace uat

#endif
