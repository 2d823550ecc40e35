/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/state.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "include/uat.h"
#include "runtime/job/collective.h"
#include "runtime/sched/park.h"
#include "runtime/task/sanitize.h"
#include "runtime/task/worker.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"

/* The section of counters. */
struct counts {
    uint64_t tasks;
    uat_stats_detail_t others;
};

static struct uat_block *lent_block(size_t i)
{
    return uat_heap_block(&uat_heap, uat_heap.lent.items[i]);
}

static const struct uat_parked *header_of(const void *block)
{
    return block;
}

void uat_state_save_chain(struct uat_sections_out *out, const struct uat_chain *chain, const void *stack)
{
    uintptr_t base = uat_chain_base(chain, 0);
    uat_sections_add(out, UAT_SECTION_CHAIN, chain->join, chain->entries, chain->count * sizeof(uintptr_t));
    uat_sections_add(out, UAT_SECTION_STACK, chain->sp, stack, base - chain->sp);
}

void uat_state_used(struct uat_used *used)
{
    *used = (struct uat_used){.records = 0};
    for (size_t i = 0; i < uat_records.lent.count; i++)
        uat_used_raise(&used->records, (uat_records.lent.items[i] + UINT64_C(1)) * uat_records.stride);
    for (size_t i = 0; i < uat_heap.lent.count; i++) {
        uint64_t unit = uat_heap.lent.items[i];
        uat_used_raise(&used->heap, (unit + (UINT64_C(1) << uat_heap.used_order[unit])) * UAT_HEAP_UNIT);
    }
}

void uat_state_save(struct uat_sections_out *out, const struct uat_chain *chain)
{
    struct counts counts = {.tasks = uat_worker.tasks, .others = uat_task_counts};
    uat_record_pool_settle(&uat_records);
    uat_heap_settle(&uat_heap);
    for (size_t i = 0; i < uat_records.lent.count; i++) {
        char *record = uat_records.memory + uat_records.lent.items[i] * uat_records.stride;
        if (record != (char *)uat_records.spare)
            uat_sections_add(out, UAT_SECTION_RECORD, (uintptr_t)record, record, uat_records.stride);
    }
    for (size_t i = 0; i < uat_heap.lent.count; i++) {
        struct uat_block *block = lent_block(i);
        size_t size = (size_t)UAT_HEAP_UNIT << uat_heap.used_order[uat_heap.lent.items[i]];
        uat_sections_add(out, UAT_SECTION_BLOCK, (uintptr_t)block, block, size);
    }
    uat_sections_add(out, UAT_SECTION_COUNTS, 0, &counts, sizeof(counts));
    if (chain->sp == 0)
        return;
    uat_sanitize_unpoison(chain->sp, uat_chain_base(chain, 0));
    uat_state_save_chain(out, chain, (const void *)chain->sp);
}

static bool restore_record(const struct uat_section *section)
{
    uint64_t offset = section->address - (uintptr_t)uat_records.memory, number = offset / uat_records.stride;
    if (offset % uat_records.stride != 0 || number > UINT32_MAX || section->whole != uat_records.stride ||
        uat_record_take(&uat_records, (uint32_t)number))
        return false;
    uat_section_put(section, (char *)section->address);
    return true;
}

/*
 * The objects that main() made before the run in this job. In the job that wrote the checkpoint, main() had made the
 * same objects. An object that is in the file gets its contents from the file, at the same address. The run had
 * destroyed the other objects.
 */
struct made {
    uint32_t *units;
    size_t count;
};

/* Free all these objects, so that the file's blocks can take their places. */
static bool unmake(struct made *made)
{
    uat_heap_settle(&uat_heap);
    made->count = uat_heap.lent.count;
    made->units = malloc(made->count * sizeof(*made->units) + 1);
    if (!made->units)
        return false;
    if (made->count > 0)
        memcpy(made->units, uat_heap.lent.items, made->count * sizeof(*made->units));
    while (uat_heap.lent.count > 0)
        uat_heap_put(&uat_heap, lent_block(0));
    uat_heap_settle(&uat_heap);
    return true;
}

static bool is_in(const struct made *made, uint32_t unit)
{
    for (size_t i = 0; i < made->count; i++)
        if (made->units[i] == unit)
            return true;
    return false;
}

/* Has main() made all objects again that it had made before the file was written? */
static bool are_made(const struct made *made)
{
    for (size_t i = 0; i < uat_heap.lent.count; i++) {
        const struct uat_parked *block = header_of(lent_block(i));
        if (block->kind == UAT_PARK_OBJECT && block->holder && !is_in(made, uat_heap.lent.items[i]))
            return false;
    }
    return true;
}

