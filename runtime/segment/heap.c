/* SPDX-License-Identifier: MIT */
#include "runtime/segment/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct uat_heap uat_heap;

#define NONE UINT32_MAX

enum { LOOKS = 4 /* an allocation that finds no kept block examines this number of lent blocks */ };

static void list_add(struct uat_heap *heap, uint32_t unit, unsigned order)
{
    heap->order[unit] = (uint8_t)(order + 1);
    heap->prev[unit] = NONE;
    heap->next[unit] = heap->list[order];
    if (heap->list[order] != NONE)
        heap->prev[heap->list[order]] = unit;
    heap->list[order] = unit;
}

static void list_remove(struct uat_heap *heap, uint32_t unit, unsigned order)
{
    heap->order[unit] = 0;
    if (heap->prev[unit] != NONE)
        heap->next[heap->prev[unit]] = heap->next[unit];
    else
        heap->list[order] = heap->next[unit];
    if (heap->next[unit] != NONE)
        heap->prev[heap->next[unit]] = heap->prev[unit];
}

/* List all units as free. No block is in use, kept or lent. */
static void list_all(struct uat_heap *heap)
{
    size_t units = heap->units;
    for (unsigned order = 0; order < UAT_HEAP_ORDERS; order++)
        heap->list[order] = NONE;
    for (size_t unit = 0; unit < units;) { /* the largest aligned blocks that fit */
        unsigned order = UAT_HEAP_ORDERS - 1;
        while ((unit & ((1u << order) - 1)) != 0 || unit + (1u << order) > units)
            order--;
        list_add(heap, (uint32_t)unit, order);
        unit += 1u << order;
    }
}

int uat_heap_open(struct uat_heap *heap, char *memory, size_t size)
{
    size_t units = size / UAT_HEAP_UNIT;
    /* Zeroed, so that nothing need be cleared here: a page of a large array costs nothing before it is used. */
    *heap = (struct uat_heap){.memory = memory,
                              .units = units,
                              .order = calloc(units, 2),
                              .next = calloc(units, sizeof(uint32_t)),
                              .prev = calloc(units, sizeof(uint32_t))};
    if (!heap->order || !heap->next || !heap->prev || uat_lent_open(&heap->lent, units)) {
        uat_heap_close(heap);
        return -ENOMEM;
    }
    heap->used_order = heap->order + units;
    list_all(heap);
    return 0;
}

void uat_heap_reset(struct uat_heap *heap)
{
    memset(heap->order, 0, 2 * heap->units);
    memset(heap->kept, 0, sizeof(heap->kept));
    memset(heap->kept_count, 0, sizeof(heap->kept_count));
    heap->lent.count = heap->lent.cursor = 0;
    list_all(heap);
}

void uat_heap_close(struct uat_heap *heap)
{
    free(heap->order);
    free(heap->next);
    free(heap->prev);
    uat_lent_close(&heap->lent);
    *heap = (struct uat_heap){0};
}

/* Free a block. Merge it with its buddy as long as the buddy is free, too. */
void uat_heap_release(struct uat_heap *heap, uint32_t unit)
{
    unsigned order = heap->used_order[unit];
    for (; order + 1 < UAT_HEAP_ORDERS; order++) {
        uint32_t buddy = unit ^ (1u << order);
        if (buddy + (1u << order) > heap->units || heap->order[buddy] != order + 1)
            break;
        list_remove(heap, buddy, order);
        unit = unit < buddy ? unit : buddy;
    }
    list_add(heap, unit, order);
}

static const uint64_t *returned(void *context, uint32_t unit)
{
    return &uat_heap_block(context, unit)->returned;
}

static void take(void *context, uint32_t unit)
{
    uat_heap_release(context, unit);
}

/* Take a free block of this order, splitting a larger one if necessary. NONE if there is none. */
static uint32_t find(struct uat_heap *heap, unsigned order)
{
    unsigned at = order;
    while (at < UAT_HEAP_ORDERS && heap->list[at] == NONE)
        at++;
    if (at == UAT_HEAP_ORDERS)
        return NONE;
    uint32_t unit = heap->list[at];
    list_remove(heap, unit, at);
    while (at > order) {
        at--;
        list_add(heap, unit + (1u << at), at);
    }
    return unit;
}

/* Release all kept blocks, which merges them with their buddies. */
static void release_kept(struct uat_heap *heap)
{
    for (unsigned order = 0; order < UAT_HEAP_KEPT_ORDERS; order++)
        while (heap->kept_count[order] > 0)
            uat_heap_release(heap, heap->kept[order][--heap->kept_count[order]]);
}

/* Take a free block of this order, or NONE. Kept blocks are released first if there is no other free block. */
static uint32_t search(struct uat_heap *heap, unsigned order)
{
    uat_lent_collect(&heap->lent, LOOKS, returned, take, heap);
    uint32_t unit = find(heap, order);
    if (unit == NONE) {
        release_kept(heap);
        uat_lent_collect(&heap->lent, heap->lent.count, returned, take, heap);
        unit = find(heap, order);
    }
    return unit;
}

struct uat_block *uat_heap_search(struct uat_heap *heap, unsigned order)
{
    uint32_t unit = order < UAT_HEAP_ORDERS ? search(heap, order) : NONE;
    if (unit == NONE)
        return NULL;
    heap->used_order[unit] = (uint8_t)order;
    struct uat_block *block = uat_heap_block(heap, unit);
    /* Relaxed: no peer knows the block yet. The WRITE of the waiter in uat_meet_joiner() publishes it. */
    __atomic_store_n(&block->returned, 0, __ATOMIC_RELAXED);
    uat_lent_add(&heap->lent, unit);
    return block;
}

size_t uat_heap_settle(struct uat_heap *heap)
{
    release_kept(heap);
    uat_lent_collect(&heap->lent, heap->lent.count, returned, take, heap);
    return heap->lent.count;
}

int uat_heap_take(struct uat_heap *heap, uint32_t unit, unsigned order)
{
    unsigned at = order;
    if (order >= UAT_HEAP_ORDERS || unit >= heap->units || unit % (1u << order) != 0)
        return -EINVAL;
    while (at < UAT_HEAP_ORDERS && heap->order[unit >> at << at] != at + 1) /* the free block that contains `unit` */
        at++;
    if (at == UAT_HEAP_ORDERS)
        return -EINVAL;
    list_remove(heap, unit >> at << at, at);
    for (; at > order; at--) { /* keep the half that contains `unit`, and free the other half */
        uint32_t half = unit >> (at - 1) << (at - 1);
        list_add(heap, half ^ (1u << (at - 1)), at - 1);
    }
    heap->used_order[unit] = (uint8_t)order;
    uat_lent_add(&heap->lent, unit);
    return 0;
}

size_t uat_heap_advice(size_t bytes)
{
    size_t size = (size_t)uat_heap.units * UAT_HEAP_UNIT;
    return 2 * ((bytes > size ? bytes : size) >> 10);
}
