/* SPDX-License-Identifier: MIT */
/* The main() of a benchmark that has no main() of its own. */
#include "perf/bench.h"

int main(int argc, char **argv)
{
    return uat_bench_main(&uat_bench, argc, argv);
}
