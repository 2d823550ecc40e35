/* SPDX-License-Identifier: MIT */
#include "runtime/global/content.h"
#include "runtime/global/hosts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/global/array.h"
#include "runtime/global/cache.h"

enum { PAGE = 4096, GAP = 16 /* number of consecutive zero pages that end a piece */ };

/* A range of a chunk, and the memory object in which it lies. */
struct extent {
    char *at;
    size_t bytes;
    int fd;
    uint64_t offset; /* offset of `at` in the object */
};

typedef int extent_fn(void *arg, const struct extent *extent);

/* Call fn for each range of the extent that was ever touched. If the file system cannot tell, the whole extent counts
 * as touched. */
static int each_touched(const struct extent *whole, extent_fn *fn, void *arg)
{
    off_t at = (off_t)whole->offset, end = at + (off_t)whole->bytes;
    int rc = 0;
    while (at < end && !rc) {
        off_t data = lseek(whole->fd, at, SEEK_DATA);
        if (data >= end || (data < 0 && errno == ENXIO))
            return 0;
        data = data < at ? at : data;
        off_t hole = lseek(whole->fd, data, SEEK_HOLE);
        at = hole <= data || hole > end ? end : hole;
        struct extent touched = {.at = whole->at + (data - (off_t)whole->offset), .bytes = (size_t)(at - data)};
        rc = fn(arg, &touched);
    }
    return rc;
}

/* Call fn for each range that was ever touched in this worker's chunks of the array. Chunks from number `last` on are
 * left out. */
static int each_chunk(const struct uat_array *a, int fd, size_t last, extent_fn *fn, void *arg)
{
    size_t size = (size_t)uat_self.size, chunks = a->size / a->chunk;
    int rc = 0;
    chunks = chunks < last ? chunks : last;
    for (size_t c = (size_t)uat_self.rank; c < chunks && !rc; c += size) {
        uintptr_t at = a->start + c * a->chunk;
        struct extent whole = {.at = (char *)at, .bytes = a->chunk, .fd = fd, .offset = uat_array_home(a, at).offset};
        rc = each_touched(&whole, fn, arg);
    }
    return rc;
}

static int each_array(size_t parts, extent_fn *fn, void *arg)
{
    int rc = 0;
    for (const struct uat_array *a = uat_array_next(NULL); a && !rc; a = uat_array_next(a)) {
        const struct uat_memobj *memobj = &a->memobj[uat_hosts.own];
        if (memobj->fd < 0) /* this host has nothing of the array */
            continue;
        int fd = uat_memobj_open(memobj, uat_hosts.leader[uat_hosts.own]);
        if (fd < 0)
            return fd;
        rc = each_chunk(a, fd, a == uat_registry.parts ? parts : SIZE_MAX, fn, arg);
        close(fd);
    }
    return rc;
}

static bool is_zero(const char *page)
{
    uint64_t first;
    memcpy(&first, page, sizeof(first));
    return first == 0 && memcmp(page, page + sizeof(first), PAGE - sizeof(first)) == 0;
}

struct user {
    uat_content_fn *fn;
    void *arg;
};

/* Cut the range into pieces, and call the user's function for each piece. The first and the last page of each piece are
 * not zero. */
static int cut(void *arg, const struct extent *extent)
{
    const struct user *user = arg;
    const char *at = extent->at, *end = at + extent->bytes;
    int rc = 0;
    while (at < end && !rc) {
        if (is_zero(at)) {
            at += PAGE;
            continue;
        }
        const char *from = at, *to = at + PAGE;
        for (at = to; at < end && at - from < UAT_CONTENT_PIECE && at - to < GAP * PAGE; at += PAGE)
            if (!is_zero(at))
                to = at + PAGE;
        rc = user->fn(user->arg, from, (size_t)(to - from));
    }
    return rc;
}

int uat_content_each(uat_content_fn *fn, void *arg)
{
    struct user user = {fn, arg};
    return each_array(SIZE_MAX, cut, &user);
}

static int clear(void *arg, const struct extent *extent)
{
    (void)arg;
    for (char *page = extent->at; page < extent->at + extent->bytes; page += PAGE)
        if (!is_zero(page))
            memset(page, 0, PAGE);
    return 0;
}

int uat_content_clear(int parts)
{
    for (const struct uat_array *a = uat_array_next(NULL); a; a = uat_array_next(a))
        uat_cache_drop(a);
    return each_array((size_t)parts, clear, NULL);
}

bool uat_content_has(uint64_t at, uint64_t bytes)
{
    const struct uat_array *a = uat_array_find(at);
    return a != &uat_nowhere && at - a->start < a->size && bytes <= a->size - (at - a->start);
}

void uat_content_put(uint64_t at, const void *from, size_t bytes)
{
    uat_put_unchecked(at, from, bytes);
}
