/* SPDX-License-Identifier: MIT */
/* UAT_TORTURE=fence: pages that a task must not touch are inaccessible while it runs. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/global/array.h"
#include "runtime/job/fatal.h"

static bool is_up; /* near memory is inaccessible; only while a task with declared accesses runs (run_declared()) */

/* Set the protection of the near pages that hold bytes of [from, to), a range of the array. */
static void protect(const struct uat_array *a, uintptr_t from, uintptr_t to, int protection)
{
    for (uintptr_t at = from; at < to;) {
        struct uat_home home = uat_array_home(a, at);
        size_t page = a->memobj[home.host].page ? a->memobj[home.host].page : UAT_PART;
        uintptr_t end = home.run < to - at ? at + home.run : to, start = at / page * page;
        size_t bytes = (end - start + page - 1) / page * page;
        if (home.near && mprotect((void *)start, bytes, protection) < 0)
            uat_fatal("UAT_TORTURE=fence: %zu bytes of global memory at %p cannot be protected: %s; see "
                      "vm.max_map_count",
                      bytes, (void *)start, strerror(errno));
        at = end;
    }
}

/* Does the fence include this array? The fence leaves out frozen arrays, because accesses to them need no order. It
 * also leaves out the memory of objects and of temporary arrays, because the runtime itself uses that memory. */
static bool is_fenced(const struct uat_array *a)
{
    return a != &uat_nowhere && !uat_temporary_is(a) && uat_global_is_array((const void *)a->start);
}

static void protect_all(int protection)
{
    for (const struct uat_array *a = uat_array_next(NULL); a; a = uat_array_next(a))
        if (is_fenced(a))
            protect(a, a->start, a->start + a->size, protection);
    is_up = protection == PROT_NONE;
}

void uat_global_fence(void)
{
    protect_all(PROT_NONE);
}

bool uat_fence_is_up(void)
{
    return is_up;
}

void uat_global_fence_open(const void *p, size_t bytes, bool writes)
{
    uintptr_t at = (uintptr_t)p;
    const struct uat_array *a = uat_array_find(at);
    if (is_fenced(a) && at - a->start < a->size && bytes <= a->size - (at - a->start))
        protect(a, at, at + bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ);
}

void uat_global_unfence(void)
{
    protect_all(PROT_READ | PROT_WRITE);
}
