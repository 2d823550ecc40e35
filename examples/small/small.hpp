/* SPDX-License-Identifier: MIT */
/* The common part of the small programs, in all their forms: time, check and the line of output. */
#ifndef UAT_SMALL_HPP
#define UAT_SMALL_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace small
{

/* Sets `value` to the result of f. Returns the seconds that f took. */
template <class F> double timed(F f, double &value)
{
    auto begin = std::chrono::steady_clock::now();
    value = f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/*
 * Run the parallel and the plain program alternately, and compare their answers. Each runs argv[1] times, or once if
 * there is no argv[1]. Rank 0 prints a line with the answer and the medians. The other ranks run only the parallel
 * program. Returns the exit status: 1 if an answer is wrong.
 */
template <class F, class G> int compare(int argc, char **argv, int rank, const char *name, F parallel, G plain)
{
    int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
    std::vector<double> seconds, ratios;
    double answer = 0, wanted = 0;
    bool right = true;

    for (int i = 0; i < rounds; i++) {
        double took = timed(parallel, answer);
        if (rank != 0)
            continue;
        seconds.push_back(took);
        ratios.push_back(took / timed(plain, wanted));
        right = right && std::fabs(answer - wanted) <= 1e-9 * std::fabs(wanted);
    }
    if (rank != 0)
        return 0;
    std::sort(seconds.begin(), seconds.end());
    std::sort(ratios.begin(), ratios.end());
    std::printf("%s: %.12g, %s; %.6f s, %.2f of the sequential time\n", name, answer, right ? "right" : "WRONG",
                seconds[seconds.size() / 2], ratios[ratios.size() / 2]);
    return !right;
}

} // namespace small

#endif
