/* SPDX-License-Identifier: MIT */
/* The memory that adapters reach: the cache's ring of places, the overflow area, the bounce buffers, and the words in
 * which atomics land. */
#ifndef UAT_GLOBAL_ARENA_H
#define UAT_GLOBAL_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct uat_arena {
    char *base; /* overflow area, bounce buffers, landing words, ring (all registered); then the ring once more */
    size_t size, overflow_size, ring_size; /* size: without the second ring */
    char *overflow;
    char *bounces; /* UAT_BOUNCES buffers of UAT_BOUNCE bytes: transfer.c */
    uint64_t *landing;
    char *ring;
    int fd;
};
extern struct uat_arena uat_arena __attribute__((visibility("hidden")));

/* Choose the sizes of the arena's parts for a ring of this size; make them; give them back. uat_arena_open() returns 0,
 * or a negative errno that has been reported. */
void uat_arena_plan(size_t ring_size);
int uat_arena_open(void);
void uat_arena_close(void);

#endif
