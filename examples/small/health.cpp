/* SPDX-License-Identifier: MIT */
#include "examples/small/health.hpp"

#include <functional>

#include "uat.hpp"

using namespace health;

using People = uat::span<Person>;
using Country = uat::span<Village>;

static List simulate(int v, Country country, People people)
{
    uat::result_group<List, branch> below;
    for (int i = 0; v < inner && i < branch; i++)
        below.run(simulate, v * branch + 1 + i, country, people);
    below.wait();
    auto village = country.subspan(size_t(v), 1).update();
    return step(village[0], below.begin(), int(below.size()), v == 0, people);
}

static double simulate_all(Country country, People people)
{
    uat::parallel_for(0, villages, [=](int64_t v) { country.put(size_t(v), found(int(v), people)); });
    for (int i = 0; i < steps; i++)
        simulate(0, country, people);
    return uat::transform_reduce(people, 0.0, std::plus<>(), [](const Person &person) { return double(person.ill); });
}

int main(int argc, char **argv)
{
    uat::job job;
    uat::global_vector<Village> country(villages);
    uat::global_vector<Person> people(villages * inhabitants);
    return small::compare(
        argc, argv, uat_rank(), "health",
        [c = country.span(), p = people.span()] { return uat::run(simulate_all, c, p); }, plain);
}
