/* SPDX-License-Identifier: MIT */
/*
 * Description: a program and its shared library, both compiled with hidden visibility, share tasks, reducers, packed
 * values, groups and exceptions. Each has its own copies of the templates. With the argument "write", a task of the
 * library writes to a static variable of the program. The message about this names both, though both are hidden.
 * usage: hidden [write]
 */
#include <cstdio>
#include <mutex>

#include "tests/programs/hidden.hpp"

namespace
{

enum { COUNT = 1000, CHILDREN = 8 };

long counter;

int check_reducers(library other)
{
    uat::reducer<long> sum;
    uat::reducer<long, least> smallest;
    auto theirs = uat::spawn(other.add, 1L, long(COUNT), sum, smallest);
    long ours = add<long>(-COUNT, COUNT, sum, smallest);
    long both = theirs.join() + ours;
    return (both != 0) + 2 * (sum.take() != 0) + 4 * (smallest.take() != -COUNT);
}

int check_exceptions(library other)
{
    int caught = 0;
    for (int kind = 0; kind < 3; kind++)
        for (auto thrower : {other.fail, fail})
            try {
                uat::task_group group;
                for (int i = 0; i < CHILDREN; i++)
                    group.run(thrower, kind);
                group.wait();
            } catch (const std::out_of_range &e) {
                caught += kind == 0 && e.what() == std::string("range");
            } catch (const uat::error &e) {
                caught += kind == 1 && e.code().value() == ENOMEM;
            } catch (const uat::task_error &e) {
                caught += kind == 2 && e.type() == std::string("unknown") && e.what() == std::string("unknown");
            }
    return caught != 6;
}

int check_packed(library other)
{
    uat::result_group<line, CHILDREN> group;
    for (int i = 0; i < CHILDREN; i++) {
        std::vector<line> lines(20, line{"a line that is too long for the string itself, ", i});
        group.run(other.lines, std::move(lines), std::string("more than one line: "));
    }
    int wrong = 0;
    long i = 0;
    for (line l : group.wait())
        wrong += l.number != 20 * i++ || l.text.size() != 20 + 20 * 47;
    uat::mutex m;
    uat::packed<line> kept(line{"kept", 5});
    return wrong + (uat::spawn(other.found, m.ref(), kept.ref()).join() != 5 * CHILDREN);
}

int root(library other)
{
    int reducers = check_reducers(other), exceptions = check_exceptions(other), packed = check_packed(other);
    if (reducers + exceptions + packed > 0)
        std::fprintf(stderr, "hidden: reducers %d, exceptions %d, packed %d\n", reducers, exceptions, packed);
    return reducers + exceptions + packed;
}

} // namespace

int main(int argc, char **)
{
    uat::job job;
    if (argc > 1) {
        uat::run([other = hidden_library()] { uat::spawn(other.count_up, &counter).join(); });
        return static_cast<int>(counter);
    }
    int wrong = uat::run(root, hidden_library());
    return wrong > 0 || job.finish() != 0;
}
