/* SPDX-License-Identifier: MIT */
/*
 * The pages of arrays: huge if possible, and near the worker whose chunks they hold.
 *
 * Memory that an adapter reaches is locked. The leader registers this memory. The registration allocates the pages that
 * do not exist yet, one after another, on the leader's NUMA node. So all workers first touch their own chunks in
 * parallel, and the kernel takes pages of each worker's node. For transports where CPUs copy, pages are allocated on
 * first use.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/global/settings.h"
#include "runtime/global/array.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

bool uat_pages_may_be_huge(const struct uat_array *a)
{
    const struct uat_global *g = &uat_global;
    if (uat_global_settings.huge_pages == UAT_HUGE_PAGES_NONE)
        return false;
    if (uat_global_settings.huge_pages == UAT_HUGE_PAGES_REQUIRE)
        return true;
    /* Chunks of several hosts are mapped one by one, so each of them must consist of whole huge pages. */
    return uat_array_share(a, g->host.own) >= UAT_HUGE_PAGE && (!g->far || a->chunk % UAT_HUGE_PAGE == 0);
}

static uint64_t read_count(const char *name)
{
    char path[128];
    unsigned long long count = 0;
    snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-2048kB/%s", name);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%llu", &count) != 1)
        count = 0;
    if (file)
        fclose(file);
    return count;
}

uint64_t uat_pages_reserved(void)
{
    uint64_t free = read_count("free_hugepages"), promised = read_count("resv_hugepages");
    return free > promised ? (free - promised) * UAT_HUGE_PAGE : 0;
}

size_t uat_pages_unit(void)
{
    return uat_global_settings.huge_pages == UAT_HUGE_PAGES_REQUIRE ? UAT_HUGE_PAGE : UAT_BLOCK;
}

void uat_pages_advise(void *p, size_t bytes)
{
    madvise(p, bytes, uat_global_settings.huge_pages == UAT_HUGE_PAGES_NONE ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
}

/* Touch pages by storing to them. No other worker writes to these pages yet. */
static void touch_by_stores(char *p, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < bytes; at += page)
        *(volatile char *)(p + at) = 0;
}

int uat_pages_touch(const struct uat_array *a)
{
    const struct uat_global *g = &uat_global;
    uint64_t size = (uint64_t)g->config.transport->size, rank = (uint64_t)g->config.transport->rank;
    for (uint64_t at = rank * a->chunk; at < a->size; at += size * a->chunk) {
        char *p = (char *)a->start + at;
        if (madvise(p, a->chunk, MADV_POPULATE_WRITE) == 0)
            continue;
        int error = errno;
        if (error != EINVAL) { /* EFAULT: a store would have raised SIGBUS */
            uat_error("%zu KiB of global memory at %p cannot be touched: %s; the machine or its control group has no "
                      "memory for them",
                      a->chunk >> 10, (void *)p, strerror(error));
            return -ENOMEM;
        }
        touch_by_stores(p, a->chunk); /* an older kernel */
    }
    return 0;
}

/* Does the kernel use huge pages for this memory? The kernel reports only memory that was touched. */
static bool is_transparent(uintptr_t start)
{
    char line[256];
    size_t from, to, kib = 0;
    bool here = false;
    FILE *maps = fopen("/proc/self/smaps", "re");
    while (maps && kib == 0 && fgets(line, sizeof(line), maps))
        if (sscanf(line, "%zx-%zx ", &from, &to) == 2)
            here = from <= start && start < to;
        else if (here)
            sscanf(line, "ShmemPmdMapped: %zu", &kib);
    if (maps)
        fclose(maps);
    return kib > 0;
}

void uat_pages_tell(const struct uat_array *a)
{
    const struct uat_memobj *memobj = &a->memobj[uat_global.host.own];
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (memobj->page)
        uat_info("global memory: %" PRIu64 " MiB at %p in reserved pages of %" PRIu64 " KiB", memobj->bytes >> 20,
                 (void *)a->start, memobj->page >> 10);
    else if (a->linear)
        uat_info("global memory: %" PRIu64 " MiB at %p in pages of %zu KiB", memobj->bytes >> 20, (void *)a->start,
                 (is_transparent(a->start) ? UAT_HUGE_PAGE : page) >> 10);
    else
        uat_info("global memory: %" PRIu64
                 " MiB at %p in pages of %zu KiB, or those that the kernel chooses on first use",
                 memobj->bytes >> 20, (void *)a->start, page >> 10);
}
