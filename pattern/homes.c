/* SPDX-License-Identifier: MIT */
#include "pattern/homes.h"

#include <stdlib.h>
#include <string.h>

#include "include/uat/global.h"
#include "include/uat/object.h"
#include "include/uat/pattern.h"
#include "pattern/loop.h"
#include "pattern/partition.h"
#include "runtime/global/global.h"
#include "runtime/job/self.h"
#include "runtime/team/team.h"

enum {
    PART_BYTES = 8192, /* with fewer bytes for each worker, the loops take longer than the work */
    UNEVEN = 2         /* a part has at most this many times its equal share */
};

size_t uat_parts_edge(const struct uat_parts *parts, int r)
{
    if (r == 0 || r == parts->parts)
        return r == 0 ? 0 : parts->count;
    int64_t bytes = (int64_t)(parts->start + (uint64_t)r * parts->chunk - (uintptr_t)parts->array);
    size_t at = bytes <= 0 ? 0 : ((size_t)bytes + parts->size / 2) / parts->size;
    return at < parts->count ? at : parts->count;
}

static size_t length_of(const struct uat_parts *parts, int r)
{
    return uat_parts_edge(parts, r + 1) - uat_parts_edge(parts, r);
}

static size_t widest(const struct uat_parts *parts)
{
    size_t most = 0;
    for (int r = 0; r < parts->parts; r++)
        most = length_of(parts, r) > most ? length_of(parts, r) : most;
    return most;
}

bool uat_parts_make(struct uat_parts *parts, void *array, size_t size, size_t count, bool few)
{
    size_t workers = (size_t)uat_self.size;
    *parts = (struct uat_parts){.array = array, .size = size, .count = count, .parts = uat_self.size};
    return !uat_team_within && workers <= UAT_TEAM_MAX && uat_loop_home(array, size, 0, (int64_t)count) &&
           count / workers >= PART_BYTES / size + 1 && uat_global_blocked(array, &parts->start, &parts->chunk) &&
           (few || widest(parts) <= count / workers * UNEVEN);
}

/* Does the scratch array have the homes of the array? */
static bool is_alike(const struct uat_parts *parts, void *scratch, size_t size)
{
    uintptr_t start;
    uint64_t chunk;
    return scratch && size == parts->size && uat_loop_home(scratch, size, 0, (int64_t)parts->count) &&
           uat_global_blocked(scratch, &start, &chunk) && chunk == parts->chunk &&
           (uintptr_t)scratch - start == (uintptr_t)parts->array - parts->start;
}

bool uat_twin_make(struct uat_twin *twin, const struct uat_parts *parts, size_t size, void *scratch)
{
    if (is_alike(parts, scratch, size)) {
        *twin = (struct uat_twin){.base = scratch, .size = size};
        return true;
    }
    size_t chunk = uat_global_temporary_chunk(), each = chunk / size, most = widest(parts);
    if (each == 0)
        return false;
    *twin = (struct uat_twin){.size = size, .chunk = chunk};
    twin->base = uat_global_temporary_try((most + each - 1) / each * chunk * (size_t)parts->parts);
    twin->first = twin->base ? uat_global_home(twin->base) : 0;
    return twin->base != NULL;
}

void uat_twin_free(const struct uat_twin *twin, const void *scratch)
{
    if (twin->base != scratch)
        uat_global_temporary_free(twin->base);
}

char *uat_twin_at(const struct uat_twin *twin, const struct uat_parts *parts, int r, size_t i, size_t *run)
{
    if (twin->chunk == 0)
        return twin->base + (uat_parts_edge(parts, r) + i) * twin->size;
    size_t each = twin->chunk / twin->size, row = i / each, inside = i % each;
    size_t column = (size_t)((r - twin->first + parts->parts) % parts->parts);
    if (*run > each - inside)
        *run = each - inside;
    return twin->base + (row * (size_t)parts->parts + column) * twin->chunk + inside * twin->size;
}

/* The part of element i. */
static int part_of(const struct uat_parts *parts, size_t i)
{
    int low = 0, high = parts->parts - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (i < uat_parts_edge(parts, middle + 1))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Element i of the twin. Sets *run as uat_twin_at() does. */
static char *element(const struct uat_twin *twin, const struct uat_parts *parts, size_t i, size_t *run)
{
    int r = part_of(parts, i);
    size_t inside = i - uat_parts_edge(parts, r), left = length_of(parts, r) - inside;
    if (*run > left)
        *run = left;
    return uat_twin_at(twin, parts, r, inside, run);
}

void uat_twin_get(const struct uat_twin *twin, const struct uat_parts *parts, char *to, size_t from, size_t count)
{
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done;
        const char *p = element(twin, parts, from + done, &n);
        uat_global_get(to + done * twin->size, p, n * twin->size);
    }
}

void uat_twin_put(const struct uat_twin *twin, const struct uat_parts *parts, size_t to, const char *from, size_t count)
{
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done;
        char *p = element(twin, parts, to + done, &n);
        uat_global_put(p, from + done * twin->size, n * twin->size);
    }
}

void uat_twin_move(const struct uat_twin *twin, const struct uat_parts *parts, size_t to, size_t from, size_t count)
{
    const size_t size = parts->size, window = uat_range_window(size);
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < window ? count - done : window;
        char *p = element(twin, parts, from + done, &n), *q = parts->array + (to + done) * size;
        memcpy(uat_global_checkout(q, n * size, UAT_WRITE), uat_global_checkout(p, n * size, UAT_READ), n * size);
        uat_global_checkin(p, n * size, UAT_READ);
        uat_global_checkin(q, n * size, UAT_WRITE);
    }
}

struct copy {
    struct uat_twin twin;
    struct uat_parts parts;
};

static void copy_parts(int64_t begin, int64_t end, const void *arg)
{
    const struct copy *c = arg;
    size_t from = uat_parts_edge(&c->parts, (int)begin), to = uat_parts_edge(&c->parts, (int)end);
    uat_twin_move(&c->twin, &c->parts, from, from, to - from);
}

void uat_twin_copy(const struct uat_twin *twin, const struct uat_parts *parts)
{
    struct copy c = {*twin, *parts};
    uat_for(0, parts->parts, 1, copy_parts, &c, sizeof(c));
}

char *uat_part_enter(const struct uat_parts *parts, int r)
{
    char *home = parts->array + uat_parts_edge(parts, r) * parts->size;
    size_t bytes = length_of(parts, r) * parts->size;
    if (uat_global_near(home, bytes) == bytes)
        return uat_global_checkout(home, bytes, UAT_READ_WRITE);
    char *elements = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (elements)
        uat_global_get(elements, home, bytes);
    return elements;
}

void uat_part_leave(const struct uat_parts *parts, int r, char *elements)
{
    char *home = parts->array + uat_parts_edge(parts, r) * parts->size;
    size_t bytes = length_of(parts, r) * parts->size;
    if (elements == home) {
        uat_global_checkin(home, bytes, UAT_READ_WRITE);
        return;
    }
    uat_global_put(home, elements, bytes);
    free(elements);
}
