/* SPDX-License-Identifier: MIT */
/* Arrays: making and giving back, collectively. A step that fails on one worker fails on all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "global/state.h"
#include "runtime/watch/call.h"
#include "runtime/watch/die.h"

static int size_of_job(void)
{
    return uat_global.config.transport->size;
}

static int own_rank(void)
{
    return uat_global.config.transport->rank;
}

static bool is_leader(void)
{
    return uat_global.leader[uat_global.host] == own_rank();
}

uint64_t uat_array_share(const struct uat_array *a, int host)
{
    uint64_t chunks = a->size / a->chunk, n = (uint64_t)size_of_job();
    uint64_t kept = chunks / n * (uint64_t)uat_global.host_size[host];
    for (uint64_t rank = 0; rank < chunks % n; rank++)
        kept += uat_global.host_of[rank] == host;
    return kept * a->chunk;
}

/*
 * Reserve the addresses: the first free granules that are enough, the same on all workers, for all make the same calls.
 */
static int reserve(struct uat_array *a)
{
    struct uat_global *g = &uat_global;
    a->granules = (a->size + (UINT64_C(1) << UAT_GRANULE_SHIFT) - 1) >> UAT_GRANULE_SHIFT;
    size_t free = 0, i = 0;
    for (; i < UAT_GRANULES && free < a->granules; i++)
        free = g->granule[i] == &uat_nowhere ? free + 1 : 0;
    if (free < a->granules) {
        uat_error("no addresses for %zu GiB of global memory", a->granules);
        return -ENOMEM;
    }
    uintptr_t start = UAT_GLOBAL_BASE + ((uint64_t)(i - a->granules) << UAT_GRANULE_SHIFT);
    void *p = mmap((void *)start, a->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                   -1, 0);
    if (p != (void *)start) {
        int error = p == MAP_FAILED ? errno : EEXIST;
        if (p != MAP_FAILED)
            munmap(p, a->size);
        uat_error("the addresses of %zu MiB of global memory at %p cannot be reserved: %s", a->size >> 20,
                  (void *)start, strerror(error));
        return -error;
    }
    a->start = start;
    for (size_t k = 0; k < a->granules; k++)
        g->granule[i - a->granules + k] = a;
    return 0;
}

/* The leader makes its host's object, and lets the others reach it. */
static int make_object(struct uat_array *a, struct uat_object_card *card)
{
    struct uat_global *g = &uat_global;
    uint64_t bytes = uat_array_share(a, g->host);
    *card = (struct uat_object_card){.fd = -1};
    if (!is_leader() || bytes == 0)
        return 0;
    int rc = uat_object_make(card, bytes, &a->fd);
    if (rc || (!g->far && g->bulk->class_->maps))
        return rc; /* one host, and CPUs do all */
    a->linear = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
    if (a->linear == MAP_FAILED) {
        rc = -errno;
        a->linear = NULL;
        uat_error("%zu MiB of global memory cannot be mapped: %s", (size_t)bytes >> 20, strerror(-rc));
        return rc;
    }
    return g->bulk->class_->expose(g->bulk, a->fd, a->linear, bytes, &card->key);
}

/* The near chunks, at their global addresses. */
static int map_near(struct uat_array *a, int fd)
{
    struct uat_near_run longest = {0};
    size_t run = 0;
    for (uintptr_t at = a->start; at < a->start + a->size; at += a->chunk) {
        struct uat_home home = uat_array_home(a, at);
        if (home.host != uat_global.host) {
            run = 0;
            continue;
        }
        void *p = mmap((void *)at, a->chunk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)home.offset);
        if (p == MAP_FAILED) {
            int error = errno;
            uat_error("%zu KiB of global memory cannot be mapped at %p: %s; see vm.max_map_count and `ulimit -v`",
                      a->chunk >> 10, (void *)at, strerror(error));
            return -error;
        }
        run += a->chunk;
        if (run > longest.size)
            longest = (struct uat_near_run){.high = at + a->chunk, .size = run};
    }
    madvise((void *)(longest.high - longest.size), longest.size, MADV_HUGEPAGE); /* only advice */
    if (!uat_global.strict) /* else nothing is at hand, so that every checkout is recorded */
        uat_near_set(a, longest);
    return 0;
}

