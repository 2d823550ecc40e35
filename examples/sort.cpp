/* SPDX-License-Identifier: MIT */
/*
 * Sort N records of the sort benchmark (Anon et al., "A Measure of Transaction Processing Power", 1985;
 * sortbenchmark.org) in global memory. A record has 100 bytes; the first 10 are its key. The program checks what the
 * benchmark's valsort checks: the keys are in order, and the records have the same checksum as the input.
 */
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "examples/splitmix.h"
#include "perf/bench.h"
#include "uat.hpp"

namespace
{

struct Record {
    unsigned char key[10], value[90];
};

int64_t n = 0, seed = 1;
std::optional<uat::global_vector<Record>> records;
double figures[UAT_BENCH_FIGURES];

/* Record i of the input: a random key, the number i, and padding. */
Record make_record(int64_t i)
{
    Record r;
    uint64_t words[2] = {splitmix(uint64_t(seed) << 32 ^ uint64_t(i)), splitmix(uint64_t(i) + (uint64_t(seed) << 48))};
    std::memcpy(r.key, words, sizeof(r.key));
    std::memset(r.value, 'A' + int(i % 26), sizeof(r.value));
    std::memcpy(r.value, &i, sizeof(i));
    return r;
}

/* Orders records by their keys, as memcmp() does. */
struct Earlier {
    bool operator()(const Record &a, const Record &b) const
    {
        uint64_t x, y;
        uint16_t s, t;
        std::memcpy(&x, a.key, 8);
        std::memcpy(&y, b.key, 8);
        if (x != y)
            return __builtin_bswap64(x) < __builtin_bswap64(y);
        std::memcpy(&s, a.key + 8, 2);
        std::memcpy(&t, b.key + 8, 2);
        return __builtin_bswap16(s) < __builtin_bswap16(t);
    }
};

/* Facts about a row of records. together() combines the facts about two consecutive rows. */
struct Summary {
    Record first, last;
    uint64_t count, checksum, disorders; /* count, checksum: sums over the records; disorders: number of records that
                                          * belong before their predecessor */
    uint64_t digest, power;              /* digest: a polynomial in keys' hashes; power: its variable ^ `count` */
};

Summary summary_of(const Record &r)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < sizeof(r); at += 4) {
        uint32_t word;
        std::memcpy(&word, reinterpret_cast<const char *>(&r) + at, 4);
        sum = splitmix(sum ^ word);
    }
    uint64_t high;
    uint16_t low;
    std::memcpy(&high, r.key, 8);
    std::memcpy(&low, r.key + 8, 2);
    return {r, r, 1, sum, 0, splitmix(high ^ splitmix(low)), SPLITMIX_STEP};
}

Summary together(const Summary &a, const Summary &b)
{
    if (a.count == 0 || b.count == 0)
        return a.count ? a : b;
    return {a.first,
            b.last,
            a.count + b.count,
            a.checksum + b.checksum,
            a.disorders + b.disorders + Earlier()(b.first, a.last),
            a.digest * b.power + b.digest,
            a.power * b.power};
}

int prepare()
{
    try {
        records.emplace(size_t(n));
    } catch (const std::system_error &e) {
        return -e.code().value(); /* reported already */
    }
    return 0;
}

int finish()
{
    records.reset();
    return 0;
}

Summary result; /* of the last run */

int run(uint64_t *answer)
{
    uat_bench_pause();
    uat::run([all = records->span()] { uat::tabulate(all, [](std::size_t i) { return make_record(int64_t(i)); }); });
    uat_bench_resume();
    uat::run([all = records->span()] { uat::sort(all, Earlier()); });
    uat_bench_pause();
    figures[0] = 1e-6 * double(sizeof(Record)) * double(n) / uat_bench_seconds();
    result = uat::run([all = records->span()] { return uat::transform_reduce(all, Summary{}, together, summary_of); });
    answer[0] = result.count;
    answer[1] = result.digest;
    return 0;
}

int verify(bool *correct)
{
    const Summary &out = result;
    Summary in = uat::run([] {
        return uat::parallel_reduce(0, n, Summary{}, together, [](int64_t i) { return summary_of(make_record(i)); });
    });
    *correct = out.count == uint64_t(n) && out.checksum == in.checksum && out.disorders == 0;
    if (!*correct && uat_rank() == 0)
        std::fprintf(stderr, "uat-sort: %llu of %lld records, %llu of them out of order, the checksum is %s\n",
                     static_cast<unsigned long long>(out.count), static_cast<long long>(n),
                     static_cast<unsigned long long>(out.disorders), out.checksum == in.checksum ? "right" : "wrong");
    return 0;
}

int sequential(uint64_t *answer)
try {
    uat_bench_pause();
    std::vector<Record> all(static_cast<size_t>(n));
    for (size_t i = 0; i < all.size(); i++)
        all[i] = make_record(int64_t(i));
    uat_bench_resume();
    std::sort(all.begin(), all.end(), Earlier());
    uat_bench_pause();
    Summary whole = {};
    for (const Record &r : all)
        whole = together(whole, summary_of(r));
    answer[0] = whole.count;
    answer[1] = whole.digest;
    return 0;
} catch (const std::bad_alloc &) {
    return -ENOMEM;
}

const struct uat_bench_option options[] = {
    {nullptr, "N", "records", &n, nullptr, 1, 1e9},
    {"-r", "SEED", "random seed of the records", &seed, nullptr, 0, 1000000},
    {nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0},
};

struct uat_bench describe()
{
    struct uat_bench b = {};
    b.program = "uat-sort";
    b.purpose = "Sort N records of 100 bytes in global memory; order and checksum are verified.";
    b.options = options;
    b.results[0] = "records";
    b.results[1] = "digest"; /* of the keys in their final order */
    b.rate = true;
    b.prepare = prepare;
    b.run = run;
    b.verify = verify;
    b.finish = finish;
    b.sequential = sequential;
    b.figures = figures;
    b.names[0] = {"mbytes_per_second", "MB/s"};
    return b;
}
} // namespace

extern "C" const struct uat_bench uat_bench = describe();
