/* SPDX-License-Identifier: MIT */
#include "runtime/segment/segment.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/kernel.h"
#include "base/log.h"
#include "base/memory.h"
#include "deque/settings.h"
#include "runtime/segment/ghost.h"
#include "runtime/segment/record.h"
#include "runtime/segment/settings.h"
#include "transport_sim/sim.h"

struct uat_segment uat_segment = {.fd = -1};
UAT_KERNEL(uat_segment);

/* The areas in the order of their reservation. The first three are this room's. */
static struct {
    struct uat_area *area[UAT_AREAS_MAX];
    int count;
} layout;

static struct uat_area stacks = {.name = "stacks", .peers = UAT_PEERS_READ};
static struct uat_area records = {.name = "join records", .peers = UAT_PEERS_CHANGE, .striped = true};
static struct uat_area heap = {.name = "evacuation heap", .peers = UAT_PEERS_CHANGE, .striped = true};

const struct uat_area *uat_segment_find(const char *name)
{
    for (int i = 0; i < layout.count; i++)
        if (strcmp(layout.area[i]->name, name) == 0)
            return layout.area[i];
    return NULL;
}

static struct uat_area ghosts = {.name = "ghosts", .peers = UAT_PEERS_CHANGE}; /* reserved only if there are any */

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

uint64_t uat_segment_fit(uint64_t address, bool (*is_outside)(uint64_t))
{
    if (!is_outside(address))
        return address;
    while (address > UAT_SEGMENT_ADDRESS_LOWEST && is_outside(address))
        address >>= 1;
    return address >> 1; /* the kernel's own mappings are near the upper end */
}

/* Is this address beyond what this kernel gives to a process? */
static bool is_outside(uint64_t address)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *p = mmap((void *)address, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (p != MAP_FAILED)
        munmap(p, page);
    return p == MAP_FAILED && errno == ENOMEM;
}

void uat_segment_begin(void)
{
    struct uat_segment_settings *o = &uat_segment_settings;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (o->address == UAT_SEGMENT_ADDRESS_DEFAULT)
        o->address = uat_segment_fit(o->address, is_outside);
    uat_segment = (struct uat_segment){.fd = -1,
                                       .start = (char *)o->address,
                                       .result_max = o->result_max,
                                       .record_stride = uat_record_stride(o->result_max),
                                       .heap_size = o->heap_size};
    layout.count = 0;
    stacks.size = o->stack_size;
    stacks.peers = uat_deque_settings.protocol == UAT_DEQUE_MESSAGE ? UAT_PEERS_CHANGE
                                                                    : UAT_PEERS_READ; /* victims WRITE the stacks that
                                                                                       * they give (M5) */
    records.size = uat_segment.record_stride * o->records;
    heap.size = o->heap_size;
    stacks.align = records.align = heap.align = page;
    uat_segment_reserve(&stacks);
    uat_segment_reserve(&records);
    uat_segment_reserve(&heap);
}

void uat_segment_reserve(struct uat_area *area)
{
    assert(layout.count < UAT_AREAS_MAX && area->size > 0);
    layout.area[layout.count++] = area;
}
UAT_KERNEL(uat_segment_reserve);

/* Place the areas of one kind, starting at offset `at`. Returns the offset of their end. */
static size_t place(enum uat_peers peers, bool striped, size_t at)
{
    for (int i = 0; i < layout.count; i++) {
        struct uat_area *area = layout.area[i];
        if (area == &stacks || area->peers != peers || area->striped != striped)
            continue;
        at = area->offset = round_up(at, area->align ? area->align : UAT_CACHE_LINE);
        at += area->size;
    }
    return at;
}

/* A hash (FNV-1a, 64 bits) of what peers must agree on. */
static uint64_t hash_layout(void)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < layout.count; i++) {
        const struct uat_area *area = layout.area[i];
        const uint64_t facts[] = {area->offset, area->size, area->peers, area->striped};
        const unsigned char *p = (const unsigned char *)facts;
        for (size_t k = 0; k < sizeof(facts); k++)
            h = (h ^ p[k]) * UINT64_C(0x100000001b3);
    }
    return h;
}

