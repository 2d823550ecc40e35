/* SPDX-License-Identifier: MIT */
#include "runtime/inspect.h"

#include <errno.h>
#include <string.h>

#include "global/global.h"
#include "runtime/collective/collective.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/record.h"
#include "runtime/memory/segment.h"
#include "runtime/start/self.h"
#include "runtime/task/steal.h"
#include "runtime/task/worker.h"
#include "runtime/watch/stall.h"

struct uat_transport *uat_inspect_transport(void)
{
    return uat_self.transport;
}

size_t uat_inspect_region_size(void)
{
    return uat_segment_region_size();
}

uintptr_t uat_inspect_region_base(void)
{
    return uat_segment.high - 8; /* as if a call had pushed a return address */
}

void *uat_inspect_spare(size_t bytes)
{
    /* At one address in all workers, whatever their colour: inside of everybody's heap. */
    return (char *)uat_coloured(uat_segment.heap, -uat_segment.colour) + uat_segment.heap_size - bytes;
}

int uat_inspect_steal(int victim, struct uat_stolen *stolen)
{
    const struct uat_victims victims = {.count = 1, .rank = {victim}};
    return uat_steal_from(&victims, stolen);
}

int uat_inspect_evacuate(uintptr_t sp, size_t bytes)
{
    struct uat_block *block = uat_heap_get(&uat_heap, bytes);
    if (!block)
        return -ENOMEM;
    memcpy(uat_block_stack(block), (void *)sp, bytes);
    struct uat_op op = uat_op_read((void *)sp, uat_block_stack(block), bytes);
    int rc = uat_transport_do(uat_self.transport, uat_self.rank, &op, 1);
    uat_heap_put(&uat_heap, block);
    return rc;
}

int uat_inspect_atomics(const uint64_t *words[UAT_INSPECT_ATOMICS])
{
    const struct uat_segment *s = &uat_segment;
    const uint64_t *all[] = {&s->ring->claims,
                             &s->ring->lock,
                             &s->ready->claims,
                             s->control->barrier,
                             &s->control->tree_down,
                             &s->control->runs_ended,
                             &((const struct uat_record *)s->records)->state,
                             (const uint64_t *)(s->heap + UAT_HEAP_HEADER),
                             uat_objects_freed_word()};
    _Static_assert(sizeof(all) / sizeof(all[0]) == UAT_INSPECT_ATOMICS, "as many as are announced");
    memcpy(words, all, sizeof(all));
    return UAT_INSPECT_ATOMICS - !all[UAT_INSPECT_ATOMICS - 1];
}

void uat_inspect_glance(struct uat_inspect_glance *glance)
{
    enum uat_doing doing = uat_stall_doing();
    /* Relaxed: counters of the worker's thread, which adds to them by plain stores of 8 bytes (spawn.S, steal.c). What
     * is read may be a moment old, and nothing else is read by way of them. */
    glance->tasks = __atomic_load_n(&uat_worker.tasks, __ATOMIC_RELAXED);
    glance->steals = __atomic_load_n(&uat_steal_counts()->done, __ATOMIC_RELAXED);
    glance->in_run = doing == UAT_DOING_TASK || doing == UAT_DOING_SCHEDULE;
    glance->idle = doing == UAT_DOING_SCHEDULE;
}

int uat_inspect_gather(uint64_t own, uint64_t *words)
{
    uat_segment.control->shown = own;
    int rc = uat_collective_barrier();
    for (int i = 0; i < uat_self.size && !rc; i++) {
        struct uat_op op = uat_op_read(&uat_segment.staging->word, uat_segment_of(i, &uat_segment.control->shown), 8);
        rc = uat_transport_do(uat_self.transport, i, &op, 1);
        words[i] = uat_segment.staging->word;
    }
    return rc ? rc : uat_collective_barrier();
}

void uat_inspect_lent(struct uat_inspect_lent *lent)
{
    const struct uat_record_pool *pool = &uat_records;
    *lent = (struct uat_inspect_lent){.records = uat_record_pool_settle(&uat_records),
                                      .stacks = uat_heap_settle(&uat_heap)};
    for (size_t i = 0; i < pool->loans.capacity; i++) {
        const struct uat_record *record = (const struct uat_record *)(pool->memory + i * pool->stride);
        /* Relaxed: outside of a run no peer changes it. */
        lent->odd_states += __atomic_load_n(&record->state, __ATOMIC_RELAXED) % 2;
    }
}
