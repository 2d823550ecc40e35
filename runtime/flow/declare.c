/* SPDX-License-Identifier: MIT */
/*
 * Under UAT_TORTURE=order and UAT_TORTURE=fence, the argument of a data-flow task begins with the accesses that the
 * task has named. If the task's entry has no room for the accesses, they are left out. A data-flow task has no result,
 * so its room for a result holds a pointer to the accesses. So the accesses migrate with the task. Children and nested
 * tasks have their own accesses.
 *
 * Under fence a body can access a near page only if the page holds bytes that the task has named. A body that may wait
 * has no fence. A body may wait if it has nested tasks, if it uses UAT_FLOW_ANY or UAT_FLOW_ADD, or if not all of its
 * data are checked out.
 */

#include <string.h>

#include "runtime/flow/access.h"
#include "runtime/flow/unroll.h"
#include "runtime/global/global.h"
#include "runtime/job/fatal.h"
#include "runtime/sched/alone.h"
#include "runtime/task/stacks.h"
#include "runtime/task/worker.h"
#include "runtime/segment/frame.h"

struct named {
    uintptr_t at;
    uint64_t bytes : 55, rows : 1, mode : 8; /* rows: 1 if there are several rows; mode: enum uat_flow_mode */
};

struct declared {
    uat_fn *fn;
    uint64_t n;
    struct named access[];
};

static size_t head_bytes(size_t n)
{
    return sizeof(struct declared) + n * sizeof(struct named); /* a multiple of 16 */
}

/* Is the datum checked out while the body runs? Then the body cannot wait. */
static bool is_checked_out(const struct named *a)
{
    return a->bytes > 0 && !a->rows && a->mode >= UAT_FLOW_IN && a->mode <= UAT_FLOW_INOUT;
}

/* Under UAT_TORTURE=fence, put up the fence, unless the task has named no data or its body may wait. Returns whether
 * the fence is up. */
static bool fence(const struct declared *d)
{
    bool may = d->n > 0 && uat_torture_settings.torture == UAT_TORTURE_FENCE;
    for (uint64_t i = 0; i < d->n; i++)
        may = may && is_checked_out(&d->access[i]);
    if (!may)
        return false;
    uat_global_fence();
    for (int writes = 0; writes < 2; writes++) /* a page that holds bytes of both kinds is writable */
        for (uint64_t i = 0; i < d->n; i++)
            if ((d->access[i].mode != UAT_FLOW_IN) == writes)
                uat_global_fence_open((const void *)d->access[i].at, d->access[i].bytes, writes);
    return true;
}

static void run_declared(void *arg, void *result)
{
    const struct declared *d = arg;
    *(const struct declared **)result = d;
    bool fenced = fence(d);
    d->fn((char *)arg + head_bytes(d->n), result);
    if (fenced)
        uat_global_unfence();
}

/* The bytes of an access. For a block of a matrix, they include the bytes between its rows. */
static struct named named(const uat_flow_access_t *a)
{
    size_t rows = a->rows > 1 ? a->rows - 1 : 0;
    size_t bytes = a->bytes ? rows * a->pitch + a->bytes : 0;
    return (struct named){.at = (uintptr_t)a->p, .bytes = bytes, .mode = a->mode, .rows = rows > 0};
}

void uat_flow_write_task(const uat_flow_t *flow, const struct uat_flow_note *note, uat_fn *fn, const void *arg,
                         size_t size, const uat_flow_access_t *access, size_t n)
{
    enum { ROOM = UAT_FLOW_ARGUMENT_MAX + UAT_FLOW_GUARDED };
    size_t head = head_bytes(n);
    if (!uat_flow_always() || head + size > ROOM) {
        uat_flow_write_entry(flow, note, fn, arg, size);
        return;
    }
    _Alignas(16) char room[ROOM];
    struct declared *d = (struct declared *)(void *)room;
    d->fn = fn;
    d->n = n;
    for (size_t i = 0; i < n; i++)
        d->access[i] = named(&access[i]);
    memcpy(room + head, arg, size);
    uat_flow_write_entry(flow, note, run_declared, room, head + size);
}

/* The accesses that the running task has named. NULL if the task is no data-flow task, or if its accesses were not
 * written. */
static const struct declared *running(void)
{
    if (!uat_worker.running)
        return NULL;
    struct uat_frame *frame = uat_frame_at(uat_stacks_running_base());
    if (frame->task || !frame->record || frame->result_size != UAT_ALONE_RESULT)
        return NULL;
    return *(const struct declared **)uat_frame_result(frame);
}

enum found { FOUND, ABSENT, READ_ONLY, BELOW };

/* Does `d`, the list of accesses that a task has named, allow the task to access the bytes? below: the task's nested
 * tasks access the bytes. The bytes may span several adjacent data. */
static enum found find(const struct declared *d, uintptr_t at, uint64_t bytes, bool writes, bool below)
{
    enum found found = ABSENT;
    for (uint64_t i = 0; i < d->n && found != FOUND; i++) {
        const struct named *a = &d->access[i];
        uint64_t mode = a->mode & ~(uint64_t)UAT_FLOW_BELOW;
        if (at < a->at || at - a->at >= a->bytes)
            continue;
        found = writes && mode == UAT_FLOW_IN ? READ_ONLY : !below && mode != a->mode ? BELOW : FOUND;
        uint64_t here = a->bytes - (at - a->at);
        if (found == FOUND && here < bytes)
            found = find(d, at + here, bytes - here, writes, below);
    }
    return found;
}

void uat_flow_watch(uintptr_t at, size_t bytes, bool writes)
{
    static const char *const why[] = {
        [ABSENT] = "which it has not named: nothing orders this access",
        [READ_ONLY] = "which it has named with UAT_FLOW_IN: other tasks may read them now",
        [BELOW] = "which it has named with UAT_FLOW_BELOW: only tasks that it spawns access them",
    };
    const struct declared *d = running();
    enum found found = d ? find(d, at, bytes, writes, false) : FOUND;
    if (found != FOUND)
        uat_fatal("a data-flow task checks out %zu bytes at %p %s, %s", bytes, (void *)at,
                  writes ? "to write them" : "to read them", why[found]);
}

void uat_flow_check_nested(const uat_flow_access_t *access, size_t n)
{
    const struct declared *d = running();
    for (size_t i = 0; d && i < n; i++) {
        struct named a = named(&access[i]);
        bool writes = (a.mode & ~(unsigned)UAT_FLOW_BELOW) != UAT_FLOW_IN;
        if (a.bytes == 0 || !uat_global_is_array(access[i].p))
            continue;
        enum found found = find(d, a.at, a.bytes, writes, true);
        if (found != FOUND)
            uat_fatal("a data-flow task spawns a nested one that %s %zu bytes at %p, which it has %s itself; name them "
                      "with UAT_FLOW_BELOW, so that its own flow orders it",
                      writes ? "writes" : "reads", (size_t)a.bytes, access[i].p,
                      found == READ_ONLY ? "named with UAT_FLOW_IN" : "not named");
    }
}
