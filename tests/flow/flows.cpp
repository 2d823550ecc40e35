/* SPDX-License-Identifier: MIT */
/*
 * Description: data-flow tasks in C++. The cases are a triangle of sums by lambdas with all modes, a function as a
 * body, nested flows, waits for one datum, and reuse of a flow.
 * usage: flows
 */
#include <cstdint>
#include <cstdio>

#include <uat.hpp>

namespace
{

constexpr std::int64_t N = 24;

struct cell {
    std::int64_t value;
    std::int64_t padding[15];
    cell &operator+=(const cell &more)
    {
        value += more.value;
        return *this;
    }
};

void add(uat::in<cell> a, const uat::in<cell> &b, uat::out<cell> c)
{
    c->value = a->value + b->value;
}

/* Pascal's triangle: cell (i, j) is the sum of two cells above it. */
std::int64_t triangle(cell *t)
{
    uat::flow f;
    auto at = [t](std::int64_t i, std::int64_t j) { return &t[i * N + j]; };
    for (std::int64_t i = 0; i < N; i++)
        for (std::int64_t j = 0; j <= i; j++)
            if (j == 0 || j == i)
                f.spawn([](uat::out<cell> c, int one) { c->value = one; }, at(i, j), 1);
            else
                f.spawn(add, at(i - 1, j - 1), at(i - 1, j), at(i, j));
    f.wait_to_read(at(N - 1, N / 2));
    return uat::global_ptr<cell>(at(N - 1, N / 2)).load().value;
}

/* Sums in any order, doubled by a nested flow, then read. */
std::int64_t sums(cell *t)
{
    uat::flow f(5);
    f.spawn([](uat::out<cell> c) { c->value = 0; }, t);
    f.at(t + N);
    for (std::int64_t i = 0; i < 50; i++)
        f.spawn([](uat::any_order<cell> c, std::int64_t k) { c->value += k; }, t, i);
    f.spawn(
        [](uat::below<uat::inout<cell>> c) {
            uat::flow inner;
            inner.spawn([](uat::inout<cell> d) { d->value *= 2; }, c.get());
            inner.spawn([](uat::inout<cell> d) { d->value += 1; }, c.get());
        },
        t);
    f.wait();
    f.at(UAT_FLOW_ANYWHERE);
    for (std::int64_t i = 0; i < 20; i++)
        f.spawn([](std::int64_t k, uat::add<cell> c, uat::add<cell> d) { c->value += 2 * k, d->value += 1; }, i, t,
                t + 1);
    f.spawn([](uat::inout<cell> c) { c->value -= 20 * 19; }, t);
    f.spawn([](uat::inout<cell> c) { c->value += 10; }, t);
    f.wait_to_write(t);
    return uat::global_ptr<cell>(t).load().value;
}

std::int64_t binomial(std::int64_t n, std::int64_t k)
{
    std::int64_t b = 1;
    for (std::int64_t i = 1; i <= k; i++)
        b = b * (n - k + i) / i;
    return b;
}

} // namespace

int main()
{
    uat::job job;
    auto *cells = static_cast<cell *>(uat_global_alloc(N * N * sizeof(cell), UAT_CYCLIC, 0));
    int errors = 0;
    for (int round = 0; round < 10; round++) {
        errors += uat::run(triangle, cells) != binomial(N - 1, N / 2);
        errors += uat::run(sums, cells) != 50 * 49 / 2 * 2 + 1 + 10;
    }
    if (uat_rank() == 0)
        std::printf("%d errors\n", errors);
    return errors != 0 || !cells;
}
