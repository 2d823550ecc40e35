/* SPDX-License-Identifier: MIT */
/* Creating and freeing arrays. A step that fails on one worker fails on all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/word.h"
#include "runtime/global/array.h"
#include "runtime/global/hosts.h"
#include "runtime/job/fatal.h"
#include "transport/handover.h"

static bool is_leader(void)
{
    return uat_hosts.leader[uat_hosts.own] == uat_self.rank;
}

/* The leader creates its host's object. The transport then checks that the memory that it will lock is available,
 * before any worker touches it. */
static int make_object(struct uat_array *a, struct uat_memobj *memobj)
{
    struct uat_bulk *links = uat_links_bulk();
    uint64_t bytes = uat_array_share(a, uat_hosts.own);
    *memobj = (struct uat_memobj){.fd = -1};
    if (!is_leader() || bytes == 0)
        return 0;
    int rc = uat_memobj_make(memobj, bytes, uat_pages_may_be_huge(a), &a->fd);
    return rc || !links->class_->room ? rc : links->class_->room(links, bytes, memobj->page > 0);
}

#define WHOLE_LOW  UINT64_C(0x680000000000) /* sanitizers, programs and global addresses lie below */
#define WHOLE_SIZE UINT64_C(0x100000000000)

/* Map all of a host's object of the array a second time, far from the mappings that the kernel places. Parts that grow
 * take up to 1 TiB of addresses. Placed by the kernel, they would cover the addresses of the segment's replicas, and
 * those at which a wrong pointer of another rank's malloc() must fault. If the place is taken, or beyond the addresses
 * that this processor has, the kernel chooses. */
static void *map_whole(const struct uat_array *a, int host, int fd)
{
    size_t bytes = a->memobj[host].bytes;
    uintptr_t place = WHOLE_LOW + (a->start + (size_t)host * bytes) % WHOLE_SIZE;
    void *p = mmap((void *)place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED)
        madvise(p, bytes, MADV_DONTDUMP); /* a core file has these bytes at their global addresses */
    return p;
}

/* The leader exposes its object to the workers of all hosts. They reach the object by the key. Only transports where
 * CPUs do not copy need this. */
static int expose(struct uat_array *a, struct uat_bulk_key *key)
{
    uint64_t bytes = a->memobj[uat_hosts.own].bytes;
    *key = (struct uat_bulk_key){0};
    if (a->fd < 0)
        return 0;
    void *p = map_whole(a, uat_hosts.own, a->fd);
    if (p == MAP_FAILED) {
        int error = errno;
        uat_error("%zu MiB of global memory cannot be mapped: %s", (size_t)bytes >> 20, strerror(error));
        return -error;
    }
    a->linear = p;
    uat_pages_advise(p, bytes);
    return uat_links_bulk()->class_->expose(uat_links_bulk(), a->fd, a->linear, bytes, key);
}

/* Map a run of neighbouring chunks. The chunks are neighbours in the object, too. page: as in struct uat_memobj. */
static int map_run(size_t page, int fd, uintptr_t at, size_t bytes, uint64_t offset)
{
    size_t size = page ? (bytes + page - 1) / page * page : bytes;
    void *p = mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset);
    if (p == MAP_FAILED) {
        int error = errno;
        uat_error("%zu KiB of global memory cannot be mapped at %p: %s; see vm.max_map_count and `ulimit -v`",
                  size >> 10, (void *)at, strerror(error));
        return -error;
    }
    uat_pages_advise(p, size);
    return 0;
}

/* The number of consecutive bytes that belong to that host. They start with the chunk at `at`. */
static size_t run_of(const struct uat_array *a, int host, uintptr_t at)
{
    size_t run = 0;
    while (at + run < a->start + a->size && uat_array_home(a, at + run).host == host)
        run += a->chunk;
    return run;
}

