/* SPDX-License-Identifier: MIT */
/* oneTBB with TBB_WORKERS threads. If this environment variable is unset, there is 1 thread. */
#ifndef UAT_SMALL_TBB_HPP
#define UAT_SMALL_TBB_HPP

#include <cstdlib>

#include <tbb/tbb.h>

struct workers {
    tbb::global_control limit{tbb::global_control::max_allowed_parallelism, count()};

    static size_t count()
    {
        const char *number = std::getenv("TBB_WORKERS");
        return number ? size_t(std::atoi(number)) : 1;
    }
};

#endif
