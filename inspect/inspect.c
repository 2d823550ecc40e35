/* SPDX-License-Identifier: MIT */
#include "inspect/inspect.h"

#include <errno.h>
#include <string.h>

#include "asm/offsets.h"
#include "runtime/global/global.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/tree.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/sched/park.h"
#include "runtime/sched/steal.h"
#include "runtime/task/worker.h"
#include "runtime/job/stall.h"

/* The word that this worker offers to all others, and the buffer for READs of their words. */
static struct uat_area shown = {.name = "a word to inspect", .size = sizeof(uint64_t), .peers = UAT_PEERS_READ};
static struct uat_area landing = {.name = "landing of that", .size = sizeof(uint64_t), .peers = UAT_PEERS_NOTHING};

static void reserve(void)
{
    uat_segment_reserve(&shown);
    uat_segment_reserve(&landing);
}

static int host;

static int note_host(const struct uat_room_job *job)
{
    host = job->host_of[uat_self.rank];
    return 0;
}

static const struct uat_room room = {.name = "inspect", .reserve = reserve, .open = note_host};

static __attribute__((constructor)) void add_room(void)
{
    uat_rooms_add(&room);
}

int uat_inspect_counters_total(uat_stats_detail_t *stats)
{
    uat_stats_detail_t sum = {0};
    int rc = uat_call_check(UAT_CALL_STATS);
    if (rc)
        return rc;
    uat_call_enter(UAT_CALL_STATS);
    UAT_EACH_ROOM(room_of_table, count)
    (*room_of_table)->count(&sum);
    rc = uat_tree_sum(0, &sum);
    uat_call_leave();
    if (!rc)
        *stats = sum;
    return rc;
}

int uat_inspect_host(void)
{
    return host;
}

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
    return uat_segment.high - UAT_STACK_TOP_ROOM;
}

void *uat_inspect_spare(size_t bytes)
{
    if (bytes > uat_segment.heap_size)
        return NULL;
    /* The place lies inside the heap, at an address that is the same for all colours. */
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
    const struct uat_ring *ring = uat_steal_ring();
    const uint64_t *all[] = {&ring->claims,
                             &ring->lock,
                             uat_park_atomic(),
                             uat_park_inbox(),
                             uat_collective_atomic(),
                             uat_tree_atomic(),
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
    /* Relaxed: the worker's thread adds to these counters by plain stores of 8 bytes (spawn.S, steal.c). A value read
     * here may be slightly old. The load orders no other load. */
    glance->tasks = __atomic_load_n(&uat_worker.tasks, __ATOMIC_RELAXED);
    glance->steals = __atomic_load_n(&uat_steal_counts()->done, __ATOMIC_RELAXED);
    glance->in_run = doing == UAT_DOING_TASK || doing == UAT_DOING_SCHEDULE;
    glance->idle = doing == UAT_DOING_SCHEDULE;
}

int uat_inspect_gather(uint64_t own, uint64_t *words)
{
    *(uint64_t *)shown.at = own;
    int rc = uat_collective_barrier();
    for (int i = 0; i < uat_self.size && !rc; i++) {
        struct uat_op op = uat_op_read(landing.at, shown.at, 8);
        rc = uat_transport_do(uat_self.transport, i, &op, 1);
        words[i] = *(const uint64_t *)landing.at;
    }
    return rc ? rc : uat_collective_barrier();
}

void uat_inspect_lent(struct uat_inspect_lent *lent)
{
    const struct uat_record_pool *pool = &uat_records;
    *lent = (struct uat_inspect_lent){.records = uat_record_pool_settle(&uat_records),
                                      .stacks = uat_heap_settle(&uat_heap)};
    for (size_t i = 0; i < pool->used; i++) { /* reading a record that was never used would allocate its page */
        const struct uat_record *record = (const struct uat_record *)(pool->memory + i * pool->stride);
        /* Relaxed: outside of a run no peer changes these words. */
        lent->odd_states += __atomic_load_n(&record->state, __ATOMIC_RELAXED) % 2;
        lent->open_counts += __atomic_load_n(&record->count, __ATOMIC_RELAXED) != 0;
    }
}
