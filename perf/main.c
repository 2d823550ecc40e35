/* SPDX-License-Identifier: MIT */
/* The main() of a benchmark that does not define main(). */
#include "perf/bench.h"

int main(int argc, char **argv)
{
    return uat_bench_main(&uat_bench, argc, argv);
}
