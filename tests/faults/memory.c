/* SPDX-License-Identifier: MIT */
#include "tests/faults/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/global.h"
#include "uat/object.h"

enum {
    PIECE = 3000,
    WORDS = 40,
    FROZEN = 150000,
    OBJECT_MAX = 2000,
    BLOCKED = 1300000,
    CYCLIC = 700000,
    TEMPORARY_MAX = 3000,
    REPLICA = 123,
    LARGE = (1 << 30) - 100 /* mostly holes; with several workers it takes more than 1 GiB of addresses */
};

/* These pointers are equal in all workers, and tasks do not change them. */
static const uint64_t *replica;
static unsigned char *large, *blocked, *cyclic, *frozen, *passing;
static uat_atomic_t *words;
static bool is_frozen;
static uint64_t passing_size;

/* A new array for each run. Rank 0 fills it outside of runs, and the root task sets it to zero. */
static int open_passing(uint64_t run)
{
    unsigned char byte[64];
    memset(byte, 0xee, sizeof(byte));
    passing_size = 1 + mix(run) % 400000;
    passing = uat_global_alloc(passing_size, UAT_BLOCKED, 0);
    for (uint64_t at = 0; passing && uat_rank() == 0 && at < passing_size; at += sizeof(byte))
        uat_global_put(passing + at, byte, passing_size - at < sizeof(byte) ? passing_size - at : sizeof(byte));
    return passing ? uat_barrier() : -1;
}

int memory_open(uint64_t run)
{
    if (run == 0) {
        const uint64_t word = mix(REPLICA);
        replica = uat_replicate(&word, sizeof(word));
        large = uat_global_alloc(LARGE, UAT_BLOCKED, 0);
        blocked = uat_global_alloc(BLOCKED, UAT_BLOCKED, 0);
        frozen = uat_global_alloc(FROZEN, UAT_BLOCKED, 0);
        if (open_passing(run))
            return -1;
        cyclic = uat_global_alloc(CYCLIC, UAT_CYCLIC, 0);
        words = uat_global_alloc(WORDS * 4096, UAT_CYCLIC, 0);
        return replica && large && blocked && frozen && cyclic && words ? uat_global_temporary_open(16 << 20, 0) : -1;
    }
    is_frozen = true; /* the first run has written the array */
    if ((run == 1 && uat_global_freeze(frozen)) || uat_global_free(passing))
        return -1;
    return open_passing(run);
}

/* Set the run's array to zero. */
static void clear_passing(void)
{
    for (uint64_t at = 0, n; at < passing_size; at += n) {
        n = passing_size - at < PIECE ? passing_size - at : PIECE;
        memset(uat_global_checkout(passing + at, n, UAT_WRITE), 0, n);
        uat_global_checkin(passing + at, n, UAT_WRITE);
    }
}

/* The word of the large array that the task with this seed increments. */
static uat_atomic_t *large_word(uint64_t seed)
{
    return (uat_atomic_t *)(void *)(large + mix(seed + 11) % 5 * (LARGE / 5 / 8 * 8));
}

/* The address of byte `at` of the blocked and the cyclic array, counted through both. *rest gets the number of bytes
 * from there to the end of the same array. */
static unsigned char *place_of(uint64_t at, uint64_t *rest)
{
    *rest = at < BLOCKED ? BLOCKED - at : BLOCKED + CYCLIC - at;
    return at < BLOCKED ? blocked + at : cyclic + (at - BLOCKED);
}

static unsigned char stamp(uint64_t seed, uint64_t at)
{
    return (unsigned char)(mix(seed + at / 64) >> at % 57);
}

/* Some seeds leave zeros, so that a checkpoint contains pages of zeros. */
static bool leaves_zeroes(uint64_t seed)
{
    return mix(seed + 5) % 4 == 0;
}

/* Give bytes [from, to) a new stamp. check: whether to check them for the old stamp before. Returns the number of
 * errors. */
static uint64_t renew(uint64_t from, uint64_t to, uint64_t seed, bool check)
{
    uint64_t errors = 0, n, rest;
    for (uint64_t at = from; at < to; at += n) {
        unsigned char *p = place_of(at, &rest);
        n = to - at < PIECE ? to - at : PIECE;
        n = n < rest ? n : rest;
        enum uat_access access = check ? UAT_READ_WRITE : UAT_WRITE;
        unsigned char *q = uat_global_checkout(p, n, access);
        for (uint64_t i = 0; i < n && check; i++)
            errors += q[i] != stamp(seed, at + i);
        for (uint64_t i = 0; i < n; i++)
            q[i] = check && leaves_zeroes(seed) ? 0 : stamp(seed + check, at + i);
        uat_global_checkin(p, n, access);
    }
    return errors;
}

struct memory memory_root(void)
{
    return (struct memory){.to = BLOCKED + CYCLIC, .replica = replica};
}

struct memory memory_child(const struct memory *parent, uint64_t i, uint64_t n)
{
    uint64_t room = parent->to - parent->own;
    return (struct memory){
        .from = parent->own + room * i / n, .to = parent->own + room * (i + 1) / n, .replica = parent->replica};
}