void uat_segment_lay_out(void)
{
    struct uat_segment *s = &uat_segment;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    stacks.offset = 0;
    size_t shown = round_up(stacks.size, page), at = place(UAT_PEERS_READ, false, shown);
    s->low = (uintptr_t)s->start;
    s->high = s->low + stacks.size;
    at = round_up(at, page);
    s->read_only = stacks.peers == UAT_PEERS_READ ? at : 0;
    /* UAT_COLOUR_ROOM is added once, because all striped areas are shifted by the same amount */
    at = place(UAT_PEERS_CHANGE, true, at) + UAT_COLOUR_ROOM;
    at = round_up(place(UAT_PEERS_CHANGE, false, at), page);
    s->size = round_up(place(UAT_PEERS_NOTHING, false, at), page);
    s->closed = s->size - at;
    s->layout = hash_layout();
}

/* The bytes that are kept of an area with `used` bytes in use: whole pages, at least one. `used` may exceed the area if
 * the settings differ from the checkpoint's; a later check refuses such a job. */
static size_t kept_of(const struct uat_area *area, uint64_t used)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (used > area->size)
        used = area->size;
    return used > 0 ? round_up(used, page) : page;
}

void uat_segment_add_ghosts(int size, int names, const uint8_t *colours, struct uat_used used)
{
    uint64_t layout_before = uat_segment.layout;
    used = (struct uat_used){.records = kept_of(&records, used.records), .heap = kept_of(&heap, used.heap)};
    uat_ghosts = (struct uat_ghosts){.size = size,
                                     .names = names,
                                     .colours = colours,
                                     .base = (uintptr_t)uat_segment.start + records.offset,
                                     .heap = heap.offset - records.offset,
                                     .used = used};
    ghosts.size = (used.records + used.heap) * ((size_t)(names - 1) / (size_t)size);
    ghosts.align = (size_t)sysconf(_SC_PAGESIZE);
    uat_segment_reserve(&ghosts);
    uat_segment_lay_out();
    uat_segment.layout = layout_before;
}

/* Set each area's address for a worker of this colour. */
static void set_addresses(int colour)
{
    for (int i = 0; i < layout.count; i++) {
        struct uat_area *area = layout.area[i];
        area->at = uat_coloured(uat_segment.start + area->offset, area->striped ? colour : 0);
    }
    uat_segment.colour = colour;
    uat_segment.records = records.at;
    uat_segment.heap = heap.at;
    uat_ghosts.at = (uintptr_t)ghosts.at;
}

static int report_map(const struct uat_segment *s, int error)
{
    if (error == EEXIST)
        uat_error(
            "the segment's address %p is taken (%zu MiB from there are needed); set UAT_SEGMENT_ADDRESS to a free one, "
            "the same for all workers",
            (void *)s->start, s->size >> 20);
    else if (error == ENOMEM)
        uat_error("no memory for the segment of %zu MiB; raise the limit on address space (ulimit -v) or lower "
                  "UAT_STACK_SIZE "
                  "and UAT_HEAP_SIZE",
                  s->size >> 20);
    else
        uat_error("the segment of %zu MiB cannot be mapped at %p: %s; see UAT_SEGMENT_ADDRESS", s->size >> 20,
                  (void *)s->start, strerror(error));
    return -error;
}

/* Check the limit on file sizes first, because growing a memory object beyond it ends the process by SIGXFSZ. */
static int check_file_limit(size_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= size)
        return 0;
    uat_error(
        "files may have %llu KiB here (ulimit -f), and the segment's memory object of %zu KiB counts as one; raise the "
        "limit or lower UAT_STACK_SIZE and UAT_HEAP_SIZE",
        (unsigned long long)limit.rlim_cur >> 10, size >> 10);
    return -EFBIG;
}

/* The largest guard to try. If the address space is limited (ulimit -v), the guard takes at most about 1/16 of it. */
static size_t largest_guard(void)
{
    struct rlimit limit;
    size_t size = UAT_GUARD_MAX;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (size > UAT_GUARD_MIN && size > limit.rlim_cur / 16)
            size /= 2;
    return size;
}

