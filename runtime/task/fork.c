/* SPDX-License-Identifier: MIT */
#include "runtime/task/fork.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "asm/switch.h"
#include "base/log.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/task/sanitize.h"
#include "runtime/task/worker.h"
#include "runtime/job/fatal.h"

bool uat_fork_is_child, uat_fork_for_spare;

static bool in_task; /* from prepare() to parent() or child(): does the forking thread run a task? */

/* Put the mapping at `new` in place of the region, in one step. */
static void replace_region(void *new)
{
    size_t size = uat_segment_region_size();
    if (mremap(new, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)uat_segment.low) == MAP_FAILED)
        uat_fatal("fork() in a task: the stacks cannot be remapped: %s", strerror(errno));
}

static void *map_region(int flags, int fd)
{
    void *p = mmap(NULL, uat_segment_region_size(), PROT_READ | PROT_WRITE, flags, fd,
                   fd < 0 ? 0 : uat_segment.offset + (off_t)(uat_segment.low - (uintptr_t)uat_segment.start));
    if (p == MAP_FAILED)
        uat_fatal("fork() in a task: no memory for a copy of the stacks, UAT_STACK_SIZE=%zuk: %s",
                  uat_segment_region_size() >> 10, strerror(errno));
    return p;
}

/* make_private() and make_shared() run on the process's own stack. So nothing on the task's stack changes between the
 * copy and the replacement. */
static void make_private(uintptr_t sp)
{
    (void)sp; /* a generator's stack lies above its caller's frames, so copy all that is in use */
    uintptr_t low = uat_segment_low_water();
    char *copy = map_region(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    uat_sanitize_unpoison(low, uat_segment.high);
    memcpy(copy + (low - uat_segment.low), (const void *)low, uat_segment.high - low);
    replace_region(copy);
}

/* Only the task in fork() has run since make_private(). Copy this task's segment, from its stack pointer up to the
 * base. */
static void make_shared(uintptr_t sp)
{
    uintptr_t base = uat_deque_base_of(&uat_worker.deque, sp);
    char *shared = map_region(MAP_SHARED, uat_segment.fd);
    uat_sanitize_unpoison(sp, base);
    memcpy(shared + (sp - uat_segment.low), (const void *)sp, base - sp);
    replace_region(shared);
    madvise((void *)uat_segment.low, uat_segment_region_size(), MADV_HUGEPAGE);
}

/* The lowest used address of the process's own stack while a task runs. The memory below it is free. */
static uintptr_t own_stack(void)
{
    return uat_worker.scheduler_sp & ~(uintptr_t)15;
}

static void prepare(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    in_task = here >= uat_segment.low && here < uat_segment.high;
    if (in_task)
        uat_on_stack(own_stack(), make_private);
}

static void parent(void)
{
    if (in_task)
        uat_on_stack(own_stack(), make_shared);
    in_task = false;
}

static void child(void)
{
    in_task = false;
    if (!uat_self.transport || uat_fork_for_spare)
        return;
    uat_fork_is_child = true;
    uat_self.transport = NULL; /* runs, barriers and objects are refused */
    uat_self.near_size = 0;
    uat_deque_stop(&uat_worker.deque); /* each spawn and each end of a task takes the slow path, which refuses it */
    uat_fatal_detach();
}

int uat_fork_open(void)
{
    static bool registered;
    int rc = registered ? 0 : pthread_atfork(prepare, parent, child);
    if (rc)
        uat_error("fork() cannot be made safe: %s", strerror(rc));
    registered = !rc;
    return -rc;
}

void uat_fork_refuse(void)
{
    uat_fatal(
        "a process made by fork() is no worker: it may not spawn, join or end its task; let it exec() or _exit()");
}
