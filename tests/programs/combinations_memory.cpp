/* SPDX-License-Identifier: MIT */
/* Combinations of global memory with groups, exceptions and waiting. */
#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>

#include "tests/programs/combinations.hpp"

namespace meet
{

namespace
{

using words = uat::span<std::uint64_t>;

void fill(words s, const use &u, std::uint64_t salt)
{
    uat::parallel_for_ranges(0, std::int64_t(s.size()), [=](std::int64_t from, std::int64_t to) {
        enum { MOST = 500 };
        for (std::int64_t at = from; at < to; at += MOST) {
            auto q = s.subspan(std::size_t(at), std::size_t(std::min<std::int64_t>(MOST, to - at))).write();
            for (std::size_t i = 0; i < q.size(); i++)
                q[i] = u.value(salt + std::uint64_t(at) + i);
        }
    });
}

std::uint64_t sum_of(uat::span<const std::uint64_t> s)
{
    return uat::transform_reduce(s, std::uint64_t(0), std::plus<>(), [](std::uint64_t x) { return x; });
}

std::uint64_t sum_of_values(const use &u, std::uint64_t salt, std::uint64_t n)
{
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < n; i++)
        sum += u.value(salt + i);
    return sum;
}

/* Each task of a cancellable group allocates a temporary array, fills it by a loop, reads it by a reduction, and stores
 * the sum. One task cancels the group. */
int temporary_in_cancelled_group(const use &u)
{
    enum { TASKS = 12 };
    words sums = u.at.array.first(TASKS);
    std::uint64_t goal = u.draw(1, TASKS + 4), n = 100 + u.draw(2, 20000);
    uat::fill(sums, std::uint64_t(1));
    uat::task_group group;
    uat::cancel_token token = group.cancellation();
    for (std::uint64_t t = 0; t < TASKS; t++)
        group.run([=] {
            uat::temporary_vector<std::uint64_t> scratch(n);
            fill(scratch.span(), u, t);
            if (t != goal && token.cancelled())
                return; /* the array is freed here */
            sums.put(t, sum_of(scratch.span()));
            if (t == goal)
                token.cancel();
        });
    group.wait();
    int wrong = 0, missing = 0;
    for (std::uint64_t t = 0; t < TASKS; t++) {
        std::uint64_t sum = sums.get(t);
        missing += sum == 1;
        wrong += sum != 1 && sum != sum_of_values(u, t, n);
    }
    return wrong + (missing > 0 && (goal >= TASKS || sums.get(goal) == 1));
}

/* Tasks write their parts of an array through checkouts. An exception ends the checkouts. What the tasks wrote before
 * the exception must be in the array, and the exception must be that of the first task that throws. */
int exception_over_open_ranges(const use &u)
{
    enum { TASKS = 16, SIZE = PART / TASKS };
    std::uint64_t bad = u.draw(1, TASKS), until = u.draw(2, SIZE);
    words all = u.at.array;
    uat::fill(all, std::uint64_t(0));
    uat::task_group group;
    for (std::uint64_t t = 0; t < TASKS; t++)
        group.run([=] {
            auto part = all.subspan(t * SIZE, SIZE).update();
            for (std::size_t i = 0; i < SIZE; i++) {
                if (t >= bad && i == until)
                    throw std::out_of_range(std::to_string(t));
                part[i] += u.value(t * SIZE + i);
            }
        });
    std::uint64_t caught = TASKS;
    try {
        group.wait();
    } catch (const std::out_of_range &e) {
        caught = std::stoull(e.what());
    }
    int wrong = caught != bad;
    for (std::uint64_t t = 0; t < TASKS; t++) {
        auto part = all.subspan(t * SIZE, SIZE).read();
        for (std::size_t i = 0; i < SIZE; i++)
            wrong += part[i] != (t >= bad && i >= until ? 0 : u.value(t * SIZE + i));
    }
    return wrong;
}

struct parcel {
    std::uint64_t number, check;
    uat::global_ptr<parcel> inside;
};

/* Objects go through a channel from the workers that made them to tasks that free them. Other accesses read an array
 * that is frozen in every second run. */
int objects_given_back_beside_frozen(const use &u)
{
    enum { PARCELS = 60 };
    uat::channel<uat::global_ptr<parcel>> mail(u.draw(1, 4));
    uat::reducer<std::uint64_t> sum;
    auto fixed = u.at.fixed;
    uat::task_group group;
    group.run_on(int(u.draw(2, std::uint64_t(uat_size()))), [=, mail = mail.ref()] {
        for (std::uint64_t i = 0; i < PARCELS; i++) {
            auto inner = uat::make_object<parcel>(parcel{i, u.value(i + 7), nullptr});
            mail.send(uat::make_object<parcel>(parcel{i, u.value(i), inner}));
        }
        mail.close();
    });
    for (int k = 0; k < 2; k++)
        group.run([=, mail = mail.ref()] {
            while (auto p = mail.receive()) {
                parcel outer = p->load();
                std::uint64_t at = outer.check % (fixed.size() - 300), right = 0;
                {
                    auto inner = outer.inside.update();
                    auto seen = fixed.subspan(at, 300).read(); /* both ranges are open at once */
                    for (std::size_t i = 0; i < seen.size(); i++)
                        right += seen[i] == fixed_value(at + i, u.at.run);
                    inner->check += right;
                }
                uat::destroy(*p);
                *sum += outer.inside.load().check + outer.check;
                uat::destroy(outer.inside);
            }
        });
    group.wait();
    std::uint64_t want = 0;
    for (std::uint64_t i = 0; i < PARCELS; i++)
        want += u.value(i) + u.value(i + 7) + 300;
    return sum.take() != want;
}

/* A list grows under a mutex. Exceptions unlock the mutex, too. */
int list_under_a_mutex_that_throws(const use &u)
{
    enum { NODES = 80 };
    auto head = uat::make_object<parcel>();
    uat::mutex mutex = u.draw(1, 2) ? uat::mutex() : uat::mutex(uat::biased);
    std::uint64_t bad = u.draw(2, NODES);
    int wrong = 1;
    try {
        uat::parallel_for(0, NODES, [=, mutex = mutex.ref()](std::int64_t i) {
            std::lock_guard lock(mutex);
            auto node =
                uat::make_object<parcel>(parcel{std::uint64_t(i), u.value(std::uint64_t(i)), head.load().inside});
            head.update()->inside = node;
            if (std::uint64_t(i) == bad)
                throw std::length_error("bad");
        });
    } catch (const std::length_error &) {
        wrong = 0;
    }
    std::uint64_t before = 0;
    for (auto p = head.load().inside; p;) {
        parcel node = p.load();
        before += node.number <= bad;
        wrong += node.check != u.value(node.number);
        uat::destroy(p);
        p = node.inside;
    }
    uat::destroy(head);
    return wrong + (before != bad + 1); /* all iterations before the throwing one have run */
}

/* A temporary array is sorted while another one is scanned. A third call throws, and both arrays are freed. */
int sorts_and_scans_of_temporaries(const use &u)
{
    std::uint64_t n = 500 + u.draw(1, 30000);
    int wrong = 1;
    try {
        uat::temporary_vector<std::uint64_t> a(n), b(n);
        words s = a.span(), t = b.span(), results = u.at.array;
        fill(s, u, 0);
        uat::parallel_invoke(
            [=] {
                uat::sort(s);
                results.put(0, sum_of(s));
                results.put(1, s.get(0));
            },
            [=] {
                uat::tabulate(t, [](std::size_t) { return std::uint64_t(1); });
                uat::inclusive_scan(t, t, std::uint64_t(0), std::plus<>());
                results.put(2, t.get(n - 1));
            },
            [=] { throw std::domain_error(std::to_string(n)); });
    } catch (const std::domain_error &e) {
        wrong = std::stoull(e.what()) != n;
    }
    std::uint64_t least = u.value(0);
    for (std::uint64_t i = 0; i < n; i++)
        least = std::min(least, u.value(i));
    words results = u.at.array;
    return wrong + (results.get(0) != sum_of_values(u, 0, n)) + (results.get(1) != least) + (results.get(2) != n);
}

/* Tasks transpose tiles into a temporary array by strided transfers, and migrate between two transfers. */
int tiles_by_tasks_that_migrate(const use &u)
{
    enum { SIDE = 72, TILE = 12, TILES = SIDE / TILE };
    static_assert(int(SIDE) * int(SIDE) <= int(PART), "it fits");
    words from = u.at.array.first(SIDE * SIDE);
    uat::temporary_vector<std::uint64_t> turned(SIDE * SIDE);
    words to = turned.span();
    fill(from, u, 5);
    uat::task_group group;
    for (int k = 0; k < TILES * TILES; k++)
        group.run([=] {
            const std::size_t row = SIDE * sizeof(std::uint64_t), line = TILE * sizeof(std::uint64_t);
            const int y = k / TILES * TILE, x = k % TILES * TILE;
            std::uint64_t in[TILE][TILE], out[TILE][TILE];
            uat_global_transfer_t transfer;
            uat_global_get_strided_begin(&transfer, in, line, from.data() + y * SIDE + x, row, line, TILE);
            uat_global_transfer_wait(&transfer);
            uat::migrate(uat_global_home(to.data() + x * SIDE + y));
            for (int i = 0; i < TILE; i++)
                for (int j = 0; j < TILE; j++)
                    out[j][i] = in[i][j];
            uat_global_put_strided(to.data() + x * SIDE + y, row, out, line, line, TILE);
        });
    group.wait();
    int wrong = 0;
    for (std::uint64_t i = 0; i < SIDE; i++) {
        auto row = to.subspan(i * SIDE, SIDE).read();
        for (std::uint64_t j = 0; j < SIDE; j++)
            wrong += row[j] != u.value(5 + j * SIDE + i);
    }
    return wrong;
}

/* Atomics on words of a temporary array. The array is allocated again and again, in places that other arrays have
 * used. */
int atomics_in_reused_temporaries(const use &u)
{
    enum { TURNS = 5, WORDS = 40 };
    int wrong = 0;
    for (std::uint64_t turn = 0; turn < TURNS; turn++) {
        std::uint64_t n = WORDS + u.draw(turn, 9000), adds = 200 + u.draw(turn + 50, 400);
        uat::temporary_vector<std::uint64_t> scratch(n);
        words s = scratch.span();
        for (std::size_t i = 0; i < WORDS; i++)
            s.atomic(i).store(u.value(turn));
        uat::parallel_for(0, std::int64_t(adds), [=](std::int64_t i) {
            s.atomic(std::size_t(i) % WORDS).add(2);
            uat_atomic_fetch_or(reinterpret_cast<uat_atomic_t *>(s.data() + std::size_t(i * 7) % WORDS), 1);
        });
        std::uint64_t sum = 0, want = 2 * adds + WORDS * (u.value(turn) | 1);
        for (std::size_t i = 0; i < WORDS; i++)
            sum += s.atomic(i).load();
        wrong += sum != want;
    }
    return wrong;
}

} // namespace

const combination of_memory[OF_MEMORY] = {
    {"temporary arrays in a cancelled group", temporary_in_cancelled_group},
    {"exceptions over open ranges", exception_over_open_ranges},
    {"objects given back beside a frozen array", objects_given_back_beside_frozen},
    {"a list under a mutex that throws", list_under_a_mutex_that_throws},
    {"a sort and a scan of temporary arrays", sorts_and_scans_of_temporaries},
    {"tiles by tasks that migrate", tiles_by_tasks_that_migrate},
    {"atomics in reused temporary arrays", atomics_in_reused_temporaries},
};

} // namespace meet
