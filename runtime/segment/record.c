/* SPDX-License-Identifier: MIT */
#include "runtime/segment/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct uat_record_pool uat_records;

enum {
    LOOKS = 256,     /* number of lent records to examine when no record is free */
    LOOKS_FRESH = 16 /* number of lent records to examine when all free records are fresh */
};

size_t uat_record_stride(size_t result_max)
{
    return (sizeof(struct uat_record) + result_max + 63) / 64 * 64;
}

static struct uat_record *at(const struct uat_record_pool *pool, uint32_t number)
{
    return (struct uat_record *)(pool->memory + number * pool->stride);
}

int uat_record_pool_open(struct uat_record_pool *pool, char *memory, size_t stride, size_t count)
{
    *pool = (struct uat_record_pool){.memory = memory, .stride = stride, .free = malloc(count * sizeof(uint32_t))};
    if (!pool->free || uat_lent_open(&pool->lent, count)) {
        uat_record_pool_close(pool);
        return -ENOMEM;
    }
    uat_record_pool_reset(pool);
    return 0;
}

void uat_record_pool_reset(struct uat_record_pool *pool)
{
    size_t count = pool->lent.capacity;
    memset(pool->memory, 0, pool->used * pool->stride);
    for (size_t i = 0; i < count; i++) /* the first records are on top, so that fewer pages are touched */
        pool->free[i] = (uint32_t)(count - 1 - i);
    pool->free_count = count;
    pool->used = 0;
    pool->spare = NULL;
    pool->lent.count = pool->lent.cursor = 0;
}

void uat_record_pool_close(struct uat_record_pool *pool)
{
    free(pool->free);
    uat_lent_close(&pool->lent);
    *pool = (struct uat_record_pool){0};
}

static const uint64_t *returned(void *context, uint32_t number)
{
    return &at(context, number)->returned;
}

static void take(void *context, uint32_t number)
{
    struct uat_record_pool *pool = context;
    /* Relaxed: no peer knows the record now. Its next publication, in publish(), orders this store. */
    __atomic_store_n(&at(pool, number)->returned, 0, __ATOMIC_RELAXED);
    pool->free[pool->free_count++] = number;
}

size_t uat_record_pool_settle(struct uat_record_pool *pool)
{
    uat_lent_collect(&pool->lent, pool->lent.count, returned, take, pool);
    return pool->lent.count - (pool->spare != NULL);
}

/*
 * Is no used record free? A fresh record is expensive: the peer's first WRITE to it causes a page fault, which adds 3
 * to 30 us to a join. So the caller first checks whether a few lent records have come back.
 */
static bool is_fresh_next(const struct uat_record_pool *pool)
{
    return pool->free_count == 0 || pool->free[pool->free_count - 1] >= pool->used;
}

struct uat_record *uat_record_get(struct uat_record_pool *pool)
{
    struct uat_record *spare = pool->spare;
    if (spare) {
        pool->spare = NULL;
        return spare;
    }
    if (is_fresh_next(pool))
        uat_lent_collect(&pool->lent, pool->free_count == 0 ? LOOKS : LOOKS_FRESH, returned, take, pool);
    if (pool->free_count == 0)
        return NULL;
    uint32_t number = pool->free[--pool->free_count];
    pool->used = number < pool->used ? pool->used : number + 1;
    uat_lent_add(&pool->lent, number);
    return at(pool, number);
}

void uat_record_put(struct uat_record_pool *pool, struct uat_record *record)
{
    if (!pool->spare) {
        pool->spare = record;
        return;
    }
    uint32_t number = (uint32_t)((size_t)((char *)record - pool->memory) / pool->stride);
    uat_lent_remove(&pool->lent, number);
    pool->free[pool->free_count++] = number;
}

int uat_record_take(struct uat_record_pool *pool, uint32_t number)
{
    size_t i = pool->free_count;
    while (i > 0 && pool->free[i - 1] != number)
        i--;
    if (i == 0)
        return -EINVAL;
    memmove(pool->free + i - 1, pool->free + i, (pool->free_count - i) * sizeof(*pool->free));
    pool->free_count--;
    pool->used = number < pool->used ? pool->used : number + 1;
    uat_lent_add(&pool->lent, number);
    return 0;
}
