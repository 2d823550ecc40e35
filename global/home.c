/* SPDX-License-Identifier: MIT */
/* Which byte lives where. */
#include "global/state.h"

#include <errno.h>

#include "runtime/watch/die.h"

/*
 * Chunk c lives with rank c mod size. A host's memory object holds its chunks in the order of their addresses, so that
 * neighbours that are near are neighbours there too and one mapping serves them.
 */
struct uat_home uat_array_home(const struct uat_array *a, uintptr_t at)
{
    const struct uat_global *g = &uat_global;
    uint64_t offset = at - a->start, chunk = offset / a->chunk, inside = offset % a->chunk;
    int size = g->config.transport->size, rank = (int)(chunk % (uint64_t)size), host = g->host_of[rank];
    uint64_t number = chunk / (uint64_t)size * (uint64_t)g->host_size[host] + (uint64_t)g->local[rank];
    return (struct uat_home){
        .host = host, .rank = rank, .run = a->chunk - inside, .offset = number * a->chunk + inside};
}

struct uat_array *uat_array_check(const char *call, uintptr_t at, size_t bytes)
{
    struct uat_array *a = uat_global.is_open ? uat_array_of(at) : &uat_nowhere;
    if (__builtin_expect(a == &uat_nowhere || at - a->start > a->size || bytes > a->size - (at - a->start), 0)) {
        if (a == &uat_nowhere)
            uat_die("%s: %p is no address of global memory", call, (void *)at);
        uat_die("%s: %zu bytes at %p reach beyond the array of %zu bytes at %p", call, bytes, (void *)at, a->bytes,
                (void *)a->start);
    }
    return a;
}

void uat_array_refuse_frozen(const char *call, const struct uat_array *a, uintptr_t at, size_t bytes)
{
    if (a->frozen && uat_global.strict)
        uat_die(
            "%s: %zu bytes at %p are to be written, but the array of %zu bytes at %p is frozen; uat_global_thaw() it "
            "before",
            call, bytes, (void *)at, a->bytes, (void *)a->start);
}

int uat_global_home(const void *p)
{
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = uat_global.is_open ? uat_array_of(at) : &uat_nowhere;
    return a == &uat_nowhere || at - a->start >= a->size ? -EINVAL : uat_array_home(a, at).rank;
}

size_t uat_global_near(const void *p, size_t bytes)
{
    const struct uat_global *g = &uat_global;
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = uat_array_check("uat_global_near()", at, bytes);
    size_t near = 0;
    while (near < bytes) {
        struct uat_home home = uat_array_home(a, at + near);
        if (home.host != g->host)
            break;
        near += home.run < bytes - near ? home.run : bytes - near;
    }
    return near;
}
