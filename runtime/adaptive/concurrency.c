/* SPDX-License-Identifier: MIT */
/*
 * The number of workers that take work from others. Each worker has a word with the limit, and rank 0 counts the calls
 * of uat_concurrency_set(). Model: tests/model/concurrency.pml.
 *
 *   L1  A call takes its number by FETCH_ADD on rank 0's count. The call changes the word of each worker by CMP_SWAP,
 *       but only if the old word has a smaller number. So the order in which calls reach a worker does not matter. When
 *       all calls have returned, all workers have the limit of the call with the largest number.
 *   L2  A worker reads only its own word, before each attempt to take work. It finishes the work that it already has,
 *       so no task is lost.
 */
#include <errno.h>

#include "runtime/adaptive/cell.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/task/worker.h"

enum { LIMIT_BITS = 24 };
_Static_assert((int)LIMIT_BITS >= (int)UAT_REQUEST_RANK_BITS, "any number of workers");

static int limit_of(uint64_t word)
{
    uint64_t limit = word & ((UINT64_C(1) << LIMIT_BITS) - 1);
    return limit > 0 && limit < (uint64_t)uat_self.size ? (int)limit : uat_self.size;
}

/* Set the limit of a rank, unless a later call has set it (L1). guess: the probable value of the rank's word. If the
 * guess is right, this takes one round trip. */
static void set(int rank, uint64_t guess, uint64_t word)
{
    uint64_t *at = &uat_cells()->concurrency, old;
    while (guess >> LIMIT_BITS < word >> LIMIT_BITS && (old = uat_cell_swap(rank, at, guess, word)) != guess)
        guess = old;
}

int uat_concurrency_set(int n)
{
    if (!uat_worker.running)
        uat_fatal("uat_concurrency_set() was called outside of a task");
    if (n < 1)
        return -EINVAL;
    uint64_t number = uat_cell_add(0, &uat_cells()->changes, 1) + 1;
    uint64_t word = number << LIMIT_BITS | (uint64_t)(n < uat_self.size ? n : uat_self.size);
    uint64_t before = uat_cell_load(uat_self.rank, &uat_cells()->concurrency);
    for (int i = 0; i < uat_self.size; i++)
        set((uat_self.rank + i) % uat_self.size, before, word);
    return 0;
}

int uat_concurrency_get(void)
{
    if (!uat_self.transport)
        uat_fatal("uat_concurrency_get() was called outside of a task");
    return limit_of(uat_cell_load(uat_self.rank, &uat_cells()->concurrency));
}
