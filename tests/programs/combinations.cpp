/* SPDX-License-Identifier: MIT */
/*
 * Description: combinations of features. Other tests try each feature alone. The combinations include temporary arrays
 * in cancelled groups, reducers in loops that throw, exceptions over open ranges of far arrays, and objects that
 * another worker gives back while arrays are frozen and thawed. In each run the tasks of one group use all combinations
 * at the same time. Every answer is compared with the sequential one. At the end no temporary array is left.
 * usage: combinations [ROUNDS [SEED]]
 */
#include <cstdio>
#include <cstdlib>

#include "tests/programs/combinations.hpp"

using namespace meet;

namespace
{

enum { ALL = OF_MEMORY + OF_TASKS, ROOM = 64 << 20 };

const combination &number(int i)
{
    return i < OF_MEMORY ? of_memory[i] : of_tasks[i - OF_MEMORY];
}

/* Use each combination once, in an order that the seed determines. Some combinations run on given workers. Return the
 * bits of the combinations that were wrong. */
std::uint64_t use_all(ground at, std::uint64_t seed)
{
    struct either {
        static std::uint64_t identity()
        {
            return 0;
        }
        std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const
        {
            return a | b;
        }
    };
    uat::reducer<std::uint64_t, either> wrong;
    uat::task_group group;
    std::uint64_t first = mix(seed) % ALL;
    for (std::uint64_t k = 0; k < ALL; k++) {
        int which = int((first + 3 * k) % ALL); /* 3 and ALL have no common factor */
        use u{at, mix(seed + 17 * k)};
        u.at.array = at.array.subspan(std::size_t(which) * PART, PART);
        auto check = [=] { *wrong |= std::uint64_t(number(which).check(u) != 0) << which; };
        if (u.draw(0, 3))
            group.run(check);
        else
            group.run_on(int(u.draw(1, std::uint64_t(uat_size()))), check);
    }
    group.wait();
    return wrong.take();
}

/* One run. The fixed array is frozen if the run's number is odd. Before an even run the array gets new values. */
std::uint64_t one_run(const uat::global_vector<std::uint64_t> &array, const uat::global_vector<std::uint64_t> &fixed,
                      std::uint64_t run, std::uint64_t seed)
{
    if (run % 2 == 0)
        uat::run([s = fixed.span(), run] { uat::tabulate(s, [run](std::size_t i) { return fixed_value(i, run); }); });
    else if (uat_global_freeze(fixed.span().data()))
        std::exit(1);
    std::uint64_t wrong = uat::run(use_all, ground{array.span(), fixed.span(), run}, seed);
    if (run % 2 && uat_global_thaw(fixed.span().data()))
        std::exit(1);
    return wrong;
}

/* All runs. Return the bits of the combinations that were wrong. */
std::uint64_t all_runs(std::uint64_t rounds, std::uint64_t seed)
{
    uat::global_vector<std::uint64_t> array(std::size_t(ALL) * PART, uat::distribution::cyclic), fixed(40000);
    std::uint64_t wrong = 0;
    for (std::uint64_t run = 0; run < rounds && !wrong; run++) {
        wrong = one_run(array, fixed, run, mix(seed) + run);
        for (int i = 0; i < ALL && uat_rank() == 0; i++)
            if (wrong >> i & 1)
                std::fprintf(stderr, "combinations: seed %llu, run %llu: wrong: %s\n",
                             static_cast<unsigned long long>(seed), static_cast<unsigned long long>(run),
                             number(i).name);
    }
    return wrong;
}

} // namespace

int main(int argc, char **argv)
{
    std::uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2;
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    uat::job job;
    uat_stats_t s;
    if (uat_global_temporary_open(ROOM, 0))
        return 1;
    std::uint64_t wrong = all_runs(rounds, seed);
    if (uat_global_temporary_open(0, 0) || uat_stats_total(&s)) /* the first call is refused if a temporary array is
                                                                 * left */
        return 1;
    if (uat_rank() == 0 && !wrong)
        std::printf("%llu runs of %d combinations, %llu tasks, %llu steals, %llu misses, every answer right\n",
                    static_cast<unsigned long long>(rounds), int(ALL), static_cast<unsigned long long>(s.tasks),
                    static_cast<unsigned long long>(s.steals), static_cast<unsigned long long>(s.global_misses));
    return job.finish() != 0 || wrong != 0;
}
