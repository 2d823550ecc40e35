/* SPDX-License-Identifier: MIT */
/* Arrays: their addresses, their memory, and the checks before they are created. */
#ifndef UAT_GLOBAL_ARRAY_H
#define UAT_GLOBAL_ARRAY_H

#include "base/divisor.h"
#include "runtime/global/state.h"
#include "runtime/global/table.h"
#include "runtime/segment/ghost.h"

/* A host's memory object for an array, as the host's leader announces it. */
struct uat_memobj {
    int64_t pid, fd; /* the leader's process and descriptor; fd < 0: this host holds nothing of the array */
    uint64_t device, inode, bytes;
    uint64_t page; /* size of the object's reserved huge pages; 0 if it has ordinary pages */
    struct uat_bulk_key key;
};

/* An array. The workers' parts for objects together also form one array, in which each part is one chunk. */
struct uat_array {
    uintptr_t start;
    size_t bytes;                /* size as requested */
    size_t size;                 /* a multiple of the chunk */
    size_t chunk;                /* bytes, a multiple of a block */
    struct uat_divisor by_chunk; /* divides by the number of blocks in a chunk */
    uint64_t frozen;             /* the epoch in which cached copies of the array are valid; 0 if it is not frozen */
    int fd;                      /* descriptor of this host's memory object, open in its leader; or -1 */
    void *linear;                /* a leader's mapping of the whole object, which it exposes; or NULL */
    size_t granules;
    unsigned shift;            /* number of the shift that the array's addresses have: see place.c */
    void **window;             /* for each host: address of its object's mapping in this process, or NULL */
    struct uat_memobj *memobj; /* for each host: its memory object */
    /* NULL, except in the two arrays whose memory is dealt out to objects and to temporary arrays. Called under
     * torture: ends the job with a message unless one object or temporary array in use has the whole range. */
    void (*check)(const char *call, uintptr_t at, size_t bytes);
};

/* Which addresses have which array. */
struct uat_registry {
    struct uat_array *granule[UAT_GRANULES]; /* never NULL once open: uat_nowhere if no array has these addresses */
    struct uat_array *parts;                 /* the array of all workers' parts, which hold objects; NULL: closed */
    bool strict;                             /* torture: bounds are exact, and near checkouts are recorded, too */
};
extern struct uat_registry uat_registry __attribute__((visibility("hidden")));

/* place.c: fill the table of granules; set the parts for objects, with which global memory is open; forget both, once
 * all arrays are dropped. The table costs no memory before it is filled. uat_registry_prepare(), before that: set
 * `strict`. */
void uat_registry_prepare(bool strict);
void uat_registry_open(void);
void uat_registry_show(struct uat_array *parts);
void uat_registry_close(void);

extern struct uat_array uat_nowhere __attribute__((visibility("hidden")));

/* Is global memory open? */
static inline bool uat_global_is_open(void)
{
    return uat_registry.parts != NULL;
}

/* The array that has an address's granule; &uat_nowhere if there is none. The address can lie outside of the array. */
static inline struct uat_array *uat_array_of(uintptr_t at)
{
    uintptr_t granule = (at - UAT_GLOBAL_BASE) >> UAT_GRANULE_SHIFT;
    return granule < UAT_GRANULES ? uat_registry.granule[granule] : &uat_nowhere;
}

/* The same, also while global memory is closed: then there is no array. */
static inline struct uat_array *uat_array_find(uintptr_t at)
{
    return uat_global_is_open() ? uat_array_of(at) : &uat_nowhere;
}

/* The array with the lowest address above that of `a`, or the lowest of all if a is NULL. NULL if there is none, or
 * while global memory is closed. The parts for objects count as an array. */
struct uat_array *uat_array_next(const struct uat_array *a);

/* The array that contains [at, at + bytes); ends the job with a message if there is none. */
struct uat_array *uat_array_check(const char *call, uintptr_t at, size_t bytes);
/* Under torture: ends the job on a write to a frozen array. */
void uat_array_refuse_frozen(const char *call, const struct uat_array *a, uintptr_t at, size_t bytes);
/* Create the array that a call asks for. asked: the call's bytes, distribution and block. bytes, chunk: the array's
 * size and chunk in this job. In a restarted job the array gets the addresses that it had before the restart. The call
 * is noted in the table. Collective; returns 0 or the worst of all workers' errors, which has been reported. */
int uat_array_make(const struct uat_table_entry *asked, size_t bytes, size_t chunk, struct uat_array **out);
void uat_array_drop(struct uat_array *a);

/* place.c: reserve addresses for an array, the same on all workers. saved: the checkpoint's entry with the array's
 * earlier addresses, or NULL. Returns 0, or a negative errno that has been reported. */
int uat_place_reserve(struct uat_array *a, const struct uat_table_entry *saved);
void uat_place_release(const struct uat_array *a);
/* The number of granules of an array of `size` bytes with this shift. */
size_t uat_place_granules(unsigned shift, size_t size);

