/* SPDX-License-Identifier: MIT */
#include "runtime/task/views_left.h"

#include <stdlib.h>

#include "base/delay.h"
#include "base/word.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/task/keeper.h"
#include "runtime/task/parked.h"
#include "runtime/task/views.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"

/* Local buffers of this worker's own operations. */
struct staging {
    uint64_t old; /* old value that an atomic returns */
};

static struct uat_area staging_area = {
    .name = "staging of views", .size = sizeof(struct staging), .peers = UAT_PEERS_NOTHING};

void uat_views_left_reserve(void)
{
    uat_segment_reserve(&staging_area);
}

uint64_t *uat_views_landing(void)
{
    struct staging *staging = staging_area.at;
    return &staging->old;
}

/*
 * A block with the views of a child that has ended. Its header has the form of struct uat_parked: `next` is the name of
 * the next block of the list, sp is the child's index, base is the size of the views, and kind is UAT_PARK_NONE.
 */
uint64_t uat_views_put_in_block(void)
{
    size_t size = uat_views_bytes;
    struct uat_block *memory = uat_heap_get(&uat_heap, size);
    if (!memory)
        uat_fatal(
            "UAT_HEAP_SIZE=%zuk leaves no room for the views of %zu bytes that a task leaves; set it to %zuk or more",
            uat_segment.heap_size >> 10, size, uat_heap_advice(size));
    uat_views_put_aside(uat_block_stack(memory));
    struct uat_parked *block = (struct uat_parked *)(void *)memory;
    block->kind = UAT_PARK_NONE;
    block->next = 0;
    block->base = size;
    return (uint64_t)uat_self.rank << 48 | (uintptr_t)block;
}

void uat_views_leave(uint64_t record, uint64_t index)
{
    if (uat_views_bytes == 0)
        return;
    uint64_t name = uat_views_put_in_block(), *list = &uat_record_address(record)->views;
    struct uat_parked *block = (struct uat_parked *)(uintptr_t)(name & ((UINT64_C(1) << 48) - 1));
    struct staging *staging = staging_area.at;
    block->sp = index;
    staging->old = 0;
    do { /* no fence: the transport's operation makes the block known, and orders our stores before it */
        block->next = staging->old;
        struct uat_op push = uat_op_cmp_swap(&staging->old, list, block->next, name);
        uat_delay();
        uat_check(uat_transport_do(uat_self.transport, uat_record_rank(record), &push, 1));
    } while (staging->old != block->next);
}

void uat_views_empty_list(uint64_t record, uint64_t list)
{
    struct staging *staging = staging_area.at;
    struct uat_op clear_head = uat_op_fetch_add(&staging->old, &uat_record_address(record)->views, -list);
    /* Await the atomic: this worker gives the record back by a WRITE, and O2 does not order a WRITE after an atomic. */
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(record), &clear_head, 1));
}

/* A block of a list. */
struct left {
    uint64_t name, index, size;
};

/* READ the header of the block, whose name a peer may have written. Returns the name of the next block. */
static uint64_t look(uint64_t name, struct left *left)
{
    struct uat_parked header;
    if (!uat_park_is_block(name, 0))
        uat_word_refuse(-1, "the list of views in a join record", name);
    struct uat_op read =
        uat_op_read(&header, (const void *)(uintptr_t)(name & ((UINT64_C(1) << 48) - 1)), sizeof(header));
    uat_keeper_do((int)(name >> 48), &read, 1);
    if (header.base == 0 || header.base % UAT_VIEWS_ALIGN != 0 || header.base > uat_segment.heap_size ||
        !uat_park_is_block(name, header.base))
        uat_word_refuse((int)(name >> 48), "the size of views that a task has left", header.base);
    *left = (struct left){name, header.sp, header.base};
    return header.next;
}

/* Combine the views of this block, as right operands, with the running strand's views. Gives the block back. */
static __attribute__((noinline)) void add_block(const struct left *left)
{
    uat_views_check_stack(left->size);
    /* this array lies on the task's stack, because a READ must land in the segment, not in private memory */
    _Alignas(UAT_VIEWS_ALIGN) char flat[left->size];
    struct uat_parked *block = (struct uat_parked *)(uintptr_t)(left->name & ((UINT64_C(1) << 48) - 1));
    struct uat_op read = uat_op_read(flat, (const char *)block + UAT_READY_STACK, left->size);
    uat_keeper_do((int)(left->name >> 48), &read, 1);
    uat_keeper_give_back((int)(left->name >> 48), &block->returned);
    uat_views_add(flat, left->size);
}

void uat_views_add_block(uint64_t name)
{
    struct left left;
    look(name, &left);
    add_block(&left);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = ((const struct left *)a)->index, y = ((const struct left *)b)->index;
    return (x > y) - (x < y);
}

void uat_views_add_blocks(uint64_t list)
{
    size_t count = 0, room = 0;
    struct left *left = NULL;
    for (uint64_t name = list; name;) {
        if (count > uat_park_blocks_max())
            uat_word_refuse(-1, "the list of views in a join record", name);
        if (count == room) {
            room = 2 * room + 1;
            left = realloc(left, room * sizeof(*left));
            if (!left)
                uat_fatal("no memory for a list of the views of %zu children", count);
        }
        name = look(name, &left[count++]);
    }
    qsort(left, count, sizeof(*left), compare);
    for (size_t i = 0; i < count; i++)
        add_block(&left[i]);
    free(left);
}
