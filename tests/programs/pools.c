/* SPDX-License-Identifier: MIT */
#include "tests/programs/pools.h"

#include <stdio.h>

#include "inspect/inspect.h"
#include "uat.h"
#include "uat/global.h"

static int wrong(const char *what, size_t count)
{
    if (count)
        fprintf(stderr, "pools: rank %d: %zu %s after the run\n", uat_rank(), count, what);
    return count > 0;
}

int pools_check(void)
{
    const struct uat_deque *deque = uat_inspect_deque();
    struct uat_inspect_lent lent;
    uat_inspect_lent(&lent);
    return wrong("join records are still out", lent.records) +
           wrong("join records have an odd state", lent.odd_states) +
           wrong("join records have a count", lent.open_counts) + wrong("evacuated stacks are still out", lent.stacks) +
           wrong("entries are left in the deque", uat_deque_size(deque)) +
           wrong("entries count as published", deque->published) + wrong("entries count as aborted", deque->aborted);
}

int global_open_once(void)
{
    static int opened;
    return opened++ ? 0 : uat_global_open();
}
