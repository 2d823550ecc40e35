/* SPDX-License-Identifier: MIT */
/*
 * Description: uat::result_group: results in the order of the calls, in trees, with other types, and on given workers;
 * the first exception in serial order; an exception that unwinds the group; more tasks than it has room for; reducers.
 * usage: results
 */
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <uat.hpp>

namespace
{

void linger(int n)
{
    for (volatile int i = 0; i < n;)
        i = i + 1;
}

/* The sum of the numbers first ... first + size - 1; size is a power of 10. */
std::int64_t skynet(std::int64_t first, std::int64_t size)
{
    if (size == 1)
        return first;
    uat::result_group<std::int64_t, 10> children;
    for (std::int64_t i = 0; i < 10; i++)
        children.run(skynet, first + i * (size / 10), size / 10);
    std::int64_t sum = 0;
    for (std::int64_t part : children.wait())
        sum += part;
    return sum;
}

struct alignas(64) line {
    std::int64_t number, words[15];
    explicit line(int n) : number(n), words()
    {
        words[14] = -n;
    }
};

/* Each number of tasks from none to all, again and again in one group. */
int check_order()
{
    int errors = 0;
    uat::result_group<line, 8> g;
    errors += g.wait().begin() != g.wait().end();
    for (int n = 0; n <= 8; n++) {
        for (int i = 0; i < n; i++)
            g.run(
                [](int k) {
                    linger(k % 3 * 1000);
                    return k; /* becomes a line */
                },
                10 * n + i);
        const auto &results = g.wait();
        if (n > 0)
            errors += results.size() != std::size_t(n);
        for (int i = 0; i < n; i++)
            errors += results[std::size_t(i)].number != 10 * n + i || results[std::size_t(i)].words[14] != -10 * n - i;
    }
    return errors;
}

int check_places()
{
    int errors = 0, ranks = uat_size();
    uat::result_group<int, 16> g;
    for (int i = 0; i < 16; i++)
        g.run_on(i % ranks, [] { return uat_rank(); });
    g.wait();
    for (int i = 0; i < 16; i++)
        errors += g[std::size_t(i)] != i % ranks;
    return errors;
}

/* Tasks from `bad` on throw; the first of them counts. The destructor or the wait throws. */
int check_throws(bool waits)
{
    int errors = 0;
    for (int bad = 0; bad < 20; bad += 3) {
        int caught = -1;
        try {
            uat::result_group<int, 20> g;
            for (int i = 0; i < 20; i++)
                g.run([=] {
                    linger((20 - i) * 500);
                    if (i >= bad)
                        throw std::out_of_range(std::to_string(i));
                    return i;
                });
            if (waits)
                g.wait();
        } catch (const std::out_of_range &e) {
            caught = std::stoi(e.what());
        }
        errors += caught != bad;
    }
    return errors;
}

int check_unwinding(uat::atomic_ref<std::int64_t> done)
{
    bool own = false;
    done.store(0);
    try {
        uat::result_group<int, 20> g;
        for (int i = 0; i < 20; i++)
            g.run([=]() -> int {
                linger(2000);
                done.fetch_add(1);
                if (i % 3 == 0)
                    throw std::length_error("dropped");
                return i;
            });
        throw std::runtime_error("own");
    } catch (const std::runtime_error &) {
        own = true;
    } catch (const std::length_error &) {
    }
    return !own || done.load() != 20;
}

/* The task that finds no room is not run, and those before it are waited for. */
int check_full(uat::atomic_ref<std::int64_t> started)
{
    int errors = 0;
    started.store(0);
    uat::result_group<int, 3> g;
    auto one = [=](int i) {
        started.fetch_add(1);
        return i;
    };
    for (int i = 0; i < 3; i++)
        g.run(one, i);
    try {
        g.run(one, 3);
        errors++;
    } catch (const std::length_error &e) {
        errors += std::string(e.what()).find("more than the 3 ") == std::string::npos;
    }
    g.wait();
    errors += started.load() != 3 || g.size() != 3 || g[2] != 2;
    g.run(one, 7); /* the group is filled anew */
    errors += g.wait().size() != 1 || g[0] != 7;
    return errors;
}

struct digits {
    static std::int64_t identity()
    {
        return 0;
    }
    std::int64_t operator()(std::int64_t a, std::int64_t b) const
    {
        std::int64_t scale = 1;
        while (scale <= b)
            scale *= 10;
        return a * scale + b;
    }
};

/* Reducers see the children in their order. */
int check_reducer()
{
    uat::reducer<std::int64_t, digits> text;
    uat::result_group<int, 9> g;
    for (int i = 1; i <= 9; i++)
        g.run([=] {
            linger((9 - i) * 1000);
            *text = digits()(*text, i);
            return i;
        });
    g.wait();
    return text.take() != 123456789;
}

int root(uat::span<std::int64_t> words)
{
    int tree = skynet(0, 1000) != 499500, order = check_order(), places = check_places();
    int throws = check_throws(true) + check_throws(false), unwinding = check_unwinding(words.atomic(0));
    int full = check_full(words.atomic(1)), reducer = check_reducer();
    int all = tree + order + places + throws + unwinding + full + reducer;
    if (all > 0)
        std::fprintf(stderr, "results: tree %d, order %d, places %d, throws %d, unwinding %d, full %d, reducer %d\n",
                     tree, order, places, throws, unwinding, full, reducer);
    return all;
}

} // namespace

int main()
{
    uat::job job;
    uat::global_vector<std::int64_t> words(2);
    return uat::run(root, words.span()) > 0;
}
