/* SPDX-License-Identifier: MIT */
/*
 * What this worker knows of global memory: shared by the files of global/, and by nobody else.
 *
 * Numbered rules that the code names are in docs/global.md: G1 to G9.
 */
#ifndef UAT_GLOBAL_STATE_H
#define UAT_GLOBAL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "global/global.h"
#include "global/ranges.h"
#include "include/uat/global.h"
#include "runtime/memory/segment.h"
#include "transport/bulk.h"

/* The addresses of global memory: far from what Linux places by itself, and from the segment. */
#define UAT_GLOBAL_BASE UINT64_C(0x200000000000)

enum {
    UAT_GRANULE_SHIFT = 30, /* an array begins at a multiple of 1 GiB: so an address names its array */
    UAT_GRANULES = 48 << 10,
    UAT_BLOCK_SHIFT = 16, /* a block: what has one place in the cache */
    UAT_BLOCK = 1 << UAT_BLOCK_SHIFT,
    UAT_PART_SHIFT = 12, /* a part: what is fetched and forgotten as a whole (G2) */
    UAT_PART = 1 << UAT_PART_SHIFT,
    UAT_PARTS = UAT_BLOCK / UAT_PART,
    UAT_BOUNCE = 4096,         /* bytes of one bounce buffer */
    UAT_BOUNCES = 128,         /* of them: transfers of memory that the adapter does not reach */
    UAT_EXCHANGE_WORDS = 64,   /* 8-byte words in one step of a gather */
    UAT_PART_HEAD = 8192,      /* bytes at the start of a worker's part that hold no objects */
    UAT_FREED_OFFSET = 0,      /* there, by the owner's colour: the list of what others gave back; uat_atomic_t */
    UAT_FLUSH_OFFSET = 4096,   /* there, by the colour of who flushes: a word that atomics add 0 to */
    UAT_TRANSFER_MAX = 1 << 30 /* bytes of one split-phase transfer */
};
_Static_assert(UAT_FLUSH_OFFSET - UAT_FREED_OFFSET == UAT_COLOURS * UAT_COLOUR_STEP &&
                   UAT_PART_HEAD - UAT_FLUSH_OFFSET == UAT_COLOURS * UAT_COLOUR_STEP,
               "a line for each colour");
_Static_assert(UAT_BLOCK == UAT_GLOBAL_BLOCK, "global.h tells the size of a block");

/* The part of the segment that belongs to global memory. The own CPU and READs of peers only. */
struct uat_global_words {
    uint64_t out[UAT_EXCHANGE_WORDS]; /* what the others READ in a gather */
    uint64_t in[UAT_EXCHANGE_WORDS];  /* where that lands */
};

_Static_assert(sizeof(struct uat_global_words) == UAT_GLOBAL_WORDS_SIZE, "segment.h has room for them");

/* The line of a rank's colour, behind the first one: bytes. */
static inline uintptr_t uat_head_line(int rank)
{
    const uint8_t *colours = uat_segment.colours;
    return (uintptr_t)((colours ? colours[rank] : rank) % UAT_COLOURS) * UAT_COLOUR_STEP;
}

/* A host's memory object behind an array, as its leader announces it. */
struct uat_object_card {
    int64_t pid, fd; /* of the leader, where it is open; fd < 0: this host keeps nothing of the array */
    uint64_t device, inode, bytes;
    struct uat_bulk_key key;
};

/* An array, or the parts of all workers together, which are an array in UAT_BLOCKED chunks. */
struct uat_array {
    uintptr_t start;
    size_t bytes;    /* as asked for */
    size_t size;     /* a multiple of the chunk */
    size_t chunk;    /* bytes, a multiple of a block */
    uint64_t frozen; /* the epoch in which what is cached of it is valid; 0: not frozen */
    int fd;          /* of this host's memory object, here its leader; or -1 */
    void *linear;    /* a leader's mapping of the whole object, to be exposed; or NULL */
    size_t granules;
    void **window;                /* per host: where its object is mapped here; NULL: it is not */
    struct uat_object_card *card; /* per host */
};

/* A place of the cache: block b lies in slot b mod slots. */
struct uat_slot_of_cache {
    _Alignas(64) uint64_t block; /* address >> UAT_BLOCK_SHIFT; 0: none */
    uint64_t epoch;              /* in which `valid` counts */
    uint16_t valid;    /* parts that hold what home held when they were fetched, and what was checked in since */
    uint16_t arriving; /* parts whose prefetch is under way */
    uint32_t dirty, dirty_end;    /* bytes checked in and not yet posted: [dirty, dirty_end); none if dirty_end is 0 */
    uint32_t link;                /* to the block's home */
    bool listed;                  /* in `pending` */
    uint64_t read_end, write_end; /* the link's operation that ends the last READ to it, the last WRITE from it */
};

