/* SPDX-License-Identifier: MIT */
#include "examples/small/health.hpp"

using namespace health;

static List simulate(int v, Village *country, const PlainPeople &people)
{
    List arrived[branch];
    int below = v < inner ? branch : 0;
    for (int i = 0; i < below; i++)
#pragma omp task shared(arrived, people)
        arrived[i] = simulate(v * branch + 1 + i, country, people);
#pragma omp taskwait
    return step(country[v], arrived, below, v == 0, people);
}

static double simulate_all()
{
    std::vector<Person> person(villages * inhabitants);
    std::vector<Village> country(villages);
    PlainPeople people = {person.data()};
    double ill = 0;
#pragma omp parallel for
    for (int v = 0; v < villages; v++)
        country[size_t(v)] = found(v, people);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < steps; i++)
        simulate(0, country.data(), people);
    for (const Person &one : person)
        ill += double(one.ill);
    return ill;
}

int main(int argc, char **argv)
{
    return small::compare(argc, argv, 0, "health", simulate_all, plain);
}
