/* SPDX-License-Identifier: MIT */
#include "tests/random/memory.h"

#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/object.h"

enum {
    WORD_STEP = 8 * 513, /* so that some words share lines, pages and blocks, and others do not */
    /* Room for all temporary arrays at the same time, wherever gaps arise between them. */
    TEMPORARY_ROOM = TEMPORARY * 2 * (TEMPORARY_MAX + 2 * UAT_GLOBAL_BLOCK),
    STAMPED = 1000 /* bytes of a put */
};

bool plain;
static char *array[ARRAYS];
static char *words, *handles; /* both in global memory */
static char *mirror[AREAS], *mirror_words;

/* Each thing and each object has a handle. The handles are divided among the workers. */
static char *handle_at(int number)
{
    return handles + (size_t)(number % 7) * UAT_GLOBAL_BLOCK + (size_t)(number / 7) * sizeof(struct handle);
}

int memory_open(bool cyclic)
{
    for (int i = 0; i < ARRAYS; i++)
        array[i] = uat_global_alloc(program.bytes[i], (i == 0) == cyclic ? UAT_CYCLIC : UAT_BLOCKED, 0);
    words = uat_global_alloc((size_t)WORDS * WORD_STEP, UAT_CYCLIC, 0);
    handles = uat_global_alloc((size_t)7 * UAT_GLOBAL_BLOCK, UAT_CYCLIC, 0);
    bool fails = program.temporaries && uat_global_temporary_open(TEMPORARY_ROOM, cyclic ? 0 : 2 * UAT_GLOBAL_BLOCK);
    return array[0] && array[1] && array[2] && words && handles && !fails ? 0 : -1;
}

int memory_close(void)
{
    int rc = uat_global_free(words) | uat_global_free(handles);
    if (program.temporaries) /* fails if a temporary array is in use */
        rc |= uat_global_temporary_open(0, 0);
    for (int i = 0; i < ARRAYS; i++)
        rc |= uat_global_free(array[i]);
    return rc;
}

static char *zeroed(char **at, size_t bytes)
{
    free(*at);
    *at = calloc(1, bytes + 8);
    if (!*at)
        abort();
    return *at;
}

void memory_reset(void)
{
    for (int i = 0; i < AREAS; i++)
        if (i < ARRAYS || mirror[i])
            zeroed(&mirror[i], program.bytes[i]);
    zeroed(&mirror_words, (size_t)WORDS * WORD_STEP);
}

char *memory_plain_at(struct range range)
{
    return mirror[range.area] + range.from;
}

char *memory_at(struct range range)
{
    if (plain)
        return memory_plain_at(range);
    if (range.area < ARRAYS)
        return array[range.area] + range.from;
    return (char *)(uintptr_t)memory_handle(THINGS + range.area).object + range.from;
}

uat_atomic_t *memory_word(int word)
{
    return (uat_atomic_t *)(void *)((plain ? mirror_words : words) + (size_t)word * WORD_STEP);
}

void memory_allocate(int area)
{
    if (plain) {
        zeroed(&mirror[area], program.bytes[area]);
        return;
    }
    void *object = program.temporary[area] ? uat_global_temporary_alloc(program.bytes[area])
                                           : uat_global_object_alloc(program.bytes[area]);
    if (!object)
        abort(); /* the library has reported why */
    memory_set_handle(THINGS + area, (struct handle){.object = (uintptr_t)object});
}

void memory_free(int area)
{
    void *object = plain ? NULL : (void *)(uintptr_t)memory_handle(THINGS + area).object;
    if (program.temporary[area])
        uat_global_temporary_free(object);
    else
        uat_global_object_free(object);
}

void memory_set_handle(int thing, struct handle handle)
{
    uat_global_put(handle_at(thing), &handle, sizeof(handle));
}

struct handle memory_handle(int thing)
{
    struct handle handle;
    uat_global_get(&handle, handle_at(thing), sizeof(handle));
    return handle;
}

char *memory_checkout(struct range range, enum uat_access access)
{
    char *at = memory_at(range);
    return plain ? at : uat_global_checkout(at, range.bytes, access);
}

void memory_checkin(struct range range, enum uat_access access)
{
    if (!plain)
        uat_global_checkin(memory_at(range), range.bytes, access);
}

void memory_get(void *local, struct range range)
{
    if (plain)
        memcpy(local, memory_at(range), range.bytes);
    else
        uat_global_get(local, memory_at(range), range.bytes);
}

void memory_put(struct range range, const void *local)
{
    if (plain)
        memcpy(memory_at(range), local, range.bytes);
    else
        uat_global_put(memory_at(range), local, range.bytes);
}

uint64_t hash_bytes(uint64_t before, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        before = before * UINT64_C(0x9e3779b97f4a7c15) + p[i] + 1;
    return before;
}

/* Number `number` of the 8-byte words of a stamp. */
static uint64_t stamp_word(uint64_t stamp, size_t number)
{
    return mix(stamp * UINT64_C(0x9e3779b97f4a7c15) + number);
}

/* Loop over the words in bytes [from, from + n). A word has eight bytes, or fewer at the two ends. A word is the `step`
 * bytes from byte `at` on. Each word has its own part of the stamp. */
#define EACH_WORD(from, n)                                                                                             \
    for (size_t at = (from), end = (from) + (n), step;                                                                 \
         at < end && (step = 8 - at % 8, step = step < end - at ? step : end - at, 1); at += step)

void stamp_fill(void *local, uint64_t stamp, size_t from, size_t n)
{
    EACH_WORD(from, n)
    {
        uint64_t word = stamp_word(stamp, at / 8) >> 8 * (at % 8);
        memcpy((char *)local + (at - from), &word, step);
    }
}

void stamp_mix(void *local, uint64_t stamp, size_t from, size_t n)
{
    EACH_WORD(from, n)
    {
        uint64_t word = stamp_word(stamp, at / 8) >> 8 * (at % 8), old = 0;
        memcpy(&old, (char *)local + (at - from), step);
        old ^= word;
        memcpy((char *)local + (at - from), &old, step);
    }
}

bool stamp_is(const void *local, uint64_t stamp, size_t from, size_t n)
{
    EACH_WORD(from, n)
    {
        uint64_t word = stamp_word(stamp, at / 8) >> 8 * (at % 8);
        if (memcmp((const char *)local + (at - from), &word, step) != 0)
            return false;
    }
    return true;
}

void memory_put_stamp(struct range range, uint64_t stamp)
{
    char local[STAMPED];
    if (!program.temporary[range.area]) {
        stamp_fill(memory_checkout(range, UAT_WRITE), stamp, 0, range.bytes);
        memory_checkin(range, UAT_WRITE);
        return;
    }
    for (uint32_t at = 0, n; at < range.bytes; at += n) {
        n = range.bytes - at < STAMPED ? range.bytes - at : STAMPED;
        stamp_fill(local, stamp, at, n);
        memory_put((struct range){range.area, range.from + at, n}, local);
    }
}