static bool restore_block(const struct uat_section *section)
{
    uint64_t offset = section->address - (uintptr_t)uat_heap.memory, units = section->whole / UAT_HEAP_UNIT;
    if (offset % UAT_HEAP_UNIT != 0 || offset / UAT_HEAP_UNIT >= uat_heap.units || units == 0 ||
        section->whole % UAT_HEAP_UNIT != 0 || (units & (units - 1)) != 0 ||
        uat_heap_take(&uat_heap, (uint32_t)(offset / UAT_HEAP_UNIT), (unsigned)__builtin_ctzll(units)))
        return false;
    uat_section_put(section, (char *)section->address);
    return true;
}

bool uat_state_add_counts(const struct uat_section *section)
{
    struct counts counts = {.tasks = 0};
    if (section->whole != sizeof(counts))
        return false;
    memcpy(&counts, uat_section_bytes(section), section->bytes);
    uat_worker.tasks += counts.tasks;
    uint64_t *to = (uint64_t *)&uat_task_counts;
    const uint64_t *from = (const uint64_t *)&counts.others;
    for (size_t i = 0; i < sizeof(uat_task_counts) / sizeof(*to); i++)
        to[i] += from[i];
    return true;
}

bool uat_state_take_chain(const struct uat_section *section, struct uat_chain *chain)
{
    size_t count = section->whole / sizeof(uintptr_t);
    if (chain->entries || count == 0 || count > uat_worker.deque.capacity || section->whole % sizeof(uintptr_t) != 0)
        return false;
    chain->entries = calloc(count, sizeof(uintptr_t));
    if (!chain->entries)
        return false;
    memcpy(chain->entries, uat_section_bytes(section), section->bytes);
    chain->join = section->address;
    chain->count = chain->room = count;
    return true;
}

bool uat_state_has_stack(const struct uat_section *section, struct uat_chain *chain)
{
    if (!chain->entries || chain->sp != 0)
        return false;
    chain->sp = section->address;
    return uat_chain_check(chain, uat_segment.low, uat_segment.high, uat_worker.deque.capacity) == 0 &&
           section->whole == uat_chain_base(chain, 0) - chain->sp;
}

static bool restore_stack(const struct uat_section *section, struct uat_chain *chain)
{
    if (!uat_state_has_stack(section, chain))
        return false;
    uat_section_put(section, (char *)section->address);
    return true;
}

void uat_state_add_names(void)
{
    for (size_t i = 0; i < uat_heap.lent.count; i++)
        if (header_of(lent_block(i))->kind == UAT_PARK_NAME)
            uat_sync_add_name(uat_self.rank, (uintptr_t)lent_block(i), lent_block(i));
}

bool uat_state_restore_room(int rank, const struct uat_section *section)
{
    UAT_EACH_ROOM(room, restore)
    if (section->kind < UAT_SECTION_END && ((*room)->sections >> section->kind & 1))
        return (*room)->restore(rank, section);
    return false;
}

static bool restore(const struct uat_section *section, struct uat_chain *chain)
{
    switch (section->kind) {
    case UAT_SECTION_RECORD:
        return restore_record(section);
    case UAT_SECTION_BLOCK:
        return restore_block(section);
    case UAT_SECTION_COUNTS:
        return uat_state_add_counts(section);
    case UAT_SECTION_CHAIN:
        return uat_state_take_chain(section, chain);
    case UAT_SECTION_STACK:
        return restore_stack(section, chain);
    default:
        return uat_state_restore_room(uat_self.rank, section);
    }
}

int uat_state_put(struct uat_sections_in *in, struct uat_chain *chain)
{
    const struct uat_section *section;
    *chain = (struct uat_chain){.sp = 0};
    while ((section = uat_sections_next(in)))
        if (!restore(section, chain))
            return uat_sections_refuse(in, "it names an address or a size that this job does not have");
    return (chain->sp != 0) == (chain->count != 0) ? 0 : uat_sections_refuse(in, "a stack is missing");
}

int uat_state_restore(struct uat_sections_in *in, struct uat_chain *chain)
{
    struct made made;
    if (!unmake(&made))
        return uat_sections_refuse(in, "there is no memory for it");
    int rc = uat_state_put(in, chain);
    if (!rc && !are_made(&made))
        rc = uat_sections_refuse(in, "main() made objects of uat/sync.h that it has not made again at the same "
                                     "addresses; make them before the first uat_run(), or in a task");
    free(made.units);
    return rc;
}

int uat_state_obstacle(uint64_t *word)
{
    int own = 0;
    UAT_EACH_ROOM(room, busy)
    if ((*room)->busy())
        own = (int)(room - uat_rooms) + 1;
    return -uat_collective_agree_on(-own, word);
}