_Static_assert(sizeof(struct uat_slot_of_cache) == 64, "one line");

/*
 * The kind of an open checkout, a far one or under torture a near one: enum uat_access, and where the place is: in the
 * ring, unless a flag says another.
 */
enum {
    UAT_OPEN_ACCESS = 3, /* mask */
    UAT_OPEN_NEAR = 4,
    UAT_OPEN_SIDE = 8
};
static inline unsigned uat_open_kind(const struct uat_open *o)
{
    return (unsigned)(o->what >> UAT_OPEN_KIND_SHIFT);
}
static inline size_t uat_open_bytes(const struct uat_open *o)
{
    return o->what & ((UINT64_C(1) << UAT_OPEN_KIND_SHIFT) - 1);
}

/* A link's WRITEs that may not have taken effect. */
struct uat_unreleased {
    bool any;                 /* WRITEs or additions since the last flush */
    struct uat_ranges ranges; /* their bytes at home */
};

struct uat_counts_of_global {
    uint64_t misses, bytes_fetched, bytes_written, releases, releases_waited, publications_withheld;
};

struct uat_global {
    struct uat_array *granule[UAT_GRANULES]; /* never NULL once open: uat_nowhere */
    bool strict;                             /* torture: near checkouts are recorded too */
    bool shows;                              /* slots show their runs to uat_checkout() */
    uint64_t epoch;                          /* G: raised by an acquire */
    struct uat_slot_of_cache *slot;
    struct uat_shown_run *shown; /* of each slot */
    uint64_t slot_mask;
    char *ring;       /* slots * UAT_BLOCK bytes, mapped twice in a row; address a has its place at a & ring_mask */
    size_t ring_mask; /* of no meaning while ring_size is 0 */

    struct uat_global_config config;
    bool is_open, far; /* far: there is more than one host */
    int hosts, host;
    int *given;                    /* the config's host_of */
    int *host_of, *leader, *local; /* host of a rank; leader of a host; a rank's number on its host */
    int *host_size;
    struct uat_bulk *bulk;
    char *
        arena; /* side area, bounce buffers, landing word, ring: registered once; behind it the ring's second mapping */
    size_t arena_size, ring_size, side_size;
    char *side, *bounce;
    uint64_t *landing;
    int arena_fd;
    uint64_t bounce_next, bounce_end[UAT_BOUNCES];
    uint32_t bounce_link[UAT_BOUNCES];
    bool bounce_held[UAT_BOUNCES]; /* a uat_get_begin() has bytes there */
    unsigned bounces_held;

    uint32_t *pending; /* slots with dirty bytes */
    uint32_t pending_count;
    struct uat_unreleased *unreleased; /* per link */
    bool must_release;                 /* something may not be at home */
    uint64_t spent, since;             /* the budget of releases: see coherence.c */

    struct uat_array *parts; /* objects */
    struct uat_counts_of_global count;
};

extern struct uat_global uat_global __attribute__((visibility("hidden")));
extern struct uat_array uat_nowhere __attribute__((visibility("hidden")));

/* The array that an address belongs to; &uat_nowhere if none. */
static inline struct uat_array *uat_array_of(uintptr_t at)
{
    uintptr_t granule = (at - UAT_GLOBAL_BASE) >> UAT_GRANULE_SHIFT;
    return granule < UAT_GRANULES ? uat_global.granule[granule] : &uat_nowhere;
}

/* array.c: where a byte lives. */
struct uat_home {
    int host, rank;
    size_t run;      /* bytes from it on that lie in the same chunk */
    uint64_t offset; /* in that host's memory object */
};
struct uat_home uat_array_home(const struct uat_array *a, uintptr_t at);

/* The array of [p, p + bytes); ends the job with one line if that is no global memory. */
struct uat_array *uat_array_check(const char *call, uintptr_t at, size_t bytes);
/* Under torture: ends the job if a frozen array is written. */
void uat_array_refuse_frozen(const char *call, const struct uat_array *a, uintptr_t at, size_t bytes);
int uat_array_make(size_t bytes, size_t chunk, int rc, struct uat_array **out);
void uat_array_drop(struct uat_array *a);

/* The bytes that a host keeps of an array. */
uint64_t uat_array_share(const struct uat_array *a, int host);

/* room.c: is there memory for what a collective call is about to make? 0 or -ENOMEM, reported by one worker of a
 * machine; 0 on the others. */
