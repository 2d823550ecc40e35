/* SPDX-License-Identifier: MIT */
/*
 * Description: the C++ types. Tasks use futures and channels, also of void, mutexes in std::lock_guard, conditions,
 * semaphores, latches and barriers. Their variables own them. A channel is a range. Temporary arrays end with their
 * scope. A list of global_ptr grows on all workers. Pairs, tuples, arrays and a type of the program are sent between
 * workers. The job ends by job::finish(). All results are compared with those of a sequential program. usage:
 * objects */
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <tuple>
#include <utility>

#include <uat.hpp>

namespace
{

/* This type is not trivially copyable, but it may travel: it has no pointer to its process. */
struct interval {
    long low, high;
    interval(long l, long h) : low(l), high(h)
    {
    }
    interval(const interval &other) : low(other.low), high(other.high)
    {
    }
    interval &operator=(const interval &) = default;
};

struct node {
    long value;
    uat::global_ptr<node> next;
};

enum { ITEMS = 100, TASKS = 8 };

} // namespace

template <> struct uat::travels<interval> : std::true_type {
};

namespace
{

int check_travels()
{
    std::pair<long, double> p =
        uat::spawn([](std::pair<long, double> x) { return std::make_pair(x.first + 1, x.second * 2); },
                   std::make_pair(4L, 1.5))
            .join();
    std::tuple<int, long, std::array<short, 3>> t = uat::spawn(
                                                        [](std::tuple<int, long, std::array<short, 3>> x) {
                                                            std::get<2>(x)[1] = 7;
                                                            return x;
                                                        },
                                                        std::make_tuple(1, 2L, std::array<short, 3>{{1, 2, 3}}))
                                                        .join();
    interval i = uat::spawn([](interval x) { return interval(x.low - 1, x.high + 1); }, interval(3, 5)).join();
    auto sum = uat::parallel_reduce(
        0, 1000, std::make_pair(0L, 0L),
        [](auto a, auto b) { return std::make_pair(a.first + b.first, a.second + b.second); },
        [](std::int64_t k) { return std::make_pair(long(k), 1L); });
    return (p != std::make_pair(5L, 3.0)) + (t != std::make_tuple(1, 2L, std::array<short, 3>{{1, 7, 3}})) +
           (i.low != 2 || i.high != 6) + (sum != std::make_pair(499500L, 1000L));
}

int check_channels()
{
    auto sender = uat::spawn([] { uat::channel<long>::named("objects", 2).send(7); });
    sender.join();
    long sent = 0;
    int named = uat::channel<long>::named("objects", 2).try_receive(sent) != 0 || sent != 7;
    uat::channel<std::pair<int, long>> numbers(3);
    uat::future<long> total;
    int errors = named + total.try_get().has_value();
    auto adder = uat::spawn([numbers = numbers.ref(), total = total.ref()] {
        long sum = 0;
        for (const auto &n : numbers)
            sum += n.first * n.second;
        total.set(sum);
    });
    long expected = 0;
    for (int i = 0; i < ITEMS; i++) {
        errors += !numbers.send({i, i + 1L});
        expected += i * (i + 1L);
    }
    numbers.close();
    errors += numbers.send({0, 0}) || total.get() != expected || total.try_get() != expected;
    adder.join();
    std::pair<int, long> nothing;
    errors +=
        numbers.receive().has_value() || numbers.try_receive(nothing) != -EPIPE || numbers.try_send(nothing) != -EPIPE;
    return errors;
}

/* Signals without values, and an event. */
int check_signals()
{
    uat::channel<void> signals(2);
    uat::future<void> counted;
    int errors = counted.try_get();
    auto counter = uat::spawn([signals = signals.ref(), counted = counted.ref()] {
        int n = 0;
        while (signals.receive())
            n++;
        counted.set();
        return n;
    });
    for (int i = 0; i < ITEMS; i++)
        errors += !signals.send();
    signals.close();
    counted.get();
    errors += !counted.try_get() || counter.join() != ITEMS;
    errors += signals.send() || signals.receive() || signals.try_send() != -EPIPE || signals.try_receive() != -EPIPE;
    auto sender = uat::spawn([] { uat::channel<void>::named("signals", 1).send(); });
    sender.join();
    errors += uat::channel<void>::named("signals", 1).try_receive() != 0;
    return errors;
}

/* A list to which all tasks add at the head, under a mutex. */
int check_list(uat::global_ptr<node> head)
{
    uat::mutex m;
    uat::latch all(ITEMS);
    uat::parallel_for(0, ITEMS, [m = m.ref(), all = all.ref(), head](std::int64_t i) {
        std::lock_guard lock(m);
        head.update()->next = uat::make_object<node>(long(i), head.load().next);
        all.count_down();
    });
    all.wait();
    long sum = 0, count = 0;
    while (auto first = head.load().next) {
        sum += first.load().value;
        count++;
        head.update()->next = first.read()->next;
        uat::destroy(first);
    }
    int errors = sum != ITEMS * (ITEMS - 1) / 2 || count != ITEMS;
    errors += !m.try_lock();
    m.unlock();
    return errors;
}

/* Tasks take turns by a condition. A semaphore admits two at a time. A barrier lets them leave together. */
int check_turns(uat::global_ptr<long> turn)
{
    uat::mutex m;
    uat::condition_variable changed;
    uat::counting_semaphore room(2);
    uat::barrier together(2);
    turn.store(0);
    uat::parallel_for(0, TASKS, [=, m = m.ref(), changed = changed.ref()](std::int64_t i) {
        std::unique_lock lock(m);
        changed.wait(lock, [=] { return turn.load() == i; }); /* iterations of one task run in order */
        turn.store(i + 1);
        changed.notify_all();
    });
    auto other = uat::spawn([room = room.ref(), together = together.ref()] {
        room.acquire();
        return together.arrive_and_wait();
    });
    room.acquire();
    bool last = together.arrive_and_wait(), others = other.join();
    int errors = turn.load() != TASKS || last == others || room.try_acquire();
    room.release(2);
    errors += !room.try_acquire();
    return errors;
}

/* Variables own their objects: more of them are made here than UAT_HEAP_SIZE has room for at a time. A move, detach()
 * and destroy() hand the object over or end it, an exception ends it, too, and a biased mutex may end on another
 * worker. */
int check_owners()
{
    using wide = std::array<char, 1000>;
    int errors = 0;
    for (int i = 0; i < 20000; i++)
        uat::future<wide>().set(wide());
    for (int i = 0; i < 1000; i++) {
        uat::channel<wide> first(100), second(std::move(first)), third(100);
        third = std::move(second);
        errors += first || second || !third;
        uat::channel<wide> last(third.detach());
        errors += third || last.try_send(wide()) != 0;
        last.destroy();
        errors += bool(last);
    }
    for (int rank = 0; rank < uat_size(); rank++)
        try {
            uat::mutex home(uat::biased), other;
            uat::mutex_ref name = home;
            errors += !name.try_lock();
            name.unlock();
            uat::migrate((rank + 1) % uat_size()); /* the exception unwinds the mutexes there */
            throw rank;
        } catch (int thrown) {
            errors += thrown != rank;
        }
    uat::migrate(0);
    uat::mutex away(uat::biased);
    uat::migrate(uat_size() - 1); /* here it ends */
    return errors;
}

int check_temporary()
{
    constexpr std::size_t n = 50000;
    uat::temporary_vector<long> first(n), none(0), second(std::move(first));
    uat::parallel_for(0, std::int64_t(n), [s = second.span()](std::int64_t i) { s.put(std::size_t(i), long(i)); });
    long sum = uat::transform_reduce(second.span(), 0L, std::plus<>(), [](long x) { return x; });
    int errors = sum != long(n * (n - 1) / 2) || first.size() != 0 || second.size() != n || !none.span().empty();
    for (int i = 0; i < 100; i++) /* the arrays fit into memory only because each ends with its scope */
        errors += uat::temporary_vector<char>(std::size_t(500000)).span().data() == nullptr;
    try {
        uat::temporary_vector<char> large(std::size_t(1) << 40);
        errors++;
    } catch (const std::bad_alloc &) {
    }
    return errors;
}

struct large {
    uat::global_ptr<large> next;
    char rest[20000];
};

/* Allocate objects until an exception reports that there is no room. Then give all objects back. */
int check_no_room()
{
    uat::global_ptr<large> head;
    int thrown = 0;
    while (!thrown) {
        try {
            auto next = uat::make_object<large>();
            uat_global_put(&next.get()->next, &head, sizeof(head));
            head = next;
        } catch (const uat::error &e) {
            thrown = e.code().value();
        }
    }
    while (head) {
        uat::global_ptr<large> next = head.read()->next;
        uat::destroy(head);
        head = next;
    }
    return thrown != ENOMEM;
}

int root()
{
    auto head = uat::make_object<node>();
    auto turn = uat::make_object<long>(-1L);
    uat::global_ptr<const long> same = turn;
    int owners = check_owners();
    int travels = check_travels(), channels = check_channels() + check_signals(), list = check_list(head),
        turns = check_turns(turn), temporary = check_temporary(), no_room = check_no_room();
    int pointers = head == nullptr || !turn || *same.read() != TASKS || turn.home() < 0 ||
                   turn != uat::global_ptr<long>(turn.get());
    uat::destroy(head);
    uat::destroy(turn);
    uat::destroy(uat::global_ptr<node>());
    if (travels + channels + list + turns + pointers + temporary + no_room + owners > 0)
        std::fprintf(
            stderr,
            "objects: owners %d, travels %d, channels %d, list %d, turns %d, pointers %d, temporary %d, no room %d\n",
            owners, travels, channels, list, turns, pointers, temporary, no_room);
    return travels + channels + list + turns + pointers + temporary + no_room + owners;
}

} // namespace

int main()
{
    setenv("UAT_GLOBAL_SIZE", "64M", 0); /* check_no_room() fills a part */
    uat::job job;
    if (uat_global_temporary_open(1 << 21, 0)) /* twice what two arrays need, because of gaps */
        return 1;
    uat::mutex outside, moved(std::move(outside)), after; /* ends after the job */
    moved.destroy();
    int errors = uat::run(root) + bool(outside) + bool(moved);
    return errors > 0 || job.finish() != 0 || job.finish() != 0;
}
