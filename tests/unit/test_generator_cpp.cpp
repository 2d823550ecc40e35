// SPDX-License-Identifier: MIT
// Description: uat::generator<T> as a range in `for`, with captures, with destructors at an early end, and with
// exceptions that reach the consumer.
#include <cstdio>
#include <stdexcept>

#include "include/uat/generator.hpp"

static int failures;

#define CHECK(what) (void)((what) || (std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what), failures++))

struct counted {
    static int alive;
    counted()
    {
        alive++;
    }
    counted(const counted &)
    {
        alive++;
    }
    ~counted()
    {
        alive--;
    }
};
int counted::alive;

static int sum(int from, int to)
{
    int all = 0;
    uat::generator<int> range([from, to](auto &give) {
        for (int i = from; i < to; i++)
            give(i);
    });
    for (int i : range)
        all += i;
    return all;
}

static void early_end()
{
    counted capture;
    {
        uat::generator<int> g([capture](auto &give) {
            counted local;
            for (int i = 0;; i++)
                give(i);
        });
        int seen = 0;
        CHECK(counted::alive == 2);
        for (int i : g) {
            CHECK(i == seen);
            CHECK(counted::alive == 3);
            if (++seen == 10)
                break;
        }
        CHECK(seen == 10);
    }
    CHECK(counted::alive == 1);
    {
        uat::generator<int> never([capture](auto &give) { give(1); });
    }
    CHECK(counted::alive == 1);
}

static void exceptions()
{
    uat::generator<int, 16384> g([](auto &give) {
        give(1);
        throw std::runtime_error("from inside");
    });
    int value = 0;
    bool caught = false;
    CHECK(g.next(value) && value == 1);
    try {
        g.next(value);
    } catch (const std::runtime_error &) {
        caught = true;
    }
    CHECK(caught);
    CHECK(!g.next(value));
}

struct point {
    double x, y, z;
};

static double large_values()
{
    double all = 0;
    uat::generator<point> g([](auto &give) {
        for (int i = 0; i < 10; i++)
            give(point{1.0 * i, 2.0 * i, 3.0 * i});
    });
    for (const point &p : g)
        all += p.x + p.y + p.z;
    return all;
}

int main()
{
    CHECK(sum(0, 100) == 4950);
    CHECK(sum(7, 7) == 0);
    early_end();
    CHECK(counted::alive == 0);
    exceptions();
    CHECK(large_values() == 6.0 * 45);
    return failures > 0;
}
