/* SPDX-License-Identifier: MIT */
/*
 * Slots for the views of a group's children (V6). They are one block of the heap, which the record's rank has taken
 * before the children start. Each child WRITEs its views to its own slot, and then sets the list of the record to the
 * name of the block by one CMP_SWAP. The joiner READs several slots at once.
 */
#include "runtime/task/views_left.h"

#include "base/delay.h"
#include "base/word.h"
#include "runtime/job/self.h"
#include "runtime/task/keeper.h"
#include "runtime/task/parked.h"
#include "runtime/task/views.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"

enum {
    SMALL = 240,       /* bytes of views that fit into a slot; larger ones get a block of their own */
    AT_ONCE = 31,      /* slots that the joiner READs together */
    MARK = 0x3f,       /* low bits of a list's head: 0 for a list of blocks; else the number of slots, at most MARK */
    MARKED_MAX = 65536 /* slots */
};

/* The views of a child. */
struct slot {
    uint64_t size;  /* bytes of the views, or 0 */
    uint64_t apart; /* the name of the block that has them if size > SMALL */
    char small[SMALL];
};

struct slots {
    struct uat_parked header; /* sp is the number of slots */
    _Alignas(UAT_VIEWS_ALIGN) struct slot slot[];
};

static struct slots *slots_at(uint64_t name)
{
    return (struct slots *)(uintptr_t)(name & ((UINT64_C(1) << 48) - 1) & ~(uint64_t)MARK);
}

bool uat_views_in_slots(uint64_t list)
{
    return (list & MARK) != 0;
}

uint64_t uat_views_slots_take(int count)
{
    struct uat_block *block = uat_views_seen ? uat_heap_get(&uat_heap, (size_t)count * sizeof(struct slot)) : NULL;
    if (!block)
        return 0;
    struct slots *slots = (struct slots *)(void *)block;
    slots->header.kind = UAT_PARK_NONE; /* no stack waits in it */
    slots->header.next = 0;
    slots->header.sp = (uint64_t)count;
    for (int i = 0; i < count; i++)
        slots->slot[i].size = 0;
    return (uint64_t)uat_self.rank << 48 | (uintptr_t)block | (uint64_t)(count < MARK ? count : MARK);
}

void uat_views_slots_put(uint64_t name)
{
    uat_keeper_give_back((int)(name >> 48), &slots_at(name)->header.returned);
}

void uat_views_leave_in_slot(uint64_t name, uint64_t record, uint64_t index)
{
    size_t size = uat_views_bytes;
    if (size == 0)
        return;
    struct slot own = {.size = size};
    if (size <= SMALL)
        uat_views_put_aside(own.small);
    else
        own.apart = uat_views_put_in_block();
    struct uat_op ops[] = {
        uat_op_write(&own, &slots_at(name)->slot[index], offsetof(struct slot, small) + (size <= SMALL ? size : 0)),
        /* Takes effect after the WRITE (O1). Another child's may come first, with the same value. Awaited, so that the
         * FETCH_ADD of this child's end comes later (O7): pairs with the joiner's READ of the list, in meet.c. */
        uat_op_cmp_swap(uat_views_landing(), &uat_record_address(record)->views, 0, name),
    };
    uat_delay();
    uat_keeper_do((int)(name >> 48), ops, 2);
}

static void check(uint64_t name, uint64_t count)
{
    if (!uat_park_is_block(name & ~(uint64_t)MARK, sizeof(struct slot) * count) || count > MARKED_MAX ||
        (count < MARK ? count : MARK) != (name & MARK))
        uat_word_refuse(-1, "the list of views in a join record", name);
}

void uat_views_add_slots(uint64_t name)
{
    uint64_t count = name & MARK;
    uat_views_check_stack(sizeof(struct slots) + AT_ONCE * sizeof(struct slot));
    _Alignas(
        UAT_VIEWS_ALIGN) char room[sizeof(struct slots) + AT_ONCE * sizeof(struct slot)]; /* READs must land here */
    struct slots *some = (struct slots *)(void *)room;
    check(name, count);
    for (uint64_t i = 0; i < count; i++) {
        if (i % AT_ONCE == 0) {
            uint64_t left = count - i, n = left < AT_ONCE ? left : AT_ONCE;
            size_t header = i == 0 ? sizeof(struct slots) : 0; /* the first READ also gets the header */
            struct uat_op read =
                uat_op_read(room + sizeof(struct slots) - header, (char *)&slots_at(name)->slot[i] - header,
                            header + (size_t)n * sizeof(struct slot));
            uat_keeper_do((int)(name >> 48), &read, 1);
            if (i == 0 && (count = some->header.sp) != (name & MARK))
                check(name, count);
        }
        struct slot *slot = &some->slot[i % AT_ONCE];
        if (slot->size > SMALL)
            uat_views_add_block(slot->apart);
        else
            uat_views_add(slot->small, slot->size);
    }
}
