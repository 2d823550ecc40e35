/* SPDX-License-Identifier: MIT */
/*
 * Objects: a worker allocates them in its own part, and any worker may free them. Each object belongs to a size class;
 * there are four classes for each doubling of the size. Each class has a list of free objects. If the list is empty, an
 * object is taken from the part's memory that was never used.
 *
 * A worker that frees another's object WRITEs the link into the object and CMP_SWAPs the head of the owner's list (B1
 * orders the two). The owner takes the whole list at once, so there is no ABA.
 *
 * In a part that grows (uat_overcommit_part()), the heap may use STEP bytes at first, and asks for each further step
 * whether the machine has the memory. A page comes at its first use.
 *
 * In a restarted job of fewer workers, worker r also has the parts of the ghosts r + size, r + 2 size, ... The worker
 * allocates in these parts when its own part is full.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/word.h"
#include "include/uat/object.h"
#include "runtime/global/settings.h"
#include "runtime/global/bounds.h"
#include "runtime/global/cache.h"
#include "runtime/global/array.h"
#include "runtime/global/content.h"
#include "runtime/job/fatal.h"

enum { ALIGNMENT = 16, SMALLEST = 32, CLASSES = 4 * 40, GAP = 128 /* bytes before each object, under torture */ };

#define ALIVE UINT64_C(0x75617420616c6976) /* "uat aliv" */
#define FREED UINT64_C(0x7561742066726565) /* "uat free" */

#define STEP (UINT64_C(64) << 20) /* bytes by which a heap grows */

/* The header before each object. The link of a free object is in the object's first 8 bytes. */
struct header {
    uint64_t state; /* ALIVE or FREED, xor the object's address */
    uint64_t class_;
};

struct freed {
    struct header header;
    uint64_t next;
};

/* The bookkeeping of a part. */
struct heap {
    int part;
    uintptr_t end, limit; /* end of the memory that was ever used; end of the memory that may be used */
    uintptr_t most;       /* end of the part's memory for objects */
    uintptr_t free[CLASSES];
};

static struct heap *heaps; /* this worker's heaps: its own part's first, then the ghosts' */
static int heap_count;
static bool said; /* that there is no room: only once, because a program may try again and again */

/* Bytes of an object of a class, its header included. */
static size_t class_size(unsigned class_)
{
    return ((size_t)SMALLEST << class_ / 4) / 4 * (4 + class_ % 4);
}

/* Bytes that a class has for the object itself, without the header. */
static size_t room_of(unsigned class_)
{
    return class_size(class_) - sizeof(struct header);
}

/* Bytes of the largest object that any class holds. */
#define LARGEST room_of(CLASSES - 1)

static unsigned class_of(size_t bytes)
{
    unsigned class_ = 0;
    while (class_size(class_) < bytes || class_size(class_) % ALIGNMENT)
        class_++;
    return class_;
}

/* The address of a part, and the lowest address of an object's header in it. A part has the number of its worker or
 * ghost. */
static uintptr_t start_of(int part)
{
    return uat_registry.parts->start + (uintptr_t)part * uat_registry.parts->chunk;
}

static uintptr_t first_place(int part)
{
    return start_of(part) + UAT_PART_HEAD + uat_head_line(part); /* objects' words are coloured, too */
}

static uat_atomic_t *freed_list(int part)
{
    return (uat_atomic_t *)(start_of(part) + UAT_FREED_OFFSET + uat_head_line(part));
}

const uint64_t *uat_objects_freed_word(void)
{
    return uat_registry.parts ? &freed_list(uat_self.rank)->value : NULL;
}

int uat_parts_count(void)
{
    return uat_ghosts.size > 0 ? uat_ghosts.names : uat_self.size;
}

/* Let the heap use `bytes` bytes more of its part. */
static void lengthen(struct heap *heap, size_t bytes)
{
    madvise((void *)(heap->limit / UAT_BLOCK * UAT_BLOCK), bytes + heap->limit % UAT_BLOCK, MADV_DODUMP);
    heap->limit += bytes;
}

/* Let the heap grow by `bytes` bytes, or by STEP bytes if that is more. Returns false if its part is full, and after a
 * message if the machine has no memory. */
static bool grow(struct heap *heap, size_t bytes)
{
    size_t left = heap->most - heap->limit, step = bytes > STEP ? bytes : left < STEP ? left : STEP;
    if (bytes > left)
        return false;
    if (uat_overcommit_check_objects(step, !said)) {
        said = true;
        return false;
    }
    lengthen(heap, step);
    return true;
}

