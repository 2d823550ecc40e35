/* SPDX-License-Identifier: MIT */
/* What the files of rival-calls share. */
#ifndef UAT_RIVAL_CALLS_HPP
#define UAT_RIVAL_CALLS_HPP

#include <string>

enum { CALLS = 20000, WORKERS_MOST = 32 /* workers of uat in a job */ };

/* Note a figure. The least figure of all rounds with this title counts. unit: "ns" or "round trips". */
void note(const std::string &name, const char *library, double value, const char *unit = "ns");

/* The task whose argument and result are strings. */
std::string reversed(std::string text);

/* One round of calls in a job of several workers: of objects of another worker, of all workers at once, and trees of
 * tasks. Collective. In virtual time the figures are those of the simulated network. */
void round_of_several();

/* One round of the same calls of the C++ library and oneTBB, with this number of threads. */
void round_of_threads(int threads);

#endif
