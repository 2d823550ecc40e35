/* SPDX-License-Identifier: MIT */
/* A C++20 module over uat.hpp, whose templates are instantiated by the program that imports it: module_main.cpp. */
module;
#include <uat.hpp>
export module work;

export template <class T> T pair(T n)
{
    auto twice = uat::spawn([](T x) { return x * 2; }, n);
    T once = n;
    return twice.join() + once;
}
export template <class T> T added(T n)
{
    uat::reducer<T> sum;
    uat::task_group group;
    for (T i = 0; i < n; i++)
        group.run([sum](T x) { *sum += x; }, i);
    group.wait();
    return sum.take();
}
export template <class T> T total(uat::span<T> s)
{
    T sum = s.atomic(0).load() - s.get(0);
    auto elements = s.read();
    for (const T &x : elements)
        sum += x;
    return sum;
}
export template <class T> T given(T n)
{
    uat::generator<T> values([n](auto &give) {
        for (T i = 0; i < n; i++)
            give(i);
    });
    T sum = 0;
    for (T i : values)
        sum += i;
    return sum;
}
export template <class F> auto go(F f)
{
    return uat::run(f);
}
export using uat::job;
export using uat::global_vector;
export using uat::fill;
