/* SPDX-License-Identifier: MIT */
#include "examples/small/hash.hpp"

#include <functional>

#include "uat.hpp"

using namespace hash;

/* Returns whether the key is new. A load finds most old keys without an exchange. */
static bool insert(uat::span<uint64_t> table, uint64_t key)
{
    for (uint64_t at = slot_of(key);; at = (at + 1) & (slots - 1)) {
        uint64_t found = table.atomic(at).load();
        if (found == 0 && table.atomic(at).compare_exchange_strong(found, key))
            return true;
        if (found == key)
            return false;
    }
}

static double insert_all(uat::span<uint64_t> table)
{
    return uat::parallel_reduce(0, n, 0.0, std::plus<>(), [table](int64_t i) { return insert(table, key(i)); });
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<uint64_t> table(slots);
    auto parallel = [t = table.span()] {
        uat::run([t] { uat::fill(t, 0); }); /* a separate run, because in the next run the words are atomic */
        return uat::run(insert_all, t);
    };
    return small::compare(argc, argv, uat_rank(), "hash", parallel, plain);
}
