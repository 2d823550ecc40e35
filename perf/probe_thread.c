/* SPDX-License-Identifier: MIT */
#include "perf/probe_thread.h"

#include "asm/offsets.h"
#include "inspect/inspect.h"

uint64_t uat_probe_thread_resumed;

/* This function is in probe_thread.S, in a folder of asm/. A C file cannot contain it: link-time optimisation loses a C
 * file's top-level assembly. */
void uat_probe_thread_run(void) __attribute__((visibility("hidden")));

_Static_assert(sizeof(struct uat_continuation) == UAT_SAVED_SIZE + UAT_RETURN_SIZE, "asm/offsets.h");

uintptr_t uat_probe_thread_base(size_t bytes)
{
    return uat_inspect_region_base() - bytes % 16; /* this aligns the stack at the thread's call */
}

/* The value of an unused word of the stack. Each word has a different value, so that the check finds a misplaced or
 * missing word. */
static uint64_t word_at(const uint64_t *place)
{
    return (uintptr_t)place * 0x9e3779b97f4a7c15u;
}

uintptr_t uat_probe_thread_make(uintptr_t base, size_t bytes)
{
    struct uat_continuation *c = (struct uat_continuation *)(base - bytes);
    uint64_t *counter = (uint64_t *)base - 1;

    *c = (struct uat_continuation){.base = base, .pc = (uintptr_t)uat_probe_thread_run};
    for (uint64_t *p = (uint64_t *)(c + 1); p < counter; p++)
        *p = word_at(p);
    *counter = 0;
    return (uintptr_t)c;
}

bool uat_probe_thread_is_whole(uintptr_t base, size_t bytes, uint64_t resumptions)
{
    const struct uat_continuation *c = (const struct uat_continuation *)(base - bytes);
    const uint64_t *counter = (const uint64_t *)base - 1;

    for (const uint64_t *p = (const uint64_t *)(c + 1); p < counter; p++)
        if (*p != word_at(p))
            return false;
    return c->base == base && *counter == resumptions;
}