/* The memory of other hosts, where the transport wants it mapped (hosts are simulated). */
static int map_far(struct uat_array *a, int host)
{
    struct uat_object_card *card = &a->card[host];
    int fd = uat_object_open(card, uat_global.leader[host]);
    if (fd < 0)
        return fd;
    void *p = mmap(NULL, card->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED) {
        uat_error("%zu MiB of another host's global memory cannot be mapped: %s", (size_t)card->bytes >> 20,
                  strerror(errno));
        return -ENOMEM;
    }
    a->window[host] = p;
    card->key.base = (uintptr_t)p;
    return 0;
}

static int attach(struct uat_array *a, const struct uat_object_card *cards)
{
    struct uat_global *g = &uat_global;
    int rc = 0;
    for (int h = 0; h < g->hosts; h++)
        a->card[h] = cards[h];
    if (a->card[g->host].fd >= 0) {
        int fd = is_leader() ? a->fd : uat_object_open(&a->card[g->host], g->leader[g->host]);
        rc = fd < 0 ? fd : map_near(a, fd);
        if (fd >= 0 && !is_leader())
            close(fd);
    }
    for (int h = 0; h < g->hosts && !rc && g->far && g->bulk->class_->maps; h++)
        if (a->card[h].fd >= 0)
            rc = map_far(a, h);
    return rc;
}

void uat_array_drop(struct uat_array *a)
{
    struct uat_global *g = &uat_global;
    if (!a)
        return;
    if (a->linear) {
        g->bulk->class_->conceal(g->bulk, a->linear);
        munmap(a->linear, a->card[g->host].bytes);
    }
    for (int h = 0; h < g->hosts; h++)
        if (a->window && a->window[h])
            munmap(a->window[h], a->card[h].bytes);
    if (a->start) {
        munmap((void *)a->start, a->size);
        uat_near_set(a, (struct uat_near_run){0});
        for (size_t k = 0; k < a->granules; k++)
            g->granule[((a->start - UAT_GLOBAL_BASE) >> UAT_GRANULE_SHIFT) + k] = &uat_nowhere;
    }
    if (a->fd >= 0)
        close(a->fd);
    free(a->window);
    free(a->card);
    free(a);
}

static struct uat_array *new_array(size_t bytes, size_t chunk)
{
    struct uat_global *g = &uat_global;
    struct uat_array *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->fd = -1;
    a->bytes = bytes;
    a->chunk = chunk;
    a->size = (bytes + chunk - 1) / chunk * chunk;
    a->window = calloc((size_t)g->hosts, sizeof(*a->window));
    a->card = calloc((size_t)g->hosts, sizeof(*a->card));
    if (a->window && a->card)
        return a;
    free(a->window);
    free(a->card);
    free(a);
    return NULL;
}

int uat_array_make(size_t bytes, size_t chunk, int rc, struct uat_array **out)
{
    struct uat_array *a = rc ? NULL : new_array(bytes, chunk);
    struct uat_global *g = &uat_global;
    struct uat_object_card mine = {.fd = -1}, *all = calloc((size_t)g->hosts, sizeof(*all)); /* of the leaders */
    if (!rc && (!a || !all)) {
        uat_error("no memory for the description of an array");
        rc = -ENOMEM;
    }
    if (!rc)
        rc = reserve(a);
    if (!rc)
        rc = uat_room_for_array(a);
    rc = uat_global_agree(rc); /* nobody registers memory that is not there */
    if (!rc)
        rc = make_object(a, &mine);
    rc = uat_global_agree(rc);
    if (!rc) { /* all: each has its table, or agree() had failed */
        uat_check(uat_global_gather_from(g->leader, g->hosts, &mine, sizeof(mine), all));
        rc = uat_global_agree(attach(a, all));
    }
    free(all);
    if (rc)
        uat_array_drop(a);
    else
        *out = a;
    return rc;
}

