/* SPDX-License-Identifier: MIT */
#include "examples/small/health.hpp"

#include "examples/small/tbb/tbb.hpp"

using namespace health;

static List simulate(int v, Village *country, const PlainPeople &people)
{
    List arrived[branch];
    int below = v < inner ? branch : 0;
    tbb::task_group group;
    for (int i = 0; i < below; i++)
        group.run([&arrived, &people, v, i, country] { arrived[i] = simulate(v * branch + 1 + i, country, people); });
    group.wait();
    return step(country[v], arrived, below, v == 0, people);
}

static double simulate_all()
{
    std::vector<Person> person(villages * inhabitants);
    std::vector<Village> country(villages);
    PlainPeople people = {person.data()};
    double ill = 0;
    tbb::parallel_for(0, villages, [&](int v) { country[size_t(v)] = found(v, people); });
    for (int i = 0; i < steps; i++)
        simulate(0, country.data(), people);
    for (const Person &one : person)
        ill += double(one.ill);
    return ill;
}

int main(int argc, char **argv)
{
    workers limit;
    return small::compare(argc, argv, 0, "health", simulate_all, plain);
}
