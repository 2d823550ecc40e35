/* SPDX-License-Identifier: MIT */
#include "runtime/flow/access.h"

#include <assert.h>

#include "base/delay.h"
#include "base/word.h"
#include "runtime/job/fatal.h"
#include "runtime/task/keeper.h"
#include "runtime/sched/park.h"
#include "runtime/segment/segment.h"

static struct uat_area staging = {
    .name = "staging of flows", .size = sizeof(struct uat_flow_staging), .peers = UAT_PEERS_NOTHING};

struct uat_flow_staging *uat_flow_staging(void)
{
    return staging.at;
}

void uat_flow_access_reserve(void)
{
    uat_segment_reserve(&staging);
}

void uat_flow_post(struct uat_flow_batch *batch, int rank, const struct uat_op *ops, int n)
{
    assert(batch->n < UAT_FLOW_BATCH);
    batch->all[batch->n] = &batch->pending[batch->n];
    uat_delay();
    uat_keeper_post(rank, ops, n, &batch->pending[batch->n]);
    batch->n++;
}

void uat_flow_wait(struct uat_flow_batch *batch)
{
    if (batch->n > 0)
        uat_check(uat_transport_wait(uat_self.transport, batch->all, batch->n));
    batch->n = 0;
}

void uat_flow_do(int rank, const struct uat_op *ops, int n)
{
    uat_delay();
    uat_keeper_do(rank, ops, n);
}

uint64_t uat_flow_add(int rank, uint64_t *word, uint64_t addend)
{
    if (uat_flow_is_near(rank))
        return uat_flow_add_near(word, addend);
    uint64_t *old = &uat_flow_staging()->old[0];
    struct uat_op op = uat_op_fetch_add(old, word, addend);
    uat_flow_do(rank, &op, 1);
    return *old;
}

/* Offset of an entry from the start of its rank's heap. Chunks are blocks of a buddy allocator, so their offsets are
 * multiples of their size. */
static size_t offset_of(uint64_t name)
{
    return uat_park_heap_offset((uint64_t)uat_flow_rank(name) << 48 | (uintptr_t)uat_flow_address(name));
}

void uat_flow_check_block_far(uint64_t name, size_t bytes, const char *what)
{
    if (!uat_park_is_block(name & ~(uint64_t)UAT_FLOW_KINDS, bytes - UAT_HEAP_HEADER))
        uat_word_refuse(-1, what, name);
}

bool uat_flow_is_entry(uint64_t name)
{
    return uat_park_is_block(name & ~(uint64_t)UAT_FLOW_KINDS, UAT_FLOW_ENTRY - UAT_HEAP_HEADER) &&
           offset_of(name) % UAT_FLOW_ENTRY == 0 && offset_of(name) % UAT_FLOW_CHUNK_BYTES != 0;
}

void uat_flow_check_far(uint64_t name, const char *what)
{
    if (!uat_flow_is_entry(name))
        uat_word_refuse(-1, what, name);
}

uint64_t *uat_flow_mark_far(uint64_t name)
{
    size_t within = offset_of(name) % UAT_FLOW_CHUNK_BYTES;
    struct uat_flow_chunk *c = (void *)((char *)uat_flow_address(name) - within);
    return &c->mark[within / UAT_FLOW_ENTRY - 1];
}