/* Do all workers ask for the same? The lowest rank that differs from rank 0 says so. */
static int compare(const uint64_t mine[4])
{
    uint64_t his[4];
    uat_check(uat_global.config.copy(his, mine, sizeof(his)));
    bool differs = memcmp(mine, his, sizeof(his)) != 0;
    int lowest = uat_global_agree(differs ? own_rank() - size_of_job() : 0); /* below 0, and in the order of ranks */
    if (lowest < 0 && lowest + size_of_job() == own_rank())
        uat_error("%s: rank 0 and this one pass different arguments; all workers must pass the same", uat_call_name());
    return lowest < 0 ? -EINVAL : 0;
}

void *uat_global_alloc(size_t bytes, enum uat_distribution distribution, size_t block)
{
    struct uat_array *a = NULL;
    int rc = uat_call_check(UAT_CALL_GLOBAL_ALLOC);
    if (rc) {
        errno = -rc;
        return NULL;
    }
    uat_call_enter(UAT_CALL_GLOBAL_ALLOC);
    rc = uat_global_start();
    if (!rc)
        rc = compare((uint64_t[4]){'A', bytes, distribution, block});
    if (!rc &&
        (bytes == 0 || bytes > UINT64_C(1) << 46 || block > UINT64_C(1) << 46 || (unsigned)distribution > UAT_CYCLIC)) {
        if (own_rank() == 0)
            uat_error(
                "uat_global_alloc(%zu bytes, distribution %d, block %zu): the size must be from 1 byte to 64 TiB, the "
                "distribution UAT_BLOCKED or UAT_CYCLIC",
                bytes, (int)distribution, block);
        rc = -EINVAL;
    }
    if (!rc) {
        size_t share =
            distribution == UAT_BLOCKED ? (bytes + (size_t)size_of_job() - 1) / (size_t)size_of_job() : block;
        size_t chunk = share ? (share + UAT_BLOCK - 1) / UAT_BLOCK * UAT_BLOCK : UAT_BLOCK;
        rc = uat_array_make(bytes, chunk, 0, &a);
    }
    uat_call_leave();
    if (rc) {
        errno = -rc;
        return NULL;
    }
    return (void *)a->start;
}

/* Enter a call about the array that begins at p, if one does, and all workers mean the same. */
static int enter(enum uat_call call, const void *p, struct uat_array **out)
{
    int rc = uat_call_check(call);
    if (rc)
        return rc;
    uat_call_enter(call);
    uat_global_refuse_open("in a collective call");
    struct uat_array *a = uat_global.is_open ? uat_array_of((uintptr_t)p) : &uat_nowhere;
    if (a == &uat_nowhere || a->start != (uintptr_t)p || a == uat_global.parts) {
        uat_error("%s: no array begins at %p", uat_call_name(), p);
        rc = -EINVAL;
    }
    rc = uat_global_agree(rc);
    if (!rc)
        rc = compare((uint64_t[4]){call, (uintptr_t)p});
    if (rc)
        uat_call_leave();
    *out = a;
    return rc;
}

int uat_global_free(void *p)
{
    struct uat_array *a;
    if (!p)
        return 0;
    int rc = enter(UAT_CALL_GLOBAL_FREE, p, &a);
    if (rc)
        return rc;
    uat_global_release();
    uat_cache_forget(a);
    uat_check(uat_global.config.barrier()); /* nobody reaches it any more */
    uat_array_drop(a);
    uat_call_leave();
    return 0;
}

int uat_global_freeze(void *p)
{
    struct uat_array *a;
    int rc = enter(UAT_CALL_GLOBAL_FREEZE, p, &a);
    if (rc)
        return rc;
    uat_global_before_barrier();
    uat_check(uat_global.config.barrier()); /* behind it nobody writes */
    uat_global_after_barrier();
    a->frozen = uat_global.epoch | UINT64_C(1) << 63; /* unlike any other epoch, and unlike that of an earlier freeze */
    uat_call_leave();
    return 0;
}

int uat_global_thaw(void *p)
{
    struct uat_array *a;
    int rc = enter(UAT_CALL_GLOBAL_THAW, p, &a);
    if (rc)
        return rc;
    a->frozen = 0;
    uat_check(uat_global.config.barrier()); /* before it nobody writes */
    uat_global_after_barrier();             /* no slot shows a run of it any longer: its epoch has changed */
    uat_call_leave();
    return 0;
}
