/* SPDX-License-Identifier: MIT */
/*
 * The common part of the data-flow programs and of their rivals: command line, time, check and the line of output.
 *
 * A program solves a Problem, a type that can be copied as bytes, with
 *     element                       type of an element; the answer is an array of elements() of them
 *     name, argument                names of the problem and of its argument on the command line
 *     Problem(const char *)         reads the argument, or takes the default if it is NULL; throws if the argument is
 *                                   wrong
 *     fill(i, element &)            element i of the input
 *     solve(element *)              the sequential program
 *     error(const element *)        the answer's distance from the right one, computed by another method
 */
#ifndef EXAMPLES_FLOW_HPP
#define EXAMPLES_FLOW_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace flow
{

/* Read a whole number from the command line. */
inline std::int64_t number(const char *text, const char *what, std::int64_t most)
{
    char *end;
    long long value = std::strtoll(text, &end, 10);
    if (end == text || *end || value < 1 || value > most)
        throw std::runtime_error(std::string(what) + " cannot be '" + text + "': give a whole number from 1 to " +
                                 std::to_string(most));
    return value;
}

/* The problem and the number of rounds, or an exit status. */
template <class Problem> struct request {
    Problem problem{};
    std::int64_t rounds = 1;
    int status = 0;

    request() = default;
    request(int argc, char **argv)
    {
        try {
            if (argc > 3 || (argc > 1 && argv[1][0] == '-'))
                throw std::runtime_error(std::string("usage: ") + argv[0] + " [" + Problem::argument + " [ROUNDS]]");
            problem = Problem(argc > 1 ? argv[1] : nullptr);
            if (argc > 2)
                rounds = number(argv[2], "ROUNDS", 1000000);
        } catch (const std::exception &error) {
            std::fprintf(stderr, "%s: %s\n", Problem::name, error.what());
            status = 2;
        }
    }
};

/* Calls f. Returns the seconds that f took. */
template <class F> double timed(F f)
{
    auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Problem> std::vector<typename Problem::element> input(const Problem &p)
{
    std::vector<typename Problem::element> data(p.elements());
    for (std::size_t i = 0; i < data.size(); i++)
        p.fill(i, data[i]);
    return data;
}

/* The rounds of one program: compares its answers and times with those of the sequential program. */
template <class Problem> class comparison
{
  public:
    using answer = std::vector<typename Problem::element>;

    /* same: the program adds in the same order as the sequential one, so the answers are equal to the last bit. */
    comparison(const Problem &p, bool same) : problem_(p), same_(same)
    {
    }

    /* Add a round: the program's answer, and the seconds that it took. */
    void add(double seconds, const answer &got)
    {
        answer wanted = input(problem_);
        double plain = timed([&] { problem_.solve(wanted.data()); });
        seconds_.push_back(seconds);
        ratios_.push_back(seconds / plain);
        if (same_ && std::memcmp(got.data(), wanted.data(), got.size() * sizeof(got[0])) != 0)
            right_ = false;
        error_ = problem_.error(got.data());
        right_ = right_ && error_ <= 1e-12;
    }

    /* Print the medians. Returns the exit status: 1 if an answer is wrong. */
    int report()
    {
        std::sort(seconds_.begin(), seconds_.end());
        std::sort(ratios_.begin(), ratios_.end());
        std::printf("%s: %s, error %.1e; %.6f s, %.3f of the sequential time\n", Problem::name,
                    right_ ? "right" : "WRONG", error_, seconds_[seconds_.size() / 2], ratios_[ratios_.size() / 2]);
        return !right_;
    }

  private:
    Problem problem_;
    std::vector<double> seconds_, ratios_;
    double error_ = 0;
    bool same_, right_ = true;
};

/* Compare solve(problem, data) on plain memory with the sequential program. same: see comparison. Returns the exit
 * status. */
template <class Problem, class Solve> int compare(int argc, char **argv, Solve solve, bool same = true)
{
    request<Problem> given(argc, argv);
    if (given.status)
        return given.status;
    comparison<Problem> rounds(given.problem, same);
    for (std::int64_t i = 0; i < given.rounds; i++) {
        auto data = input(given.problem);
        double seconds = timed([&] { solve(given.problem, data.data()); });
        rounds.add(seconds, data);
    }
    return rounds.report();
}

} // namespace flow

#endif