/* Reserve the largest guard that is free below the segment. */
static int open_guard(struct uat_segment *s)
{
    for (size_t size = largest_guard(); size >= UAT_GUARD_MIN; size /= 2) {
        if ((uintptr_t)s->start <= size)
            continue;
        void *p = mmap(s->start - size, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (p == s->start - size) {
            s->guard = p;
            s->guard_size = size;
            return 0;
        }
        if (p != MAP_FAILED) /* a kernel before 4.17 treats the address as a hint */
            munmap(p, size);
    }
    return -1;
}

/* Create a memory object without a name: it vanishes with its last process. Returns -1 with errno after an error. */
static int open_object(struct uat_segment *s)
{
    if (uat_sim_on())
        return uat_sim_object(s->size, &s->offset);
    int fd = uat_memfd("uat-segment", 0);
    if (fd < 0 || ftruncate(fd, (off_t)s->size) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int uat_segment_open(int colour)
{
    struct uat_segment *s = &uat_segment;
    int rc = check_file_limit(s->size);
    if (rc)
        return rc;
    set_addresses(colour);
    s->fd = open_object(s);
    if (s->fd < 0)
        goto fail;
    void *p = mmap(s->start, s->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, s->fd, s->offset);
    if (p == MAP_FAILED)
        goto fail;
    if (p != s->start) { /* a kernel before 4.17 treats the address as a hint */
        munmap(p, s->size);
        errno = EEXIST;
        goto fail;
    }
    if (open_guard(s)) {
        munmap(s->start, s->size);
        errno = EEXIST;
        goto fail;
    }
    if (!uat_sim_on())                             /* in a simulation one memory object holds many segments */
        madvise(s->start, s->size, MADV_HUGEPAGE); /* only advice; huge pages need fewer translations in HCA and CPU */
    return 0;
fail:;
    int error = errno;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    return report_map(s, error);
}

void uat_segment_set_colours(uint8_t *colours)
{
    uat_segment.colours = colours;
}

void uat_segment_close(void)
{
    struct uat_segment *s = &uat_segment;
    free(s->colours);
    s->colours = NULL;
    if (s->fd < 0)
        return;
    munmap(s->start, s->size);
    munmap(s->guard, s->guard_size);
    close(s->fd);
    for (int i = 0; i < layout.count; i++)
        layout.area[i]->at = NULL;
    *s = (struct uat_segment){.fd = -1};
    uat_ghosts = (struct uat_ghosts){.size = 0};
}

/* The address of the first nonzero word between two offsets of the memory object; 0 if there is none. */
static uintptr_t first_word(off_t from, off_t to)
{
    const struct uat_segment *s = &uat_segment;
    const uint64_t *p = (const uint64_t *)(s->start + (from - s->offset));
    const uint64_t *end = (const uint64_t *)(s->start + (to - s->offset));
    while (p < end && *p == 0)
        p++;
    return p < end ? (uintptr_t)p : 0;
}

uintptr_t uat_segment_low_water(void)
{
    const struct uat_segment *s = &uat_segment;
    off_t at = s->offset + (off_t)(s->low - (uintptr_t)s->start);
    off_t end = s->offset + (off_t)(s->high - (uintptr_t)s->start);
    /* Holes of the memory object were never touched. Skip all of them: reading a hole would allocate it.
     * uat_tree_copy() may have used and zeroed pages at the low end. So there may be holes above these pages. */
    while (at < end) {
        off_t data = lseek(s->fd, at, SEEK_DATA);
        if (data < at || data >= end)
            break;
        off_t hole = lseek(s->fd, data, SEEK_HOLE);
        at = hole > data && hole < end ? hole : end;
        uintptr_t word = first_word(data, at);
        if (word)
            return word;
    }
    return s->high;
}

uintptr_t uat_segment_touched(uintptr_t from, uintptr_t to)
{
    const struct uat_segment *s = &uat_segment;
    off_t at = s->offset + (off_t)(from - (uintptr_t)s->start), end = at + (off_t)(to - from), last = at, data;
    while (at < end && (data = lseek(s->fd, at, SEEK_DATA)) >= at && data < end) {
        off_t hole = lseek(s->fd, data, SEEK_HOLE);
        last = at = hole > data && hole < end ? hole : end;
    }
    return (uintptr_t)s->start + (uintptr_t)(last - s->offset);
}