static size_t object_size(uint64_t seed)
{
    return 16 + mix(seed + 3) % OBJECT_MAX;
}

static size_t temporary_size(uint64_t seed)
{
    return 1 + mix(seed + 21) % TEMPORARY_MAX;
}

/* One task in eight has a temporary array until it ends. If there is no room for the array, the task goes without. */
static void begin_temporary(struct memory *m, uint64_t seed)
{
    m->temporary = seed % 8 == 0 ? uat_global_temporary_alloc(temporary_size(seed)) : NULL;
    unsigned char bytes[TEMPORARY_MAX];
    for (size_t i = 0; m->temporary && i < temporary_size(seed); i++)
        bytes[i] = stamp(seed + 8, i);
    if (m->temporary)
        uat_global_put(m->temporary, bytes, temporary_size(seed));
}

static uint64_t end_temporary(const struct memory *m, uint64_t seed)
{
    unsigned char bytes[TEMPORARY_MAX];
    uint64_t errors = 0;
    if (!m->temporary)
        return 0;
    uat_global_get(bytes, m->temporary, temporary_size(seed));
    for (size_t i = 0; i < temporary_size(seed); i++)
        errors += bytes[i] != stamp(seed + 8, i);
    uat_global_temporary_free(m->temporary);
    return errors;
}

void memory_begin(struct memory *m, uint64_t seed)
{
    size_t size = object_size(seed);
    begin_temporary(m, seed);
    m->own = m->from + (m->to - m->from < 64 ? m->to - m->from : (m->to - m->from) / 8);
    m->object = uat_global_object_alloc(size);
    if (!m->object)
        abort();
    unsigned char *o = uat_global_checkout(m->object, size, UAT_WRITE);
    for (size_t i = 0; i < size; i++)
        o[i] = stamp(seed, i);
    uat_global_checkin(m->object, size, UAT_WRITE);
    renew(m->from, m->own, seed, false);
    if (!is_frozen && m->from < FROZEN && m->own > m->from) {
        unsigned char bytes[64];
        for (uint64_t at = m->from, n; at < m->own && at < FROZEN; at += n) {
            n = m->own < FROZEN ? m->own - at : FROZEN - at;
            n = n < sizeof(bytes) ? n : sizeof(bytes);
            for (uint64_t i = 0; i < n; i++)
                bytes[i] = stamp(1, at + i);
            uat_global_put(frozen + at, bytes, n);
        }
    }
    uat_atomic_add(&words[mix(seed) % WORDS * 512], seed);
    uat_atomic_add(large_word(seed), 1);
    if (m->from == 0 && m->to == BLOCKED + CYCLIC)
        clear_passing();
}

/* Each task reads a part of the frozen array. */
static uint64_t check_frozen(uint64_t seed)
{
    uint64_t at = mix(seed + 9) % (FROZEN - 200), errors = 0;
    const unsigned char *q = uat_global_checkout(frozen + at, 200, UAT_READ);
    for (uint64_t i = 0; i < 200; i++)
        errors += q[i] != 0 && q[i] != stamp(1, at + i);
    uat_global_checkin(frozen + at, 200, UAT_READ);
    return errors;
}

uint64_t memory_end(const struct memory *m, uint64_t seed)
{
    uint64_t errors = renew(m->from, m->own, seed, true) + end_temporary(m, seed);
    errors += *m->replica != mix(REPLICA);
    return errors + (is_frozen ? check_frozen(seed) : 0);
}

uint64_t memory_free(void *object, uint64_t seed)
{
    size_t size = object_size(seed);
    uint64_t errors = 0;
    const unsigned char *o = uat_global_checkout(object, size, UAT_READ);
    for (size_t i = 0; i < size; i++)
        errors += o[i] != stamp(seed, i);
    uat_global_checkin(object, size, UAT_READ);
    uat_global_object_free(object);
    return errors;
}

uint64_t memory_hash(void)
{
    uint64_t hash = 1, n, rest;
    for (uint64_t at = 0; at < BLOCKED + CYCLIC; at += n) {
        unsigned char *p = place_of(at, &rest);
        n = rest < PIECE ? rest : PIECE;
        const unsigned char *q = uat_global_checkout(p, n, UAT_READ);
        for (uint64_t i = 0; i < n; i++)
            hash = hash * 31 + q[i];
        uat_global_checkin(p, n, UAT_READ);
    }
    for (int i = 0; i < WORDS; i++)
        hash = hash * 31 + uat_atomic_load(&words[i * 512]);
    for (uint64_t seed = 0; seed < 40; seed++)
        hash = hash * 31 + uat_atomic_load(large_word(seed));
    for (uint64_t at = 0; at < passing_size; at++) {
        unsigned char byte;
        uat_global_get(&byte, passing + at, 1);
        hash = hash * 31 + byte;
    }
    for (uint64_t at = 0; at < FROZEN; at++) {
        unsigned char byte;
        uat_global_get(&byte, frozen + at, 1);
        hash = hash * 31 + byte;
    }
    return hash;
}
