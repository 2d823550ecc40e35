/* SPDX-License-Identifier: MIT */
/*
 * The segment: all memory that peers access, except global memory. It has the same virtual address in every worker.
 * Each room reserves its areas in the segment (reserve of room.h) and says what peers may do there. The areas lie in
 * this order:
 *
 *   uni-address region       peers READ it; under the message protocol a victim also WRITEs what it gives
 *   UAT_PEERS_READ           words that peers READ
 *   UAT_PEERS_CHANGE         words that peers WRITE or that adapters change: striped areas first
 *   UAT_PEERS_NOTHING        targets of this worker's READs, sources of its WRITEs
 *
 * A striped area holds words that adapters change. It is shifted by the worker's colour (transport/colour.h). Records
 * and stacks are named by their addresses; for other words uat_segment_of() gives the address on a peer.
 *
 * The stacks grow down towards the guard below the segment. The guard is not part of the segment, and it is neither
 * registered nor backed by memory. So the guard can be larger than any usual frame.
 */
#ifndef UAT_SEGMENT_H
#define UAT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/kernel.h"
#include "runtime/segment/ghost.h"
#include "transport/colour.h"

enum { UAT_GUARD_MIN = 64 << 10, UAT_GUARD_MAX = 1 << 30 /* bytes */, UAT_AREAS_MAX = 64 };

/* What peers may do to an area. */
enum uat_peers { UAT_PEERS_READ, UAT_PEERS_CHANGE, UAT_PEERS_NOTHING };

/* A room's share of the segment. The room that reserves the area owns it. Only this room knows the types of the area's
 * words. */
struct uat_area {
    const char *name;
    size_t size;  /* bytes */
    size_t align; /* bytes, a power of two, at most a page; 0: a cache line */
    enum uat_peers peers;
    bool striped;  /* adapters change words in it */
    size_t offset; /* offset from the segment's start in a worker of colour 0; set by uat_segment_lay_out() */
    void *at;      /* where this worker has it; set by uat_segment_open() */
};

/* The segment of this worker. Constant from uat_segment_open() to uat_segment_close(). */
struct uat_segment {
    char *start;
    size_t size;      /* bytes */
    size_t read_only; /* bytes at its start that peers only READ; whole pages */
    size_t closed;    /* bytes at its end that no peer touches; whole pages */
    int fd;
    off_t offset;        /* offset of the segment in the memory object; 0 except in a simulation */
    uintptr_t low, high; /* the uni-address region [low, high) */
    size_t result_max;   /* bytes of the largest result of a task: UAT_RESULT_MAX */
    char *records;       /* join records */
    size_t record_stride;
    char *heap;       /* the evacuation heap */
    size_t heap_size; /* bytes */
    char *guard;      /* below the segment: address space whose use traps; it costs no memory */
    size_t guard_size;
    uint64_t layout;  /* a hash of all areas; workers with the same build and settings have the same hash */
    int colour;       /* colour of this worker */
    uint8_t *colours; /* colour of each worker; set by uat_segment_set_colours() */
};

extern struct uat_segment uat_segment UAT_KERNEL_OBJECT;

/* Bytes of the uni-address region. */
static inline size_t uat_segment_region_size(void)
{
    return uat_segment.high - uat_segment.low;
}

/* Returns `address`, which is the default, if it lies in the kernel's address space. If that space is too small, for
 * example 39 or 42 bits, returns an address between a quarter and a half of it. is_outside tells whether an address is
 * beyond the space. */
uint64_t uat_segment_fit(uint64_t address, bool (*is_outside)(uint64_t address));

/* Start a layout with the uni-address region, the join records and the evacuation heap, sized by the settings. */
void uat_segment_begin(void);

/* Add an area to the layout. The caller owns it and keeps it alive as long as the segment. */
void uat_segment_reserve(struct uat_area *area);

/* The area of this name, or NULL. For tests. */
const struct uat_area *uat_segment_find(const char *name);

/* End the layout: set the offset of each area, and uat_segment's size, read_only, closed and layout. */
void uat_segment_lay_out(void);

/* Lay the segment out again, with room for the ghosts among `names` ranks, and set uat_ghosts. Each ghost uses at most
 * `used`. The caller owns `colours`, and keeps the array alive as long as the segment. Call this before
 * uat_segment_open(). uat_segment.layout stays the hash of the areas without the ghosts. */
void uat_segment_add_ghosts(int size, int names, const uint8_t *colours, struct uat_used used);

/* Map the segment that was laid out, for a worker of this colour (0 to UAT_COLOURS - 1). Returns 0, or a negative errno
 * that has been reported, such as -EEXIST (address taken), -ENOMEM or -EFBIG. */
int uat_segment_open(int colour);

/* Set the colours of all workers. The segment takes the array over and frees it. */
void uat_segment_set_colours(uint8_t *colours);

/* The address on `rank` of the word that this worker has at `own` in a striped area. Other areas have the same address
 * in all workers. */
static inline void *uat_segment_of(int rank, const void *own)
{
    return uat_coloured(own, uat_segment.colours[rank] - uat_segment.colour);
}

void uat_segment_close(void);

/* The lowest address of the region at which a word is not 0; the region's end if there is none. It stands for the
 * lowest address that was ever written: the stacks' high-water mark. */
uintptr_t uat_segment_low_water(void);

/* The end of the part of [from, to) that was ever written or read, by any process; `from` if none was. Both addresses
 * are in the segment. The result is the end of a page, or `to`. */
uintptr_t uat_segment_touched(uintptr_t from, uintptr_t to);

#endif
