/* SPDX-License-Identifier: MIT */
/*
 * The pages of arrays: huge if possible, near the worker whose chunks they hold, and mapped before tasks use them.
 *
 * The kernel allocates a page when a process first touches it, on that process's NUMA node. Afterwards each other
 * process of the host takes a page fault at its own first access. So the allocation of an array has two steps. First
 * all workers touch their own chunks in parallel, and the kernel takes pages of each worker's node. After they have
 * agreed that this was done, each worker maps the other chunks of its host, if UAT_PAGES=map= says so. One system call
 * maps all pages of a chunk, which takes a fraction of the time of their faults.
 *
 * Memory that an adapter reaches is locked, so the first step cannot be left out there: the leader registers the
 * memory, and the registration would allocate the missing pages on the leader's node, one after another.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/global/hosts.h"
#include "runtime/global/settings.h"
#include "runtime/global/array.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

bool uat_pages_may_be_huge(const struct uat_array *a)
{
    if (uat_global_settings.huge_pages == UAT_HUGE_PAGES_NONE)
        return false;
    if (uat_global_settings.huge_pages == UAT_HUGE_PAGES_REQUIRE)
        return true;
    /* Chunks of several hosts are mapped one by one, so each of them must consist of whole huge pages. */
    return uat_array_share(a, uat_hosts.own) >= UAT_HUGE_PAGE && (!uat_hosts.far || a->chunk % UAT_HUGE_PAGE == 0);
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

/* Map all pages of a near range, and allocate those that do not exist yet. */
static int populate(char *p, size_t bytes)
{
    if (madvise(p, bytes, MADV_POPULATE_WRITE) == 0)
        return 0;
    int error = errno;
    if (error != EINVAL) { /* EFAULT: a store would have raised SIGBUS */
        uat_error("%zu KiB of global memory at %p cannot be touched: %s; the machine or its control group has no "
                  "memory for them",
                  bytes >> 10, (void *)p, strerror(error));
        return -ENOMEM;
    }
    touch_by_stores(p, bytes); /* an older kernel */
    return 0;
}

static int populate_own(const struct uat_array *a)
{
    uint64_t size = (uint64_t)uat_self.size, rank = (uint64_t)uat_self.rank;
    int rc = 0;
    for (uint64_t at = rank * a->chunk; at < a->size && !rc; at += size * a->chunk)
        rc = populate((char *)a->start + at, a->chunk);
    return rc;
}

static int populate_near(const struct uat_array *a)
{
    int rc = 0;
    for (uint64_t at = 0; at < a->size && !rc;) {
        size_t near = uat_array_near(a, a->start + at, a->size - at);
        if (near > 0)
            rc = populate((char *)a->start + at, near);
        at += near > 0 ? near : a->chunk;
    }
    return rc;
}

/* Does each worker map all chunks of its host? In each process an entry of the page table takes 8 bytes for 4 KiB. With
 * MAP_ALL_MAX workers, the tables for an array together take 1/64 of the array's size. */
static bool maps_all(const struct uat_array *a)
{
    enum { MAP_ALL_MAX = 8 };
    int workers = 0;
    for (int host = 0; host < uat_hosts.count; host++)
        workers += uat_hosts.near[host] && a->memobj[host].fd >= 0 ? uat_hosts.size[host] : 0;
    return uat_global_settings.map_pages == UAT_MAP_PAGES_ALL ||
           (uat_global_settings.map_pages == UAT_MAP_PAGES_AUTO && workers <= MAP_ALL_MAX);
}

int uat_pages_touch(const struct uat_array *a)
{
    bool locked = uat_links_bulk()->class_->room != NULL;
    return uat_global_agree(locked || uat_global_settings.map_pages != UAT_MAP_PAGES_NONE ? populate_own(a) : 0);
}

int uat_pages_map(const struct uat_array *a)
{
    return uat_global_agree(uat_global_settings.map_pages != UAT_MAP_PAGES_NONE && maps_all(a) ? populate_near(a) : 0);
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
    const struct uat_memobj *memobj = &a->memobj[uat_hosts.own];
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
