/* SPDX-License-Identifier: MIT */
/*
 * Atomics on words of global memory in C++17, with the names of std::atomic_ref. Included by uat.hpp.
 *
 *     uat::global_vector<std::int64_t> count(buckets);                    on all workers, outside of runs
 *     uat::run([c = count.span()] {
 *         uat::parallel_for(0, 1000000, [c](std::int64_t i) { c.atomic(bucket_of(i)).add(1); });
 *     });
 */
#ifndef UAT_ATOMIC_HPP
#define UAT_ATOMIC_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "uat/global.h"
#include "uat/task.hpp"

namespace uat
{

/*
 * Atomic access to one word of global memory, near or far. An atomic_ref holds only the address of the word, so it may
 * travel to other workers. T must have 8 bytes and be trivially copyable. A word must be used in one way at a time: by
 * atomics, or as plain data (global.h). For use inside tasks and outside of runs. Cannot fail: a word that is not
 * aligned to 8 bytes, frozen, or not in global memory ends the job with a message.
 *
 * Atomics do not order other accesses, so the functions have no std::memory_order: see uat_atomic_fetch_add(). There
 * are no operators, either, because an access to another host takes a round trip and should be visible in the program.
 */
template <class T> class atomic_ref
{
    static_assert(sizeof(detail::must_travel<T>) > 0, "");
    static_assert(!std::is_const<T>::value,
                  "uat: an atomic changes its word; take a span or a pointer of the type without const");
    static_assert(
        sizeof(T) == sizeof(std::uint64_t),
        "uat: an adapter changes words of 8 bytes and no others; take a type of 8 bytes, such as std::int64_t");

  public:
    using value_type = T;
    using difference_type = std::conditional_t<std::is_pointer<T>::value, std::ptrdiff_t, T>;

    explicit atomic_ref(T *word) : word_(reinterpret_cast<uat_atomic_t *>(word))
    {
    }

    T load() const
    {
        return value_of(uat_atomic_load(word_));
    }
    /* The access is done when the call returns. On a far word, store() and exchange() take two or more round trips. */
    void store(T desired) const
    {
        uat_atomic_store(word_, bits_of(desired));
    }
    /* Returns the old value, as do all functions whose names begin with fetch. */
    T exchange(T desired) const
    {
        return value_of(uat_atomic_swap(word_, bits_of(desired)));
    }
    /*
     * If the word's bytes are equal to those of `expected`, set the word to `desired` and return true. Otherwise set
     * `expected` to the word's value and return false.
     */
    bool compare_exchange_strong(T &expected, T desired) const
    {
        detail::must_compare<T>();
        return replace(expected, desired);
    }
    /* The same as compare_exchange_strong(). Neither function fails spuriously. */
    bool compare_exchange_weak(T &expected, T desired) const
    {
        return compare_exchange_strong(expected, desired);
    }

    /*
     * Integers wrap around; pointers move by elements. On a far word of an integer or pointer type, fetch_add() and
     * fetch_sub() take one round trip. On a far floating-point number they take two or more, and fetch_and(),
     * fetch_or() and fetch_xor() do so for each type: these functions compare and exchange until no other change
     * intervenes.
     */
    T fetch_add(difference_type addend) const
    {
        detail::must_add<T>();
        if constexpr (std::is_floating_point<T>::value)
            return change([=](T old) { return old + addend; });
        else
            return value_of(uat_atomic_fetch_add(word_, step_of(addend)));
    }
    T fetch_sub(difference_type subtrahend) const
    {
        detail::must_add<T>();
        if constexpr (std::is_floating_point<T>::value)
            return fetch_add(-subtrahend);
        else
            return value_of(uat_atomic_fetch_add(word_, 0 - step_of(subtrahend)));
    }
    /* Integers and pointers: add without waiting and without the old value; see uat_atomic_add(). */
    void add(difference_type addend) const
    {
        detail::must_add<T>();
        if constexpr (std::is_floating_point<T>::value)
            fetch_add(addend);
        else
            uat_atomic_add(word_, step_of(addend));
    }

    /* If a far word is already small or large enough, fetch_min() and fetch_max() only load it, in one round trip.
     * Otherwise they take two or more round trips. */
    T fetch_min(T value) const
    {
        detail::must_be_ordered<T>();
        return improve(value, [](T old, T to) { return to < old; });
    }
    T fetch_max(T value) const
    {
        detail::must_be_ordered<T>();
        return improve(value, [](T old, T to) { return old < to; });
    }

    T fetch_and(T mask) const
    {
        detail::must_have_bits<T>();
        return change([=](T old) { return T(old & mask); });
    }
    T fetch_or(T mask) const
    {
        detail::must_have_bits<T>();
        return change([=](T old) { return T(old | mask); });
    }
    T fetch_xor(T mask) const
    {
        detail::must_have_bits<T>();
        return change([=](T old) { return T(old ^ mask); });
    }

  private:
    uat_atomic_t *word_;

    static std::uint64_t bits_of(T value)
    {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof(bits));
        return bits;
    }
    static T value_of(std::uint64_t bits)
    {
        return detail::load<T>(&bits);
    }
    static std::uint64_t step_of(difference_type addend)
    {
        if constexpr (std::is_pointer<T>::value)
            return std::uint64_t(addend) * sizeof(std::remove_pointer_t<T>);
        else
            return std::uint64_t(addend);
    }

    bool replace(T &expected, T desired) const
    {
        std::uint64_t before = bits_of(expected), found = uat_atomic_cmp_swap(word_, before, bits_of(desired));
        expected = value_of(found);
        return found == before;
    }
    template <class F> T change(F f) const
    {
        T old = load();
        while (!replace(old, f(old)))
            ;
        return old;
    }
    template <class Better> T improve(T value, Better is_better) const
    {
        T old = load();
        while (is_better(old, value) && !replace(old, value))
            ;
        return old;
    }
};

} // namespace uat

#endif
