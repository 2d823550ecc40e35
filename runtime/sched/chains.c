/* SPDX-License-Identifier: MIT */
#include "runtime/sched/chains.h"

#include "base/word.h"
#include "runtime/job/fatal.h"
#include "runtime/task/keeper.h"
#include "runtime/task/worker.h"
#include "runtime/segment/ghost.h"
#include "runtime/segment/segment.h"

static const struct uat_chain *(*next_chain)(void);
static bool (*any_chain)(void);

void uat_chains_set(const struct uat_chain *(*next)(void), bool (*any)(void))
{
    next_chain = next;
    any_chain = any;
}

const struct uat_chain *uat_chains_next(void)
{
    return any_chain && any_chain() ? next_chain() : NULL;
}

/* Ends the job unless `words` words fit below the chain's stacks in the region, and after these stacks in the task's
 * block. */
static void check_room(const struct uat_ready_task *task, size_t words, uat_chains_block_fn *is_block)
{
    size_t bytes = words * sizeof(uint64_t);
    if (task->sp - uat_segment.low < bytes || !is_block(task->where & ~UAT_READY_CHAIN, task->base - task->sp + bytes))
        uat_word_refuse(uat_ready_rank(task), "the place of a chain", task->where);
}

void uat_chains_take(const struct uat_ready_task *task, uat_chains_block_fn *is_block)
{
    struct uat_deque *d = &uat_worker.deque;
    int rank = uat_ready_rank(task);
    uint64_t *from = (uint64_t *)(void *)(uat_ready_block(task) + UAT_READY_STACK + (task->base - task->sp));
    /* A READ must land in the segment. This READ lands below the chain's stacks, where nothing runs yet. */
    uint64_t *count = (uint64_t *)(task->sp - sizeof(*count));
    check_room(task, 1, is_block);
    struct uat_op read = uat_op_read(count, from, sizeof(*count));
    uat_keeper_do(rank, &read, 1);
    struct uat_chain chain = {.count = *count, .room = *count, .sp = task->sp};
    if (chain.count == 0 || chain.count > d->capacity)
        uat_word_refuse(rank, "the number of continuations in a chain", chain.count);
    check_room(task, 1 + chain.count, is_block);
    chain.entries = (uintptr_t *)count - (chain.count - 1);
    read = uat_op_read(chain.entries, from + 1, chain.count * sizeof(*chain.entries));
    uat_keeper_do(rank, &read, 1);
    if (uat_chain_check(&chain, uat_segment.low, uat_segment.high, d->capacity) ||
        uat_chain_base(&chain, 0) != task->base)
        uat_word_refuse(rank, "a continuation in a chain", chain.entries[0]);
    uat_chain_put(&chain, d);
}

void uat_chains_check_wait(void)
{
    if (any_chain && any_chain())
        uat_fatal(
            "UAT_HEAP_SIZE=%zuk leaves no room for a waiting stack while continuations of the checkpoint wait for "
            "this worker; go on with %d workers, as many as the checkpoint has",
            uat_segment.heap_size >> 10, uat_ghosts.names);
}
