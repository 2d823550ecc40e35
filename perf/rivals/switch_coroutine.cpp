// SPDX-License-Identifier: MIT
// C++20 coroutines. They are stackless: a coroutine can suspend only in its own frame, not in a function that it calls.
#include <coroutine>
#include <exception>
#include <vector>

#include "perf/switch.h"

namespace
{

struct numbers {
    struct promise_type {
        int64_t value = 0;
        numbers get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        std::suspend_always yield_value(int64_t v) noexcept
        {
            value = v;
            return {};
        }
        void return_void() noexcept
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
    std::coroutine_handle<promise_type> handle;
};

numbers count(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        co_yield i;
}

// Hides the origin of the handle, so that the compiler cannot inline the coroutine into its user.
__attribute__((noinline)) numbers make(int64_t n)
{
    return count(n);
}

uint64_t generator(int64_t n)
{
    uint64_t sum = 0;
    numbers c = make(n);
    for (c.handle.resume(); !c.handle.done(); c.handle.resume())
        sum += static_cast<uint64_t>(c.handle.promise().value);
    c.handle.destroy();
    return sum;
}

numbers add(int64_t *number)
{
    for (;;) {
        ++*number;
        co_yield 0;
    }
}

uint64_t ring(int64_t members, int64_t passes)
{
    std::vector<numbers> all;
    int64_t number = 0;
    for (int64_t i = 0; i < members; i++)
        all.push_back(add(&number));
    for (int64_t done = 0, i = 0; done < passes; done++) {
        all[static_cast<std::size_t>(i)].handle.resume();
        i = i + 1 == members ? 0 : i + 1;
    }
    for (numbers &one : all)
        one.handle.destroy();
    return static_cast<uint64_t>(number);
}

} // namespace

extern const uat_rival uat_rival_coroutine;
const uat_rival uat_rival_coroutine = {"cxx20_coroutine", nullptr, generator, ring, nullptr};
