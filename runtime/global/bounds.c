/* SPDX-License-Identifier: MIT */
/*
 * Exact bounds of objects, under torture. The last sixteenth of each worker's part has one byte for every 16 bytes of
 * the part. This byte says how many of the 16, counted from the first, belong to an object in use.
 *
 * The rest of an object's place, the gap after it (heap.c) and the next header belong to no object. So an access one
 * element beyond an object is refused, wherever the object lives. An access that lands in another object in use looks
 * right, because an address does not say from which object it was computed.
 *
 * The owner writes the bounds; other hosts READ them. No fence is needed, because an object's address reaches another
 * worker only after its bounds were set.
 */
#include <string.h>

#include "runtime/global/bounds.h"
#include "runtime/global/array.h"
#include "runtime/job/fatal.h"

enum { UNIT = 16, STEP = 64 /* bytes of bounds per READ */, LINK = 8 /* bytes of the link in a free object */ };

size_t uat_bounds_size(void)
{
    return uat_registry.strict ? uat_registry.parts->chunk / UNIT : 0;
}

/* The part that contains this address. */
static uintptr_t part_of(uintptr_t at)
{
    const struct uat_array *parts = uat_registry.parts;
    return parts->start + (at - parts->start) / parts->chunk * parts->chunk;
}

static uintptr_t bounds_of(uintptr_t at)
{
    return part_of(at) + uat_registry.parts->chunk - uat_bounds_size() + (at - part_of(at)) / UNIT;
}

void uat_bounds_set(uintptr_t object, size_t bytes, size_t room)
{
    unsigned char *bounds = (unsigned char *)bounds_of(object);
    for (size_t i = 0; uat_registry.strict && i < room; i += UNIT)
        bounds[i / UNIT] = (unsigned char)(bytes < i ? 0 : bytes - i < UNIT ? bytes - i : UNIT);
    if (uat_registry.strict)
        memset((char *)object + bytes, UAT_POISON, room - bytes);
}

void uat_bounds_clear(uintptr_t object, size_t room)
{
    unsigned char *bounds = (unsigned char *)bounds_of(object);
    const unsigned char *p = (const unsigned char *)object;
    for (size_t i = LINK; uat_registry.strict && i < room; i++)
        if (i % UNIT >= bounds[i / UNIT] && p[i] != UAT_POISON)
            uat_fatal("the object at %p was written beyond its end, at byte %zu", (void *)object, i);
    if (uat_registry.strict)
        memset(bounds, 0, room / UNIT);
}

static void read_bounds(unsigned char *to, uintptr_t from, size_t bytes)
{
    if (uat_array_home(uat_registry.parts, from).near)
        memcpy(to, (const void *)from, bytes);
    else
        uat_get_unchecked(to, from, bytes);
}

static __attribute__((cold)) _Noreturn void refuse(const char *call, uintptr_t at, size_t bytes, size_t inside)
{
    uat_fatal("%s: of %zu bytes at %p, %zu lie in an object in use; the rest is beyond its end, or was freed", call,
              bytes, (void *)at, inside);
}

void uat_bounds_check(const char *call, uintptr_t at, size_t bytes)
{
    const uintptr_t part = part_of(at), end = part + uat_registry.parts->chunk - uat_bounds_size();
    unsigned char bounds[STEP];
    if (at + bytes <= part + UAT_PART_HEAD) /* the list of objects that other workers freed lies at this place */
        return;
    for (size_t done = 0; done < bytes;) {
        if (at + done >= end)
            refuse(call, at, bytes, done);
        size_t units = (at + bytes - 1) / UNIT - (at + done) / UNIT + 1;
        read_bounds(bounds, bounds_of(at + done), units < STEP ? units : STEP);
        for (size_t i = 0; i < STEP && done < bytes; i++) {
            size_t from = (at + done) % UNIT, rest = bytes - done, n = rest < UNIT - from ? rest : UNIT - from;
            if (from + n > bounds[i])
                refuse(call, at, bytes, done + (bounds[i] > from ? bounds[i] - from : 0));
            done += n;
        }
    }
}