int uat_objects_start(void)
{
    int size = uat_self.size;
    /* A core file has this worker's objects. To dump a hole of a memory object, the kernel would fill it. */
    madvise((void *)uat_registry.parts->start, uat_registry.parts->size, MADV_DONTDUMP);
    heap_count = (uat_parts_count() - 1 - uat_self.rank) / size + 1;
    heaps = calloc((size_t)heap_count, sizeof(*heaps));
    if (!heaps) {
        uat_error("no memory for the lists of %d parts with objects", heap_count);
        return -ENOMEM;
    }
    for (int i = 0; i < heap_count; i++) {
        int part = uat_self.rank + i * size;
        heaps[i] = (struct heap){.part = part, .end = first_place(part)};
        heaps[i].limit = start_of(part);
        heaps[i].most = start_of(part) + uat_registry.parts->chunk - uat_bounds_size();
        lengthen(&heaps[i], uat_overcommit_grows() ? STEP : heaps[i].most - heaps[i].limit);
    }
    said = false;
    return 0;
}

void uat_objects_end(void)
{
    free(heaps);
    heaps = NULL;
    heap_count = 0;
}

/* This worker's heap of a part; NULL: the part is another worker's. */
static struct heap *heap_of(int part)
{
    int size = uat_self.size;
    return part >= 0 && part % size == uat_self.rank && part / size < heap_count ? &heaps[part / size] : NULL;
}

static struct header *header_of(uintptr_t object)
{
    return (struct header *)(object - sizeof(struct header));
}

/* Under torture a free object is filled with UAT_POISON after its link, and must still be filled when it is taken
 * again. */
static void poison(uintptr_t object, unsigned class_)
{
    if (uat_registry.strict)
        memset((void *)(object + 8), UAT_POISON, room_of(class_) - 8);
}

static void check_poison(uintptr_t object, unsigned class_)
{
    const unsigned char *p = (const unsigned char *)object;
    for (size_t i = 8; uat_registry.strict && i < room_of(class_); i++)
        if (p[i] != UAT_POISON)
            uat_fatal("the object at %p was written after uat_global_object_free(), at byte %zu", (void *)object, i);
}

/* May an object of this part start here? */
static bool is_place(const struct heap *heap, uintptr_t object)
{
    uintptr_t begin = start_of(heap->part) + UAT_PART_HEAD + sizeof(struct header);
    return object % ALIGNMENT == 0 && object >= begin && object < heap->end;
}

static void put_on_list(struct heap *heap, uintptr_t object, unsigned class_)
{
    *header_of(object) = (struct header){.state = FREED ^ object, .class_ = class_};
    uat_bounds_clear(object, room_of(class_));
    poison(object, class_);
    *(uint64_t *)object = heap->free[class_];
    heap->free[class_] = object;
}

/* Check an object that another worker freed. The check is needed because peers have written the list's head, its links
 * and the headers. */
static void check_given_back(const struct heap *heap, uintptr_t object)
{
    if (!is_place(heap, object))
        uat_word_refuse(uat_self.rank, "a link of the objects given back to the part", object);
    if (header_of(object)->state != (FREED ^ object))
        uat_word_refuse(uat_self.rank, "the state of an object given back to the part", header_of(object)->state);
    if (header_of(object)->class_ >= CLASSES)
        uat_word_refuse(uat_self.rank, "the class of an object given back to the part", header_of(object)->class_);
}

/* Take the objects that other workers have freed. */
static void collect(struct heap *heap)
{
    uat_atomic_t *list = freed_list(heap->part);
    uint64_t head = uat_atomic_load(list), seen;
    if (!head)
        return;
    while ((seen = uat_atomic_cmp_swap(list, head, 0)) != head)
        head = seen;
    for (uintptr_t object = head, next; object; object = next) {
        check_given_back(heap, object);
        next = *(uint64_t *)object;
        put_on_list(heap, object, (unsigned)header_of(object)->class_);
    }
}

static uintptr_t take(struct heap *heap, unsigned class_)
{
    for (unsigned c = class_; c < CLASSES && c < class_ + 8; c++) { /* classes of objects at most four times as large */
        uintptr_t object = heap->free[c];
        if (!object)
            continue;
        uintptr_t next = *(uint64_t *)object; /* the program may have overwritten this link */
        if (next && !is_place(heap, next))
            uat_word_refuse(uat_self.rank, "a link of the free objects of the part", next);
        heap->free[c] = next;
        check_poison(object, c);
        header_of(object)->state = ALIVE ^ object;
        return object;
    }
    return 0;
}

static uintptr_t extend(struct heap *heap, unsigned class_)
{
    size_t size = class_size(class_), gap = uat_registry.strict ? GAP : 0; /* the gap is out of bounds: bounds.c */
    if (gap + size > heap->limit - heap->end && !grow(heap, gap + size - (heap->limit - heap->end)))
        return 0;
    uintptr_t object = heap->end + gap + sizeof(struct header);
    heap->end += gap + size;
    *header_of(object) = (struct header){.state = ALIVE ^ object, .class_ = class_};
    return object;
}