/* Map the chunks of a near host at their global addresses. */
static int map_near(const struct uat_array *a, int host, int fd)
{
    size_t run;
    for (uintptr_t at = a->start; at < a->start + a->size; at += run ? run : a->chunk) {
        run = run_of(a, host, at);
        int rc = run ? map_run(a->memobj[host].page, fd, at, run, uat_array_home(a, at).offset) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

/* Map the chunks of all near hosts. */
static int map_all_near(struct uat_array *a)
{
    for (int h = 0; h < uat_hosts.count; h++) {
        if (!uat_hosts.near[h] || a->memobj[h].fd < 0)
            continue;
        bool leads = uat_hosts.leader[h] == uat_self.rank;
        int fd = leads ? a->fd : uat_memobj_open(&a->memobj[h], uat_hosts.leader[h]);
        int rc = fd < 0 ? fd : map_near(a, h, fd);
        if (fd >= 0 && !leads)
            close(fd);
        if (rc)
            return rc;
    }
    return 0;
}

/* Tell uat_global_checkout() which run of near chunks is the longest. */
static void show_near(struct uat_array *a)
{
    struct uat_near_run longest = {0};
    size_t run = 0;
    for (uintptr_t at = a->start; at < a->start + a->size; at += a->chunk) {
        run = uat_array_home(a, at).near ? run + a->chunk : 0;
        if (run > longest.size)
            longest = (struct uat_near_run){.high = at + a->chunk, .size = run};
    }
    uat_near_set(a, longest);
}

/* Map the memory of another host. Only shared memory needs this, if hosts are simulated. */
static int map_far(struct uat_array *a, int host)
{
    struct uat_memobj *memobj = &a->memobj[host];
    int fd = uat_memobj_open(memobj, uat_hosts.leader[host]);
    if (fd < 0)
        return fd;
    void *p = map_whole(a, host, fd);
    close(fd);
    if (p == MAP_FAILED) {
        uat_error("%zu MiB of another host's global memory cannot be mapped: %s", (size_t)memobj->bytes >> 20,
                  strerror(errno));
        return -ENOMEM;
    }
    a->window[host] = p;
    memobj->key.base = (uintptr_t)p;
    return 0;
}

static int attach(struct uat_array *a, const struct uat_memobj *memobjs)
{
    for (int h = 0; h < uat_hosts.count; h++) {
        uint64_t share = uat_array_share(a, h); /* accessing a chunk beyond the object would be a bus error */
        bool has_none = memobjs[h].fd < 0;
        if (has_none && share > 0)
            return uat_word_report(uat_hosts.leader[h], "the descriptor of the part of an array",
                                   (uint64_t)memobjs[h].fd);
        if (!has_none && memobjs[h].pid <= 0)
            return uat_word_report(uat_hosts.leader[h], "the process of the part of an array",
                                   (uint64_t)memobjs[h].pid);
        if (!has_none && memobjs[h].bytes != share)
            return uat_word_report(uat_hosts.leader[h], "the size of the part of an array", memobjs[h].bytes);
        if (!has_none && memobjs[h].page != 0 && memobjs[h].page != UAT_HUGE_PAGE)
            return uat_word_report(uat_hosts.leader[h], "the page size of the part of an array", memobjs[h].page);
        a->memobj[h] = memobjs[h];
    }
    int rc = map_all_near(a);
    if (!rc && !uat_registry.strict) /* under torture no range counts as near, so that every checkout is recorded */
        show_near(a);
    for (int h = 0; h < uat_hosts.count && !rc && uat_hosts.far && uat_links_bulk()->class_->maps; h++)
        if (a->memobj[h].fd >= 0)
            rc = map_far(a, h);
    return rc;
}

void uat_array_drop(struct uat_array *a)
{
    if (!a)
        return;
    if (a->linear) {
        uat_links_bulk()->class_->conceal(uat_links_bulk(), a->linear);
        munmap(a->linear, a->memobj[uat_hosts.own].bytes);
    }
    for (int h = 0; h < uat_hosts.count; h++) {
        if (a->window && a->window[h])
            munmap(a->window[h], a->memobj[h].bytes);
        if (a->memobj)
            uat_handover_drop(a->memobj[h].device, a->memobj[h].inode);
    }
    if (a->start) {
        uat_near_set(a, (struct uat_near_run){0});
        uat_place_release(a);
    }
    if (a->fd >= 0)
        close(a->fd);
    free(a->window);
    free(a->memobj);
    free(a);
}

static struct uat_array *new_array(size_t bytes, size_t chunk)
{
    struct uat_array *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->fd = -1;
    a->bytes = bytes;
    a->chunk = chunk;
    a->by_chunk = uat_divisor(chunk >> UAT_BLOCK_SHIFT);
    a->size = (bytes + chunk - 1) / chunk * chunk;
    a->window = calloc((size_t)uat_hosts.count, sizeof(*a->window));
    a->memobj = calloc((size_t)uat_hosts.count, sizeof(*a->memobj));
    if (a->window && a->memobj)
        return a;
    free(a->window);
    free(a->memobj);
    free(a);
    return NULL;
}

/* Expose the array's memory to all workers. Collective; returns 0 or the worst of all workers' errors. */
static int expose_to_all(struct uat_array *a)
{
    struct uat_bulk_key mine = {0}, *all = calloc((size_t)uat_hosts.count, sizeof(*all)); /* one from each leader */
    int rc = all ? 0 : -ENOMEM;
    if (!all)
        uat_error("no memory for the keys of an array");
    rc = uat_global_agree(rc);
    if (!rc)
        rc = uat_global_agree(expose(a, &mine));
    if (!rc)
        uat_check(uat_global_gather_from(uat_hosts.leader, uat_hosts.count, &mine, sizeof(mine), all));
    for (int h = 0; h < uat_hosts.count && !rc; h++)
        a->memobj[h].key = all[h];
    free(all);
    return rc;
}

/* Create an array at the addresses of `saved`, or, if `saved` is NULL, at new addresses. sparse: its pages are mapped
 * at their first use, unless they are locked. */
static int make(size_t bytes, size_t chunk, const struct uat_table_entry *saved, bool sparse, struct uat_array **out)
{
    struct uat_array *a = new_array(bytes, chunk);
    struct uat_memobj mine = {.fd = -1},
                      *all = calloc((size_t)uat_hosts.count, sizeof(*all)); /* one from each leader */
    int rc = 0;
    if (!a || !all) {
        uat_error("no memory for the description of an array");
        rc = -ENOMEM;
    }
    if (!rc)
        rc = uat_place_reserve(a, saved);
    if (!rc)
        rc = uat_overcommit_check_array(a);
    rc = uat_global_agree(rc); /* agree here, so that no worker maps memory that does not exist */
    if (!rc)
        rc = uat_global_agree(make_object(a, &mine));
    if (!rc) { /* every worker has `all`, or uat_global_agree() would have failed */
        uat_check(uat_global_gather_from(uat_hosts.leader, uat_hosts.count, &mine, sizeof(mine), all));
        rc = uat_global_agree(attach(a, all));
    }
    if (!rc && (!sparse || uat_links_bulk()->class_->room))
        rc = uat_pages_touch(a);
    if (!rc && !sparse)
        rc = uat_pages_map(a);
    if (!rc && !uat_links_bulk()->class_->maps)
        rc = expose_to_all(a);
    free(all);
    if (rc) {
        uat_array_drop(a);
        return rc;
    }
    if (is_leader() && a->fd >= 0)
        uat_pages_tell(a);
    *out = a;
    return 0;
}

int uat_array_make(const struct uat_table_entry *asked, size_t bytes, size_t chunk, struct uat_array **out)
{
    const struct uat_table_entry *saved;
    struct uat_table_entry made = *asked;
    int rc = uat_table_next(asked, &saved);
    if (rc)
        return rc;
    if (saved && saved->start == 0) { /* the call failed in the interrupted job, so it must fail again */
        if (uat_self.rank == 0)
            uat_error("%zu MiB of global memory are refused, as in the job that was interrupted", bytes >> 20);
        rc = -ENOMEM;
    } else {
        size_t size = (bytes + chunk - 1) / chunk * chunk;
        if (saved && asked->distribution != UAT_TABLE_PARTS && uat_place_granules(saved->shift, size) > saved->granules)
            chunk = saved->chunk; /* chunks of this job's size would reach into the next array's addresses */
        rc = make(bytes, chunk, saved, asked->distribution == UAT_TABLE_PARTS, out);
    }
    made.start = 0;
    if (!rc) {
        made.start = (*out)->start;
        made.chunk = chunk;
        made.shift = (*out)->shift;
        made.granules = (*out)->granules;
    }
    uat_table_note(&made);
    return rc;
}
