// SPDX-License-Identifier: MIT
// Boost.Context. This uses only the library's assembly (jump_fcontext). The library's fibers and coroutines are built
// on this assembly.
#include <boost/context/detail/fcontext.hpp>
#include <vector>

#include "perf/switch.h"

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace
{

constexpr std::size_t stack_bytes = 4096;
alignas(64) char one_stack[stack_bytes];

fcontext_t make(char *stack, void (*body)(transfer_t))
{
    return make_fcontext(stack + stack_bytes, stack_bytes, body);
}

void tick(transfer_t user)
{
    for (;;)
        user = jump_fcontext(user.fctx, nullptr);
}

void bare(int64_t n)
{
    transfer_t t = {make(one_stack, tick), nullptr};
    for (int64_t i = 0; i < n; i++)
        t = jump_fcontext(t.fctx, nullptr);
}

// jump_fcontext() passes the value in its data pointer. This pointer is in a register.
void count(transfer_t user)
{
    int64_t n = static_cast<int64_t>(reinterpret_cast<intptr_t>(user.data));
    for (int64_t i = 0; i < n; i++)
        user = jump_fcontext(user.fctx, reinterpret_cast<void *>(i));
    for (;;)
        user = jump_fcontext(user.fctx, reinterpret_cast<void *>(intptr_t{-1}));
}

uint64_t generator(int64_t n)
{
    uint64_t sum = 0;
    transfer_t t = jump_fcontext(make(one_stack, count), reinterpret_cast<void *>(n));
    while (t.data != reinterpret_cast<void *>(intptr_t{-1})) {
        sum += static_cast<uint64_t>(reinterpret_cast<intptr_t>(t.data));
        t = jump_fcontext(t.fctx, nullptr);
    }
    return sum;
}

void member(transfer_t user)
{
    for (;;) {
        ++*static_cast<int64_t *>(user.data);
        user = jump_fcontext(user.fctx, user.data);
    }
}

uint64_t ring(int64_t members, int64_t passes)
{
    std::vector<char> stacks(static_cast<std::size_t>(members) * stack_bytes);
    std::vector<fcontext_t> all;
    int64_t number = 0;
    for (int64_t i = 0; i < members; i++)
        all.push_back(make(stacks.data() + static_cast<std::size_t>(i) * stack_bytes, member));
    for (int64_t done = 0, i = 0; done < passes; done++) {
        fcontext_t &at = all[static_cast<std::size_t>(i)];
        at = jump_fcontext(at, &number).fctx;
        i = i + 1 == members ? 0 : i + 1;
    }
    return static_cast<uint64_t>(number);
}

// make_fcontext() lays out a new context in the same way as jump_fcontext() saves a context: at the top of the stack.
std::size_t saved()
{
    return static_cast<std::size_t>(one_stack + stack_bytes - static_cast<char *>(make(one_stack, tick)));
}

} // namespace

extern const uat_rival uat_rival_boost;
const uat_rival uat_rival_boost = {"boost_context", bare, generator, ring, saved};