/* Returns an object of this class, or of a larger one. Returns 0 if the part has no room. */
static uintptr_t allocate(struct heap *heap, unsigned class_)
{
    if (heap->free[class_] == 0)
        collect(heap);
    uintptr_t object = heap->free[class_] ? take(heap, class_) : extend(heap, class_);
    return object ? object : take(heap, class_);
}

void *uat_global_object_alloc(size_t bytes)
{
    if (!uat_global_is_open())
        uat_fatal(
            "uat_global_object_alloc(): global memory is not open; call uat_global_open() after uat_init(), on all "
            "workers");
    uintptr_t object = 0;
    if (bytes <= LARGEST) {
        unsigned class_ = class_of(bytes + sizeof(struct header));
        for (int i = 0; i < heap_count && !object; i++)
            object = allocate(&heaps[i], class_);
        if (object)
            uat_bounds_set(object, bytes, room_of((unsigned)header_of(object)->class_));
    }
    if (!object) {
        errno = ENOMEM;
        if (!said && bytes <= LARGEST)
            uat_error(
                "uat_global_object_alloc(): no room for %zu bytes in this worker's part, UAT_GLOBAL_SIZE=%zuk; set it "
                "to %zuk or more",
                bytes, uat_registry.parts->chunk >> 10, 2 * (uat_registry.parts->chunk + bytes) >> 10);
        else if (!said)
            uat_error("uat_global_object_alloc(): no part can hold an object of %zu bytes; use uat_global_alloc()",
                      bytes);
        said = true;
    }
    return (void *)object;
}

static void check_state(uintptr_t object, const struct header *h)
{
    if (h->state == (FREED ^ object))
        uat_fatal("uat_global_object_free(): the object at %p was given back already", (void *)object);
    if (h->state != (ALIVE ^ object) || h->class_ >= CLASSES)
        uat_fatal("uat_global_object_free(): %p is no object of uat_global_object_alloc(), or the header before it was "
                  "overwritten",
                  (void *)object);
}

/* Put an object on the list of another worker's part. */
static void give_back(uintptr_t object, int part)
{
    struct freed f;
    uat_get_unchecked(&f.header, (uintptr_t)header_of(object), sizeof(f.header));
    check_state(object, &f.header);
    uat_cache_post_range(object, room_of((unsigned)f.header.class_)); /* post its bytes before its reuse */
    f.header.state = FREED ^ object;
    uint64_t head = uat_atomic_load(freed_list(part)), seen;
    for (;;) {
        f.next = head;
        /* The WRITE takes effect before the CMP_SWAP (B1). For a near object, this CPU itself stores the bytes, before
         * it requests the CMP_SWAP. Pairs with collect(). */
        uat_put_unchecked((uintptr_t)header_of(object), &f, sizeof(f));
        seen = uat_atomic_cmp_swap(freed_list(part), head, object);
        if (seen == head)
            return;
        head = seen;
    }
}

void uat_global_object_free(void *p)
{
    uintptr_t object = (uintptr_t)p;
    const struct uat_array *parts = uat_registry.parts;
    if (!p)
        return;
    bool within = parts && object % ALIGNMENT == 0 && object - parts->start < parts->size;
    struct uat_home home = within ? uat_array_home(parts, object) : (struct uat_home){0};
    if (!within || parts->chunk - home.run < UAT_PART_HEAD + sizeof(struct header))
        uat_fatal("uat_global_object_free(): %p is no object of uat_global_object_alloc()", p);
    int part = uat_ghosts.size > 0 ? (int)((object - parts->start) / parts->chunk) : home.rank;
    if (home.rank != uat_self.rank) {
        give_back(object, part);
        return;
    }
    struct heap *heap = part == uat_self.rank ? heaps : heap_of(part);
    check_state(object, header_of(object));
    put_on_list(heap, object, (unsigned)header_of(object)->class_);
}

size_t uat_objects_save(int part, uint64_t **words)
{
    static uint64_t saved[1 + CLASSES];
    const struct heap *heap = heap_of(part);
    *words = saved;
    if (!heap)
        return 0;
    saved[0] = heap->end;
    memcpy(saved + 1, heap->free, sizeof(heap->free));
    return sizeof(saved);
}

bool uat_objects_restore(int part, const uint64_t *words, size_t bytes)
{
    struct heap *heap = heap_of(part);
    if (!heap || bytes != (1 + CLASSES) * sizeof(*words) || words[0] < first_place(part) || words[0] > heap->most)
        return false;
    heap->end = words[0];
    if (heap->end > heap->limit)
        lengthen(heap, heap->end - heap->limit);
    memcpy(heap->free, words + 1, sizeof(heap->free));
    for (int i = 0; i < CLASSES; i++)
        if (heap->free[i] && !is_place(heap, heap->free[i]))
            return false;
    return true;
}
