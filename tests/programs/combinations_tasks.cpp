/* SPDX-License-Identifier: MIT */
/* Combinations of reducers, exceptions, generators, cancellation and waiting. */
#include <cstdio>
#include <stdexcept>
#include <string>

#include "tests/programs/combinations.hpp"

namespace meet
{

namespace
{

/* A loop adds to a reducer whose operation does not commute, until an iteration throws. */
int reducer_in_a_loop_that_throws(const use &u)
{
    std::int64_t n = 200 + std::int64_t(u.draw(1, 3000)), bad = std::int64_t(u.draw(2, std::uint64_t(n)));
    ordered numbers;
    std::int64_t caught = -1;
    try {
        uat::parallel_for(0, n, [=](std::int64_t i) {
            if (i >= bad)
                throw std::out_of_range(std::to_string(i));
            add(numbers, u.value(std::uint64_t(i)));
            if (i % 64 == 0)
                linger(2000);
        });
    } catch (const std::out_of_range &e) {
        caught = std::stol(e.what());
    }
    sequence want = SEQUENCE_NONE;
    for (std::int64_t i = 0; i < bad; i++)
        want = sequence_join(want, sequence_of(u.value(std::uint64_t(i))));
    return (caught != bad) + !sequence_equal(numbers.take(), want);
}

/* Tasks of nested groups add to a reducer before and after a wait for a mutex. One task and all later ones throw. */
int reducer_in_groups_that_throw(const use &u)
{
    enum { TASKS = 10, INNER = 5 };
    std::uint64_t bad = u.draw(1, TASKS);
    uat::mutex owned;
    const auto mutex = owned.ref();
    ordered numbers;
    uat::task_group group;
    for (std::uint64_t t = 0; t < TASKS; t++)
        group.run([=] {
            uat::task_group inner;
            add(numbers, t);
            for (std::uint64_t k = 0; k < INNER; k++)
                inner.run([=] {
                    mutex.lock();
                    linger(300);
                    mutex.unlock();
                    add(numbers, 100 * t + k);
                    if (t >= bad && k == INNER - 2)
                        throw std::out_of_range(std::to_string(t));
                });
            inner.wait(); /* throws the inner exception again */
        });
    std::uint64_t caught = TASKS;
    try {
        group.wait();
    } catch (const std::out_of_range &e) {
        caught = std::stoull(e.what());
    }
    sequence want = SEQUENCE_NONE;
    for (std::uint64_t t = 0; t < TASKS; t++) {
        want = sequence_join(want, sequence_of(t));
        for (std::uint64_t k = 0; k < INNER; k++)
            want = sequence_join(want, sequence_of(100 * t + k));
    }
    return (caught != bad) + !sequence_equal(numbers.take(), want);
}

/* Each iteration of a loop waits for a future that an earlier iteration sets, and adds to a reducer before and after
 * the wait. The futures' handles are in global memory. */
int futures_between_iterations(const use &u)
{
    enum { STEPS = 60 };
    using link = uat::future_ref<std::uint64_t>;
    auto handles = uat::make_object<std::array<link, STEPS>>();
    for (std::size_t i = 0; i < STEPS; i++)
        handles.update()->at(i) = uat::future<std::uint64_t>().detach();
    ordered numbers;
    uat::parallel_for(0, STEPS, [=](std::int64_t i) {
        std::uint64_t before = 0;
        add(numbers, std::uint64_t(i));
        if (i > 0) {
            link earlier = handles.load()[std::size_t(i) - 1];
            before = earlier.get();
        }
        add(numbers, before);
        handles.load()[std::size_t(i)].set(mix(before + u.seed));
    });
    sequence want = SEQUENCE_NONE;
    for (std::uint64_t i = 0, before = 0; i < STEPS; i++, before = mix(before + u.seed)) {
        want = sequence_join(want, sequence_of(i));
        want = sequence_join(want, sequence_of(before));
    }
    for (std::size_t i = 0; i < STEPS; i++)
        handles.load()[i].destroy();
    uat::destroy(handles);
    return !sequence_equal(numbers.take(), want);
}

/* Searches in groups within a cancellable group. The task that finds the goal sends it through a named channel. */
int named_channel_in_a_cancelled_search(const use &u)
{
    enum { BRANCHES = 6, LEAVES = 40, ROOM = 4 };
    std::uint64_t goal = u.draw(1, BRANCHES * LEAVES);
    std::array<char, UAT_CHANNEL_NAME_MAX + 1> name{};
    std::snprintf(name.data(), name.size(), "search %llx", static_cast<unsigned long long>(u.seed));
    uat::task_group group;
    uat::cancel_token token = group.cancellation();
    for (std::uint64_t b = 0; b < BRANCHES; b++)
        group.run([=] {
            uat::task_group inner(token);
            for (std::uint64_t k = 0; k < LEAVES && !token.cancelled(); k++)
                inner.run([=] {
                    linger(500);
                    if (b * LEAVES + k != goal)
                        return;
                    uat::channel<std::uint64_t>::named(name.data(), ROOM).send(goal);
                    token.cancel();
                });
            inner.wait();
        });
    group.wait();
    auto found = uat::channel<std::uint64_t>::named(name.data(), ROOM);
    std::uint64_t got = 0, more = 0;
    int wrong = found.try_receive(got) != 0 || got != goal;
    wrong += found.try_receive(more) != -EAGAIN;
    found.destroy();
    return wrong;
}

/* Generators read far memory for each value, while their task uses groups, migrates and waits. An exception unwinds the
 * task together with the generator. */
int generators_over_waits_and_exceptions(const use &u)
{
    enum { TASKS = 6, VALUES = 30 };
    std::uint64_t bad = u.draw(1, TASKS), run = u.at.run;
    auto fixed = u.at.fixed;
    uat::reducer<std::uint64_t> sum;
    uat::task_group group;
    for (std::uint64_t t = 0; t < TASKS; t++)
        group.run([=] {
            std::uint64_t first = u.draw(10 + t, fixed.size() - VALUES * 97);
            uat::generator<std::uint64_t, 16384> values([=](auto &give) {
                for (std::uint64_t i = 0; i < VALUES; i++)
                    give(fixed.get(first + i * 97));
            });
            std::uint64_t i = 0;
            for (std::uint64_t x : values) {
                *sum += x == fixed_value(first + i * 97, run);
                if (++i % 7 == t % 7)
                    uat::migrate(int((t + i) % std::uint64_t(uat_size())));
                else if (i % 5 == 0)
                    uat_yield();
                if (t >= bad && i == VALUES / 2)
                    throw std::range_error(std::to_string(t));
            }
        });
    std::uint64_t caught = TASKS;
    try {
        group.wait();
    } catch (const std::range_error &e) {
        caught = std::stoull(e.what());
    }
    return (caught != bad) + (sum.take() != bad * VALUES + (TASKS - bad) * (VALUES / 2));
}

/* Tasks on given workers share the units of a semaphore, and keep ranges open during calls that do not wait. */
int open_ranges_over_calls(const use &u)
{
    enum { TASKS = 12, SIZE = 100, NEXT = 3 };
    auto all = u.at.array;
    uat::counting_semaphore units(1 + u.draw(1, 3));
    uat::channel<std::uint64_t> numbers(TASKS);
    uat::latch done(TASKS);
    uat::fill(all.first(TASKS * SIZE + NEXT), std::uint64_t(0));
    uat::task_group group;
    for (std::uint64_t t = 0; t < TASKS; t++)
        group.run_on(int(u.draw(20 + t, std::uint64_t(uat_size()))), [=, units = units.ref(), numbers = numbers.ref(),
                                                                      done = done.ref()] {
            units.acquire();
            {
                auto part = all.subspan(t * SIZE, SIZE).write();
                for (std::size_t i = 0; i < SIZE; i++)
                    part[i] = u.value(t * SIZE + i);
                numbers.send(t); /* the channel has room, so this does not wait */
                units.release();
                auto beside = all.subspan(TASKS * SIZE, NEXT).read(); /* this range is in the page of some task's
                                                                       * part */
                done.count_down(1 + (beside[0] != 0));                /* counts too much if the wrong bytes arrive */
                for (std::size_t i = 0; i < SIZE; i++)
                    part[i] += 1;
            }
        });
    done.wait();
    int wrong = 0;
    std::uint64_t seen = 0;
    for (int i = 0; i < TASKS; i++)
        seen |= std::uint64_t(1) << *numbers.receive();
    group.wait();
    for (std::uint64_t i = 0; i < TASKS * SIZE; i++)
        wrong += all.get(i) != u.value(i) + 1;
    return wrong + (seen != (std::uint64_t(1) << TASKS) - 1);
}

/* Tasks run in phases that meet at a barrier. Each task runs a loop that smooths its part of one temporary array into
 * another array. The loop also reads the neighbours' parts. */
int phases_over_temporaries(const use &u)
{
    enum { TASKS = 4, SIZE = 300, PHASES = 5, N = TASKS * SIZE };
    uat::temporary_vector<std::uint64_t> a(N), b(N);
    std::array<uat::span<std::uint64_t>, 2> turn = {a.span(), b.span()};
    uat::barrier meet(TASKS);
    uat::tabulate(turn[0], [=](std::size_t i) { return u.value(i); });
    uat::task_group group;
    for (std::int64_t t = 0; t < TASKS; t++)
        group.run([=, meet = meet.ref()] {
            for (unsigned phase = 0; phase < PHASES; phase++) {
                auto from = turn[phase % 2], to = turn[1 - phase % 2];
                uat::parallel_for(t * SIZE, (t + 1) * SIZE, [=](std::int64_t i) {
                    std::uint64_t left = from.get(std::size_t((i + N - 1) % N)),
                                  right = from.get(std::size_t((i + 1) % N));
                    to.put(std::size_t(i), 3 * left + right);
                });
                meet.arrive_and_wait();
            }
        });
    group.wait();
    static thread_local std::uint64_t plain[2][N]; /* no wait between its first and last use, so the task stays on this
                                                    * thread */
    for (std::size_t i = 0; i < N; i++)
        plain[0][i] = u.value(i);
    for (unsigned phase = 0; phase < PHASES; phase++)
        for (std::size_t i = 0; i < N; i++)
            plain[1 - phase % 2][i] = 3 * plain[phase % 2][(i + N - 1) % N] + plain[phase % 2][(i + 1) % N];
    int wrong = 0;
    auto result = turn[PHASES % 2].read();
    for (std::size_t i = 0; i < N; i++)
        wrong += result[i] != plain[PHASES % 2][i];
    return wrong;
}

} // namespace

const combination of_tasks[OF_TASKS] = {
    {"a reducer in a loop that throws", reducer_in_a_loop_that_throws},
    {"a reducer in groups that throw", reducer_in_groups_that_throw},
    {"futures between iterations", futures_between_iterations},
    {"a named channel in a cancelled search", named_channel_in_a_cancelled_search},
    {"generators over waits and exceptions", generators_over_waits_and_exceptions},
    {"open ranges over calls", open_ranges_over_calls},
    {"phases over temporary arrays", phases_over_temporaries},
};

} // namespace meet
