/* SPDX-License-Identifier: MIT */
/* Data-flow tasks whose accesses are known only at run time: uat_flow_spawn(). */
#include <stdlib.h>
#include <string.h>

#include "include/uat/dataflow.h"
#include "include/uat/transfer.h"
#include "runtime/job/fatal.h"

/* The task's argument: the caller's function, accesses and argument, packed. */
struct packed {
    uat_flow_fn *fn;
    uint64_t n;
    uat_flow_access_t access[UAT_FLOW_ACCESSES]; /* n of them; the caller's argument follows, aligned to 16 bytes */
};

static size_t head_bytes(size_t n)
{
    return (offsetof(struct packed, access) + n * sizeof(uat_flow_access_t) + 15) & ~(size_t)15;
}

static enum uat_access access_of(const uat_flow_access_t *a)
{
    return a->mode == UAT_FLOW_IN ? UAT_READ : a->mode == UAT_FLOW_OUT ? UAT_WRITE : UAT_READ_WRITE;
}

/* Does the body get a copy of the datum? It does if the datum is a block of a matrix whose rows are not all near in one
 * piece. */
static bool is_copied(const uat_flow_access_t *a)
{
    return a->rows > 1 &&
           uat_global_near(a->p, (a->rows - 1) * a->pitch + a->bytes) < (a->rows - 1) * a->pitch + a->bytes;
}

static bool is_open(const uat_flow_access_t *a)
{
    return a->bytes > 0 && !(a->mode & UAT_FLOW_BELOW);
}

/* Does the body get its own room instead of the datum? For UAT_FLOW_ADD, the field `pitch` holds the guard, or 0 if the
 * body gets the datum itself. */
static bool has_room(const uat_flow_access_t *a)
{
    return a->mode == UAT_FLOW_ADD && a->pitch != 0;
}

static size_t room_bytes(const uat_flow_access_t *a)
{
    return has_room(a) ? (a->bytes + 15) & ~(size_t)15 : 0;
}

static void open_place(const uat_flow_access_t *a, uat_flow_place_t *place, char *room)
{
    *place = (uat_flow_place_t){.at = a->bytes ? a->p : NULL, .pitch = a->pitch};
    if (!is_open(a))
        return;
    if (a->mode == UAT_FLOW_ADD) {
        place->at = uat_flow_add_place(a->p, a->pitch, room, a->bytes);
        return;
    }
    if (is_copied(a)) {
        *place = (uat_flow_place_t){.at = malloc(a->rows * a->bytes), .pitch = a->bytes};
        if (!place->at)
            uat_fatal("no memory for a block of %zu bytes of a data-flow task", a->rows * a->bytes);
        if (a->mode != UAT_FLOW_OUT)
            uat_global_get_strided(place->at, a->bytes, a->p, a->pitch, a->bytes, a->rows);
    } else if (a->rows <= 1) {
        place->at = uat_global_checkout(a->p, a->bytes, access_of(a));
    }
}

static void close_place(const uat_flow_access_t *a, const uat_flow_place_t *place)
{
    if (!is_open(a) || has_room(a))
        return;
    if (is_copied(a)) {
        if (a->mode != UAT_FLOW_IN)
            uat_global_put_strided(a->p, a->pitch, place->at, a->bytes, a->bytes, a->rows);
        free(place->at);
    } else if (a->rows <= 1) {
        uat_global_checkin(a->p, a->bytes, access_of(a));
    }
}

static bool is_fetched(const uat_flow_access_t *a)
{
    return is_open(a) && a->mode != UAT_FLOW_OUT && a->rows <= 1 && !has_room(a);
}

/* Add the values that the body left in its room. Nothing is checked out, so the addition may wait. */
static void add(const uat_flow_access_t *a, const char *room)
{
    if (!has_room(a))
        return;
    a->add(uat_flow_add_begin(a->p, a->bytes, a->pitch), room);
    uat_flow_add_end(a->p, a->bytes, a->pitch);
}

static void body(void *arg, void *result)
{
    struct packed *packed = arg;
    uat_flow_place_t place[UAT_FLOW_ACCESSES];
    size_t bytes = 0;
    (void)result;
    for (size_t i = 0; i < packed->n; i++)
        bytes += room_bytes(&packed->access[i]);
    char *room =
        bytes ? __builtin_alloca_with_align(bytes, 128) : NULL; /* lies on the stack, which migrates with the task */
    for (size_t i = 0; i < packed->n; i++)
        if (is_fetched(&packed->access[i]))
            uat_flow_fetch(packed->access[i].p, packed->access[i].bytes);
    for (size_t i = 0, used = 0; i < packed->n; used += room_bytes(&packed->access[i++]))
        open_place(&packed->access[i], &place[i], room + used);
    packed->fn((char *)arg + head_bytes(packed->n), place);
    for (size_t i = 0; i < packed->n; i++)
        close_place(&packed->access[i], &place[i]);
    for (size_t i = 0, used = 0; i < packed->n; used += room_bytes(&packed->access[i++]))
        add(&packed->access[i], room + used);
}

static void check(const uat_flow_access_t *access, size_t n, size_t size)
{
    size_t whole = head_bytes(n) + size;
    if (n > UAT_FLOW_ACCESSES || size > UAT_FLOW_ARGUMENT_MAX || whole > UAT_FLOW_ARGUMENT_MAX)
        uat_fatal(
            "uat_flow_spawn(): %zu accesses and an argument of %zu bytes; there may be %d accesses, and %d bytes with "
            "%zu for each access",
            n, size, UAT_FLOW_ACCESSES, UAT_FLOW_ARGUMENT_MAX, sizeof(uat_flow_access_t));
    for (size_t i = 0; i < n; i++) {
        unsigned mode = access[i].mode & ~(unsigned)UAT_FLOW_BELOW;
        if (mode < UAT_FLOW_IN || mode > UAT_FLOW_ADD)
            uat_fatal("uat_flow_spawn(): access %zu has the mode %u, which is none of enum uat_flow_mode", i,
                      (unsigned)access[i].mode);
        if (mode == UAT_FLOW_ADD &&
            (!access[i].add || access[i].bytes == 0 || access[i].rows > 1 || access[i].mode != UAT_FLOW_ADD))
            uat_fatal("uat_flow_spawn(): access %zu has UAT_FLOW_ADD; it needs a function `add` and a number of bytes, "
                      "in one row and without UAT_FLOW_BELOW",
                      i);
    }
}

void uat_flow_spawn(uat_flow_t *flow, uat_flow_fn *fn, const void *arg, size_t size, const uat_flow_access_t *access,
                    size_t n)
{
    _Alignas(16) char room[sizeof(struct packed) + UAT_FLOW_ARGUMENT_MAX];
    struct packed *packed = (struct packed *)(void *)room;
    uat_flow_access_t own[UAT_FLOW_ACCESSES];
    check(access, n, size);
    size_t head = head_bytes(n), whole = head + size;
    packed->fn = fn;
    packed->n = n;
    for (size_t i = 0; i < n; i++) {
        own[i] = packed->access[i] = access[i];
        if (access[i].mode == UAT_FLOW_ADD) {
            packed->access[i].pitch = 0;
            own[i].pitch = (size_t)((char *)&packed->access[i].pitch - room);
        }
    }
    if (size)
        memcpy(room + head, arg, size);
    if (flow->ledger) {
        uat_flow_enter(flow, body, room, whole, own, n);
        return;
    }
    uat_spawn(&flow->task, body, room, whole, NULL, 0);
    if (flow->task.record)
        uat_flow_parted(flow, own, n);
}
