/* SPDX-License-Identifier: MIT */
/* Arrays: their addresses, the memory behind them, and what is asked before they are made. */
#ifndef UAT_GLOBAL_ARRAY_H
#define UAT_GLOBAL_ARRAY_H

#include "base/divisor.h"
#include "runtime/global/state.h"

/* A host's memory object behind an array, as its leader announces it. */
struct uat_memobj {
    int64_t pid, fd; /* of the leader, where it is open; fd < 0: this host keeps nothing of the array */
    uint64_t device, inode, bytes;
    uint64_t page; /* bytes of the reserved huge pages that it consists of; 0: of ordinary ones */
    struct uat_bulk_key key;
};

/* An array, or the parts of all workers together, which are an array in UAT_BLOCKED chunks. */
struct uat_array {
    uintptr_t start;
    size_t bytes;                /* as asked for */
    size_t size;                 /* a multiple of the chunk */
    size_t chunk;                /* bytes, a multiple of a block */
    struct uat_divisor by_chunk; /* blocks by those of a chunk */
    uint64_t frozen;             /* the epoch in which what is cached of it is valid; 0: not frozen */
    int fd;                      /* of this host's memory object, here its leader; or -1 */
    void *linear;                /* a leader's mapping of the whole object, to be exposed; or NULL */
    size_t granules;
    unsigned shift;            /* its number */
    void **window;             /* per host: where its object is mapped here; NULL: it is not */
    struct uat_memobj *memobj; /* per host */
};

extern struct uat_array uat_nowhere __attribute__((visibility("hidden")));

/* The array that an address belongs to; &uat_nowhere if none. */
static inline struct uat_array *uat_array_of(uintptr_t at)
{
    uintptr_t granule = (at - UAT_GLOBAL_BASE) >> UAT_GRANULE_SHIFT;
    return granule < UAT_GRANULES ? uat_global.granule[granule] : &uat_nowhere;
}

/* The array of [p, p + bytes); ends the job with one line if that is no global memory. */
struct uat_array *uat_array_check(const char *call, uintptr_t at, size_t bytes);
/* Under torture: ends the job if a frozen array is written. */
void uat_array_refuse_frozen(const char *call, const struct uat_array *a, uintptr_t at, size_t bytes);
int uat_array_make(size_t bytes, size_t chunk, int rc, struct uat_array **out);
void uat_array_drop(struct uat_array *a);

/* place.c: addresses for an array, the same on all workers. 0 or a negative errno, reported. */
int uat_place_reserve(struct uat_array *a);
void uat_place_release(const struct uat_array *a);

/* The bytes that a host keeps of an array. */
uint64_t uat_array_share(const struct uat_array *a, int host);

/* room.c: is there memory for what a collective call is about to make? 0 or -ENOMEM, reported by one worker of a
 * machine; 0 on the others. */
int uat_overcommit_check_caches(void);
int uat_overcommit_check_array(const struct uat_array *a);

/* pages.c: may this host's memory of the array have reserved huge pages? */
bool uat_pages_may_be_huge(const struct uat_array *a);
/* Bytes of this machine's reserved huge pages that nobody has asked for. */
uint64_t uat_pages_reserved(void);
/* Chunks are multiples of so many bytes. */
size_t uat_pages_unit(void);
/* Of a mapping, before anything touches it: huge pages, unless the setting says no. Only advice. */
void uat_pages_advise(void *p, size_t bytes);
/* Touch this worker's chunks. 0 or a negative errno, reported. */
int uat_pages_touch(const struct uat_array *a);
/* Log what pages this host's memory has got. */
void uat_pages_tell(const struct uat_array *a);

/* memobj.c: the memory objects behind an array. huge: of reserved huge pages, if there are enough; if not, and the
 * setting requires them, -ENOMEM. */
int uat_memobj_make(struct uat_memobj *memobj, size_t bytes, bool huge, int *fd);
int uat_memobj_open(const struct uat_memobj *memobj, int rank);
/* Bytes of it that nobody has touched: they have no memory yet. 0 if unknown. */
uint64_t uat_memobj_untouched(const struct uat_memobj *memobj);

/* home.c: where a byte lives. */
struct uat_home {
    int host, rank;
    size_t run;      /* bytes from it on that lie in the same chunk */
    uint64_t offset; /* in that host's memory object */
};
struct uat_home uat_array_home(const struct uat_array *a, uintptr_t at);

/* The line of a rank's colour, behind the first one: bytes. */
static inline uintptr_t uat_head_line(int rank)
{
    const uint8_t *colours = uat_segment.colours;
    return (uintptr_t)((colours ? colours[rank] : rank) % UAT_COLOURS) * UAT_COLOUR_STEP;
}

/* What uat_global_checkout() finds of array a. */
void uat_near_set(const struct uat_array *a, struct uat_near_run run);

#endif