/* temporary.c: set the memory of temporary arrays, and its ledger. The ledger is an array of one block. Both are NULL
 * if there is no such memory. uat_temporary_get() returns what was set. */
void uat_temporary_set(struct uat_array *own_space, struct uat_array *own_ledger);
void uat_temporary_get(struct uat_array **space, struct uat_array **ledger);
/* Is this one of these two arrays? */
bool uat_temporary_is(const struct uat_array *a);
/* The number of chunks in a unit, if the memory has `chunks` chunks. */
size_t uat_temporary_chunks(size_t chunks);
/* Is any temporary array allocated? */
bool uat_temporary_in_use(void);

/* overcommit.c: is there enough memory for what a collective call is about to allocate? Returns 0 or -ENOMEM. One
 * worker of each machine checks and reports; the others get 0. */
int uat_overcommit_check_caches(void);
int uat_overcommit_check_array(const struct uat_array *a);
/* overcommit.c: bytes of each of the job's parts, the same on all workers; says also whether they grow. Collective. */
size_t uat_overcommit_part(int parts);
/* May the parts grow, up to that size, once the machine has the memory? uat_overcommit_reset(): no longer. */
bool uat_overcommit_grows(void);
void uat_overcommit_reset(void);
/* overcommit.c: is there memory for `bytes` more bytes of objects? Returns 0 or -ENOMEM, which is reported if
 * `says` is true. Any worker may ask. */
int uat_overcommit_check_objects(uint64_t bytes, bool says);

/* pages.c: may this host's memory of the array use reserved huge pages? */
bool uat_pages_may_be_huge(const struct uat_array *a);
/* Bytes of this machine's reserved huge pages that are not yet promised to anybody. */
uint64_t uat_pages_reserved(void);
/* Every chunk is a multiple of this number of bytes. */
size_t uat_pages_unit(void);
/* Advise the kernel to use huge pages for a mapping or, if the setting forbids them, not to use any. Call this before
 * anything touches the mapping. */
void uat_pages_advise(void *p, size_t bytes);
/* Touch this worker's chunks, so that the kernel allocates their pages on this worker's memory node. Collective;
 * returns 0 or the worst of all workers' errors, which has been reported. */
int uat_pages_touch(const struct uat_array *a);
/* Map the other chunks of this host, too, if UAT_PAGES=map= says so. All workers have called uat_pages_touch().
 * Collective; returns 0 or the worst of all workers' errors, which has been reported. */
int uat_pages_map(const struct uat_array *a);
/* Log the kind of pages that this host's memory got. */
void uat_pages_tell(const struct uat_array *a);

/* memobj.c: create a host's memory object. huge: use reserved huge pages if there are enough. If there are too few, and
 * the setting requires them, the result is -ENOMEM. */
int uat_memobj_make(struct uat_memobj *memobj, size_t bytes, bool huge, int *fd);
int uat_memobj_open(const struct uat_memobj *memobj, int rank);
/* Bytes of the object that have no memory yet, because they were never touched. 0 if unknown. */
uint64_t uat_memobj_untouched(const struct uat_memobj *memobj);

/* home.c: where a byte lives. */
struct uat_home {
    int host, rank;
    bool near;       /* this worker's CPU reaches it */
    size_t run;      /* bytes from this byte on that lie in the same chunk */
    uint64_t offset; /* offset in that host's memory object */
};
struct uat_home uat_array_home(const struct uat_array *a, uintptr_t at);
/* The home of the byte `step` bytes after `at`. home: of `at`. */
static inline struct uat_home uat_home_after(const struct uat_array *a, struct uat_home home, uintptr_t at, size_t step)
{
    if (step >= home.run)
        return uat_array_home(a, at + step);
    home.run -= step;
    home.offset += step;
    return home;
}
/* The bytes that a host holds of an array. */
uint64_t uat_array_share(const struct uat_array *a, int host);
/* The number of bytes, at most `bytes`, that this worker's CPU reaches from this address of the array on. */
size_t uat_array_near(const struct uat_array *a, uintptr_t at, size_t bytes);

/* The offset in bytes, from the first line, of the line that has a rank's colour. The rank is a worker's or a
 * ghost's. */
static inline uintptr_t uat_head_line(int rank)
{
    const uint8_t *colours = uat_ghosts_has((uint64_t)rank) ? uat_ghosts.colours : uat_segment.colours;
    return (uintptr_t)((colours ? colours[rank] : rank) % UAT_COLOURS) * UAT_COLOUR_STEP;
}

/* May the inlined uat_atomic_*() use CPU atomics on near words? */
void uat_near_allow_words(bool may);
/* Set the near run that uat_global_checkout() finds for addresses of array a. */
void uat_near_set(const struct uat_array *a, struct uat_near_run run);

#endif
