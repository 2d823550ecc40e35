/* SPDX-License-Identifier: MIT */
/* A library with tasks, of which only hidden_library() is visible. The program `hidden` links it. */
#include <mutex>

#include "tests/programs/hidden.hpp"

namespace
{

line joined(std::vector<line> lines, std::string more)
{
    line all{std::move(more), 0};
    for (const line &l : lines) {
        all.text += l.text;
        all.number += l.number;
    }
    return all;
}

/* Tasks of the library use a mutex and a packed value of the program. */
long found(uat::mutex_ref m, uat::packed_ref<line> kept)
{
    uat::result_group<long, 8> group;
    for (int i = 0; i < 8; i++)
        group.run([m, kept] {
            std::lock_guard lock(m);
            return kept.get().number;
        });
    long sum = 0;
    for (long n : group.wait())
        sum += n;
    return sum;
}

void count_up(long *counter)
{
    ++*counter;
}

} // namespace

library hidden_library()
{
    return {add<long>, fail, joined, found, count_up};
}
