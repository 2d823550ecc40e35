/* SPDX-License-Identifier: MIT */
#include "transport_sim/fault.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"

enum { PAGE = 4096, LINE = 64, FIRST = 1024 };

/* The places of stacks that this worker has touched: a hash table of keys with open addressing. Key 0 means a free
 * entry. */
static struct {
    uint64_t *pages; /* per key: the number of pages touched */
    uint64_t *key;
    uint64_t size, used;
} touched;

static uint64_t find(const uint64_t *keys, uint64_t size, uint64_t key)
{
    uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    while (keys[i % size] != 0 && keys[i % size] != key)
        i++;
    return i % size;
}

static bool grow(void)
{
    uint64_t size = touched.size ? 2 * touched.size : FIRST;
    uint64_t *key = calloc(size, sizeof(*key)), *pages = calloc(size, sizeof(*pages));
    if (!key || !pages) {
        free(key);
        free(pages);
        return false;
    }
    for (uint64_t i = 0; i < touched.size; i++)
        if (touched.key[i]) {
            uint64_t k = find(key, size, touched.key[i]);
            key[k] = touched.key[i];
            pages[k] = touched.pages[i];
        }
    free(touched.key);
    free(touched.pages);
    touched.key = key;
    touched.pages = pages;
    touched.size = size;
    return true;
}

uint64_t uat_sim_fault_pages(int victim, uintptr_t sp, uintptr_t base)
{
    if (2 * touched.used >= touched.size && !grow()) {
        uat_error("no memory for the places of %llu stolen stacks", (unsigned long long)touched.used);
        abort();
    }
    uint64_t key = (uint64_t)(victim + 1) << 40 | (base / LINE & ((UINT64_C(1) << 40) - 1)),
             pages = (base - sp + PAGE - 1) / PAGE;
    uint64_t i = find(touched.key, touched.size, key);
    touched.used += touched.key[i] == 0;
    touched.key[i] = key;
    if (pages <= touched.pages[i])
        return 0;
    pages -= touched.pages[i];
    touched.pages[i] += pages;
    return pages;
}
