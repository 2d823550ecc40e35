/* SPDX-License-Identifier: MIT */
/*
 * The health care of a country, after the benchmark "health" of BOTS (Duran and others, ICPP'09), written anew.
 * Villages form a tree. Each has inhabitants and a hospital. In every step of time inhabitants become ill, wait for a
 * place in the hospital, are examined, are treated or sent home, or move to the hospital of the village above. A step
 * of a village follows the steps of the villages below, which hand patients up.
 */
#ifndef UAT_SMALL_HEALTH_HPP
#define UAT_SMALL_HEALTH_HPP

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace health
{
constexpr int branch = 4, villages = 341, inner = 85; /* `inner` villages have others below */
constexpr int inhabitants = 40, steps = 60;
constexpr int examination = 3, treatment = 10; /* steps */

struct Person {
    uint64_t random;
    int32_t next, left; /* in its list; steps until the examination or treatment ends */
    int64_t ill;        /* steps of illness so far */
};

/* Persons by number, linked by `next`. The one that came last is the first. */
struct List {
    int32_t first = -1;
};

struct Village {
    int32_t free; /* places in the hospital */
    List home, waiting, examined, treated;
};

/* People are all persons: get(i) is person i, and put(i, person) replaces it. */
template <class People> void enter(List &list, int32_t i, Person person, const People &people)
{
    person.next = list.first;
    list.first = i;
    people.put(size_t(i), person);
}

/* Take all persons out of the list. move(i, person) puts each into a list. */
template <class People, class F> void deal(List &list, const People &people, F move)
{
    int32_t i = list.first;
    list = {};
    while (i >= 0) {
        Person person = people.get(size_t(i));
        int32_t next = person.next;
        move(i, person);
        i = next;
    }
}

inline bool happens(Person &person, int in_thousand)
{
    return splitmix_next(&person.random) % 1000 < uint64_t(in_thousand);
}

/* The village and its inhabitants before the first step. */
template <class People> Village found(int v, const People &people)
{
    Village village = {v == 0 ? 400 : v < inner ? 40 : 4, {}, {}, {}, {}};
    for (int32_t i = v * inhabitants; i < (v + 1) * inhabitants; i++)
        enter(village.home, i, {splitmix(uint64_t(i)), -1, 0, 0}, people);
    return village;
}

/* A step of the village, after those of the villages below, which have handed `arrived` up. Returns the persons that
 * this village hands up. */
template <class People> List step(Village &village, const List *arrived, int count, bool is_top, const People &people)
{
    List up;
    deal(village.treated, people, [&](int32_t i, Person person) {
        person.ill++;
        bool well = --person.left == 0;
        village.free += well;
        enter(well ? village.home : village.treated, i, person, people);
    });
    deal(village.examined, people, [&](int32_t i, Person person) {
        person.ill++;
        if (--person.left > 0)
            return enter(village.examined, i, person, people);
        bool serious = happens(person, 300), moves = serious && !is_top && happens(person, 200);
        village.free += !serious || moves;
        person.left = treatment;
        enter(moves ? up : serious ? village.treated : village.home, i, person, people);
    });
    auto receive = [&](int32_t i, Person person) {
        person.ill++;
        person.left = examination;
        bool enters = village.free > 0;
        village.free -= enters;
        enter(enters ? village.examined : village.waiting, i, person, people);
    };
    deal(village.waiting, people, receive);
    for (int i = 0; i < count; i++) {
        List list = arrived[i];
        deal(list, people, receive);
    }
    deal(village.home, people, [&](int32_t i, Person person) {
        bool ill = happens(person, 20);
        enter(ill ? village.waiting : village.home, i, person, people);
    });
    return up;
}

struct PlainPeople {
    Person *all;
    Person get(size_t i) const
    {
        return all[i];
    }
    void put(size_t i, const Person &person) const
    {
        all[i] = person;
    }
};

inline List plain_step(int v, Village *village, const PlainPeople &people)
{
    List arrived[branch];
    int below = v < inner ? branch : 0;
    for (int i = 0; i < below; i++)
        arrived[i] = plain_step(v * branch + 1 + i, village, people);
    return step(village[v], arrived, below, v == 0, people);
}

/* The steps of illness of all persons. */
inline double plain()
{
    std::vector<Person> person(villages * inhabitants);
    std::vector<Village> village(villages);
    PlainPeople people = {person.data()};
    double ill = 0;
    for (int v = 0; v < villages; v++)
        village[size_t(v)] = found(v, people);
    for (int i = 0; i < steps; i++)
        plain_step(0, village.data(), people);
    for (const Person &one : person)
        ill += double(one.ill);
    return ill;
}
} // namespace health

#endif
