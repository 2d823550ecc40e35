/* SPDX-License-Identifier: MIT */
/* Where each byte lives. */
#include "runtime/global/hosts.h"
#include "runtime/global/array.h"

#include <errno.h>

#include "runtime/job/fatal.h"

static struct uat_near_run near_runs[UAT_NEAR_RUNS]; /* all runs are empty at first: nothing is near */
struct uat_near uat_near = {.run = near_runs, .word = SIZE_MAX};
_Static_assert((int)UAT_GRANULE_SHIFT == UAT_NEAR_RUN_SHIFT && (int)UAT_GRANULES <= UAT_NEAR_RUNS,
               "granules have a run each");

void uat_near_allow_words(bool may)
{
    uat_near.word = may ? sizeof(uint64_t) : SIZE_MAX;
}

void uat_near_set(const struct uat_array *a, struct uat_near_run run)
{
    for (size_t k = 0; k < a->granules; k++)
        near_runs[((a->start >> UAT_NEAR_RUN_SHIFT) + k) % UAT_NEAR_RUNS] = run;
}

/*
 * Chunk c lives with rank c mod size. A host's memory object holds its chunks in the order of their addresses. So
 * neighbouring chunks of one host are neighbours in its object, too, and need only one mapping.
 */
struct uat_home uat_array_home(const struct uat_array *a, uintptr_t at)
{
    uint64_t offset = at - a->start, chunk = uat_quotient(offset >> UAT_BLOCK_SHIFT, a->by_chunk);
    uint64_t inside = offset - chunk * a->chunk, round = uat_quotient(chunk, uat_hosts.by_size);
    int rank = (int)(chunk - round * (uint64_t)uat_self.size), host = uat_hosts.of[rank];
    uint64_t number = round * (uint64_t)uat_hosts.size[host] + (uint64_t)uat_hosts.local[rank];
    return (struct uat_home){.host = host,
                             .rank = rank,
                             .near = uat_hosts.near[host],
                             .run = a->chunk - inside,
                             .offset = number * a->chunk + inside};
}

uint64_t uat_array_share(const struct uat_array *a, int host)
{
    uint64_t chunks = a->size / a->chunk, n = (uint64_t)uat_self.size;
    uint64_t kept = chunks / n * (uint64_t)uat_hosts.size[host];
    for (uint64_t rank = 0; rank < chunks % n; rank++)
        kept += uat_hosts.of[rank] == host;
    return kept * a->chunk;
}

struct uat_array *uat_array_check(const char *call, uintptr_t at, size_t bytes)
{
    struct uat_array *a = uat_array_find(at);
    size_t size = uat_registry.strict ? a->bytes : a->size; /* the last chunk may reach beyond the requested bytes */
    if (__builtin_expect(a == &uat_nowhere || at - a->start > size || bytes > size - (at - a->start), 0)) {
        if (a == &uat_nowhere)
            uat_fatal("%s: %p is no address of global memory", call, (void *)at);
        uat_fatal("%s: %zu bytes at %p reach beyond the array of %zu bytes at %p", call, bytes, (void *)at, a->bytes,
                  (void *)a->start);
    }
    if (__builtin_expect(uat_registry.strict, 0) && a->check)
        a->check(call, at, bytes);
    return a;
}

void uat_array_refuse_frozen(const char *call, const struct uat_array *a, uintptr_t at, size_t bytes)
{
    if (a->frozen && uat_registry.strict)
        uat_fatal(
            "%s: %zu bytes at %p are to be written, but the array of %zu bytes at %p is frozen; uat_global_thaw() it "
            "before",
            call, bytes, (void *)at, a->bytes, (void *)a->start);
}

bool uat_global_is_array(const void *p)
{
    const struct uat_array *a = uat_array_find((uintptr_t)p);
    return a != &uat_nowhere && !a->frozen && !a->check;
}

int uat_global_home(const void *p)
{
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = uat_array_find(at);
    return a == &uat_nowhere || at - a->start >= a->size ? -EINVAL : uat_array_home(a, at).rank;
}

bool uat_global_blocked(const void *p, uintptr_t *start, uint64_t *chunk)
{
    const struct uat_array *a = uat_array_find((uintptr_t)p);
    if (a == &uat_nowhere || a->check || a->chunk * (uint64_t)uat_self.size < a->size)
        return false;
    *start = a->start;
    *chunk = a->chunk;
    return true;
}

bool uat_global_is_far(void)
{
    return uat_global_is_open() && uat_hosts.far;
}

int uat_global_host(const void *p)
{
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = uat_array_find(at);
    return a == &uat_nowhere || at - a->start >= a->size ? -1 : uat_array_home(a, at).host;
}

bool uat_global_host_is_near(int first, int step)
{
    bool near = !uat_global_is_far();
    for (int host = first; !near && host < uat_hosts.count; host += step)
        near = uat_hosts.near[host];
    return near;
}

size_t uat_array_near(const struct uat_array *a, uintptr_t at, size_t bytes)
{
    size_t near = 0;
    while (near < bytes) {
        struct uat_home home = uat_array_home(a, at + near);
        if (!home.near)
            break;
        near += home.run < bytes - near ? home.run : bytes - near;
    }
    return near;
}

size_t uat_global_near(const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p;
    if (uat_near_holds(at, bytes))
        return bytes;
    const struct uat_array *a = uat_array_find(at);
    size_t rest = at - a->start < a->size ? a->size - (at - a->start) : 0;
    return uat_array_near(a, at, bytes < rest ? bytes : rest);
}