int uat_room_for_caches(void);
int uat_room_for_array(const struct uat_array *a);

/* object.c: the memory objects behind an array. */
int uat_object_make(struct uat_object_card *card, size_t bytes, int *fd);
int uat_object_open(const struct uat_object_card *card, int rank);
/* Bytes of it that nobody has touched: they have no memory yet. 0 if unknown. */
uint64_t uat_object_untouched(const struct uat_object_card *card);

/* open.c: uat_global_open(), inside a collective call. */
int uat_global_start(void);

/* checkout.c: what uat_checkout() finds of array a. */
void uat_near_set(const struct uat_array *a, struct uat_near_run run);

/* exchange.c: collective. The bytes of all workers, in the order of ranks; or of `count` ranks in that order (NULL: the
 * first ones), which takes that many READs instead of one from each worker. */
int uat_global_gather(const void *mine, size_t bytes, void *all);
int uat_global_gather_from(const int *ranks, int count, const void *mine, size_t bytes, void *all);
/* The worst of all workers' rc, on all of them. */
int uat_global_agree(int rc);

/* cache.c */
/* How large it is to be: arena_size and what belongs to it. */
void uat_cache_plan(void);
int uat_cache_open(void);
void uat_cache_close(void);
void *uat_cache_checkout(uintptr_t at, size_t bytes, enum uat_access access);
/* Is all of the range valid, in one block? Then its run is shown. */
bool uat_cache_show(uintptr_t at, size_t bytes);
/* No slot shows a run any more. */
void uat_cache_hide(void);
void uat_cache_prefetch(uintptr_t at, size_t bytes);
/* What was put at [at, at + bytes) goes into the cached copy too (G8). */
void uat_cache_update(uintptr_t at, const void *from, size_t bytes);
/* Forget what is cached of the array. */
void uat_cache_forget(const struct uat_array *a);

/* writeback.c */
void uat_writeback_mark(struct uat_slot_of_cache *s, size_t from, size_t to);
/* Post what was checked in to the slot and not posted. */
void uat_writeback_slot(struct uat_slot_of_cache *s);
/* Post what is pending of [at, at + bytes). */
void uat_writeback_range(uintptr_t at, size_t bytes);
/* Post a WRITE of far bytes; source stays unchanged until the link has completed what it returns. */
uint64_t uat_writeback_post(uintptr_t at, const void *source, size_t bytes);
/* Post READs of far bytes, in order behind this worker's own WRITEs; the operation that ends them. */
uint64_t uat_fetch_post(uintptr_t at, void *to, size_t bytes);
/* Post a flush of the link's WRITEs and additions, if there are any; wait until it is complete. Nothing that writes is
 * posted in between. */
bool uat_writeback_flush_begin(int link);
void uat_writeback_flush_end(int link);
void uat_global_wait(int link, uint64_t end);
void uat_global_post(int link, const struct uat_bulk_op *op);

/* side.c: ranges that the ring cannot hold as one. */
void *uat_side_checkout(uintptr_t at, size_t bytes, enum uat_access access);
void uat_side_checkin(struct uat_open *o);

/* heap.c: the own part begins to hold objects. */
void uat_objects_start(void);

/* record.c */
void uat_open_reset(void);
static inline size_t uat_open_count(void)
{
    return (size_t)(uat_far.last - uat_opens);
}
struct uat_open *uat_open_push(uintptr_t at, size_t bytes, uint64_t kind);
/* Is a range checked out that has its place in this block's slot of the ring? */
bool uat_open_has_block(uint64_t block);
void uat_open_pop(uintptr_t at, size_t bytes, enum uat_access access, struct uat_open *out);

/* Where the slot's bytes lie. */
static inline char *uat_slot_place(const struct uat_slot_of_cache *s)
{
    return uat_global.ring + ((size_t)(s - uat_global.slot) << UAT_BLOCK_SHIFT);
}

static inline struct uat_slot_of_cache *uat_slot_for(uint64_t block)
{
    return &uat_global.slot[block & uat_global.slot_mask];
}

static inline uint64_t uat_epoch_of(const struct uat_array *a)
{
    return a->frozen ? a->frozen : uat_global.epoch;
}

/* Bits of the parts that [from, to) of a block touches. from < to. */
static inline unsigned uat_parts_touched(size_t from, size_t to)
{
    unsigned first = (unsigned)(from >> UAT_PART_SHIFT), last = (unsigned)((to - 1) >> UAT_PART_SHIFT);
    return (2u << last) - (1u << first);
}

#endif
