/* SPDX-License-Identifier: MIT */
#include "examples/small/hash.hpp"

#include <atomic>
#include <functional>

#include "examples/small/tbb/tbb.hpp"

using namespace hash;

/* Returns whether the key is new. A load finds most old keys without an exchange. */
static bool insert(std::vector<std::atomic<uint64_t>> &table, uint64_t key)
{
    for (uint64_t at = slot_of(key);; at = (at + 1) & (slots - 1)) {
        uint64_t found = table[at].load(std::memory_order_relaxed);
        if (found == 0 && table[at].compare_exchange_strong(found, key, std::memory_order_relaxed))
            return true;
        if (found == key)
            return false;
    }
}

static double fill()
{
    std::vector<std::atomic<uint64_t>> table(slots);
    auto range = [&](const tbb::blocked_range<int64_t> &r, double sum) {
        for (int64_t i = r.begin(); i < r.end(); i++)
            sum += insert(table, key(i));
        return sum;
    };
    return tbb::parallel_reduce(tbb::blocked_range<int64_t>(0, n), 0.0, range, std::plus<>());
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(argc, argv, 0, "hash", fill, plain);
}
