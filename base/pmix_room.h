/* SPDX-License-Identifier: MIT */
/*
 * Address space for libpmix's threads. If the space is too small, libpmix cannot start a thread. libpmix does not
 * notice this, and hangs in the first call that needs the thread. So uat checks the space in advance.
 */
#ifndef UAT_PMIX_ROOM_H
#define UAT_PMIX_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { UAT_PMIX_ROOM_THREADS = 3, UAT_PMIX_ROOM_BESIDES = 40 << 20 };

/* Bytes of address space that libpmix needs: its threads' stacks and its allocations. */
static inline size_t uat_pmix_room_needed(void)
{
    struct rlimit stack;
    size_t size = 8 << 20;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY && stack.rlim_cur > 0)
        size = stack.rlim_cur;
    return UAT_PMIX_ROOM_THREADS * size + UAT_PMIX_ROOM_BESIDES;
}

/* Are `bytes` bytes of address space free? */
static inline bool uat_pmix_room_is_there(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p != MAP_FAILED && munmap(p, bytes) == 0;
}

#endif
