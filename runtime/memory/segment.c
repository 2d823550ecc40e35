/* SPDX-License-Identifier: MIT */
#include "runtime/memory/segment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/memory/record.h"
#include "transport_sim/sim.h"

struct uat_segment uat_segment = {.fd = -1};

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Lay out the parts; the segment starts at options->segment_address. */
static void lay_out(struct uat_segment *s, const struct uat_options *o, int colour)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), at = 0;
    char *start = (char *)o->segment_address;
#define PART(type, size)                                                                                               \
    (type)(start + at);                                                                                                \
    at += round_up(size, page)
#define COLOURED(type, size)                                                                                           \
    (type) uat_coloured(start + at, colour);                                                                           \
    at += round_up((size) + UAT_COLOUR_ROOM, page)
    s->start = start;
    s->colour = colour;
    s->low = PART(uintptr_t, o->stack_size);
    s->high = (uintptr_t)start + at;
    s->result_max = o->result_max;
    s->heap_size = o->heap_size;
    s->control = COLOURED(struct uat_control *, sizeof(struct uat_control));
    s->result = PART(void *, o->result_max);
    s->ring = COLOURED(struct uat_ring *, sizeof(struct uat_ring));
    s->mailbox = COLOURED(struct uat_mailbox *, sizeof(struct uat_mailbox));
    s->ready = COLOURED(struct uat_ready_ring *, sizeof(struct uat_ready_ring));
    s->scratch = PART(void *, UAT_TRANSPORT_SCRATCH);
    s->global_words = PART(void *, UAT_GLOBAL_WORDS_SIZE);
    s->record_stride = uat_record_stride(o->result_max);
    s->records = COLOURED(char *, s->record_stride * o->records);
    s->heap = COLOURED(char *, o->heap_size);
    size_t open = at;
    s->landing = PART(struct uat_landing *, sizeof(struct uat_landing));
    s->ready_landing = PART(struct uat_ready_landing *, sizeof(struct uat_ready_landing));
    s->staging = PART(struct uat_staging *, sizeof(struct uat_staging));
    s->staged_result = PART(void *, o->result_max);
    s->closed = at - open;
    s->size = at;
#undef COLOURED
#undef PART
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

/* Growing a memory object beyond the limit on files ends the process by SIGXFSZ, so look first. */
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

/* The largest guard to try for: little of the address space where that is limited (ulimit -v). */
static size_t largest_guard(void)
{
    struct rlimit limit;
    size_t size = UAT_GUARD_MAX;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (size > UAT_GUARD_MIN && size > limit.rlim_cur / 16)
            size /= 2;
    return size;
}

/* Reserve what is free below the segment. */
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
        if (p != MAP_FAILED) /* a kernel before 4.17 takes the address for a hint */
            munmap(p, size);
    }
    return -1;
}

/* A memory object that has no name anywhere: it is gone with its last process. -1 with errno. */
static int open_object(struct uat_segment *s)
{
    if (uat_sim_on())
        return uat_sim_object(s->size, &s->offset);
    int fd = memfd_create("uat-segment", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)s->size) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

size_t uat_segment_measure(const struct uat_options *options, size_t *closed)
{
    struct uat_segment s;
    lay_out(&s, options, 0);
    *closed = s.closed;
    return s.size;
}

int uat_segment_open(const struct uat_options *options, int colour)
{
    struct uat_segment *s = &uat_segment;
    memset(s, 0, sizeof(*s));
    lay_out(s, options, colour);
    int rc = check_file_limit(s->size);
    if (rc) {
        memset(s, 0, sizeof(*s));
        s->fd = -1;
        return rc;
    }
    s->fd = open_object(s);
    if (s->fd < 0)
        goto fail;
    void *p = mmap(s->start, s->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, s->fd, s->offset);
    if (p == MAP_FAILED)
        goto fail;
    if (p != s->start) { /* a kernel before 4.17 takes the address for a hint */
        munmap(p, s->size);
        errno = EEXIST;
        goto fail;
    }
    if (open_guard(s)) {
        munmap(s->start, s->size);
        errno = EEXIST;
        goto fail;
    }
    if (!uat_sim_on())                             /* whose segments are many in one memory */
        madvise(s->start, s->size, MADV_HUGEPAGE); /* fewer translations for the HCA and the CPU; only advice */
    return 0;
fail:;
    int error = errno;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->start = (char *)options->segment_address;
    error = report_map(s, error);
    s->start = NULL;
    return error;
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
    if (!s->start)
        return;
    munmap(s->start, s->size);
    munmap(s->guard, s->guard_size);
    close(s->fd);
    memset(s, 0, sizeof(*s));
    s->fd = -1;
}

/* The first word that is not 0 between two offsets of the memory object; 0 if there is none. */
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
    /* Holes of the memory object were never touched. Skip all of them, for reading them would allocate them. Some lie
     * above pages at the low end, which uat_replicate() has used and zeroed. */
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
