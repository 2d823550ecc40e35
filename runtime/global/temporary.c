/* SPDX-License-Identifier: MIT */
/*
 * Temporary arrays, which tasks allocate and free within a run. Only uat_global_temporary_open() makes memory, mappings
 * and keys, for one cyclic array: the space. A temporary array is a range of the space's addresses, so all other code
 * treats it as a part of an array. The space is cut into units of one or more chunks.
 *
 * The ledger says which units are taken. It is an array of one chunk, on rank 0's host, with a bit and an entry for
 * each unit. An allocation holds its lock. Freeing needs no lock. tests/model/temporary.pml is the model:
 *
 *   E1  Under the lock, a task sets only bits that it found clear. The task releases the lock after the bits are set.
 *   E2  Units belong to the task that set their bits. Only this task, or a later task in the program's order, writes
 *       the units' entries or clears their bits.
 *   E3  All that this worker wrote to the units is at its home before their bits are cleared. Otherwise a late WRITE
 *       would overwrite the next array in the same place. What other workers wrote is at home already: an edge of the
 *       task graph, or an object of uat/sync.h, has ordered it before the call (coherence.c).
 *
 * Cached bytes of an earlier array do no harm. A task reads only bytes that the task itself, or a task before it, wrote
 * after the allocation. If the write was on another worker, an acquire lies between the write and the read. If it was
 * on the same worker, the write has changed the worker's cache.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/relax.h"
#include "base/word.h"
#include "include/uat/object.h"
#include "runtime/global/array.h"
#include "runtime/job/fatal.h"

static struct {
    struct uat_array *space, *ledger; /* the temporary arrays' memory, and the ledger of its units; or NULL */
    size_t unit;                      /* bytes of a unit */
    uint64_t units;
} temporary;

enum {
    UNITS = UAT_TEMPORARY_UNITS,
    BITS = 64,             /* units per word of bits */
    LOCK_OFFSET = 0,       /* offset of the ledger's lock, which is 0, or 1 + the rank that holds it */
    BITS_OFFSET = 256,     /* offset of the bits: atomic words, in another line than the lock */
    ENTRIES_OFFSET = 4096, /* offset of the entries: plain data */
    FIRST_SHIFT = 48,      /* entry = first unit of the array << FIRST_SHIFT | bytes of the array; 0: free */
    BATCH = 64             /* entries that are written at a time */
};
_Static_assert(BITS_OFFSET + UNITS / 8 <= ENTRIES_OFFSET && ENTRIES_OFFSET + UNITS * 8 <= UAT_BLOCK,
               "the ledger is one block");

#define ENTRY_BYTES (((UINT64_C(1)) << FIRST_SHIFT) - 1)

static uintptr_t ledger(size_t offset)
{
    return temporary.ledger->start + offset;
}

static uat_atomic_t *lock_word(void)
{
    return (uat_atomic_t *)ledger(LOCK_OFFSET);
}

static uint64_t own_mark(void)
{
    return (uint64_t)uat_self.rank + 1;
}

/* Only allocations take the lock. Its holder never leaves its worker, and waits only for its own operations. */
static void lock(void)
{
    struct uat_relax relax = {0};
    uint64_t seen;
    while ((seen = uat_atomic_cmp_swap(lock_word(), 0, own_mark())) != 0) {
        if (seen > (uint64_t)uat_self.size)
            uat_word_refuse(0, "the lock of the temporary arrays", seen);
        uat_relax_away(&relax); /* the word may lie on another host */
    }
}

/* An atomic that returns a value waits for this worker's earlier additions, so the bits are set before the lock is free
 * (E1). Pairs with the CMP_SWAP in lock(). */
static void unlock(void)
{
    uat_atomic_fetch_add(lock_word(), -own_mark());
}

/* Add `sign` times the bits of these units to their words. Sign 1 sets bits that are clear; sign -1 clears bits that
 * are set. */
static void change_bits(uint64_t first, uint64_t count, uint64_t sign)
{
    for (uint64_t at = first, end = first + count; at < end;) {
        uint64_t in_word = BITS - at % BITS, n = end - at < in_word ? end - at : in_word;
        uint64_t mask = (n == BITS ? UINT64_MAX : (UINT64_C(1) << n) - 1) << at % BITS;
        uat_atomic_add((uat_atomic_t *)ledger(BITS_OFFSET) + at / BITS, sign * mask);
        at += n;
    }
}

/* The first of `count` free units in a row, from unit `from` on; `units` if there are none. */
static uint64_t find_free(const uint64_t *taken, uint64_t from, uint64_t count)
{
    const uint64_t units = temporary.units;
    uint64_t free = 0;
    for (uint64_t at = from; at < units; at++) {
        free = taken[at / BITS] >> at % BITS & 1 ? 0 : free + 1;
        if (free == count)
            return at + 1 - count;
    }
    return units;
}

/* Take `count` units in a row, and return the first; `units` if there are none. The search starts at the unit whose
 * number is this worker's rank: if a unit is one chunk, this worker keeps that unit, so that a small array is near. */
static uint64_t take(uint64_t count)
{
    uint64_t taken[UNITS / BITS], units = temporary.units, first;
    lock();
    uat_get_unchecked(taken, ledger(BITS_OFFSET), (units + BITS - 1) / BITS * sizeof(*taken));
    first = find_free(taken, (own_mark() - 1) % units, count);
    if (first == units)
        first = find_free(taken, 0, count);
    if (first < units)
        change_bits(first, count, 1);
    unlock();
    return first;
}

static void write_entries(uint64_t first, uint64_t count, uint64_t entry)
{
    uint64_t entries[BATCH];
    for (uint64_t i = 0; i < BATCH && i < count; i++)
        entries[i] = entry;
    for (uint64_t done = 0, n; done < count; done += n) {
        n = count - done < BATCH ? count - done : BATCH;
        uat_put_unchecked(ledger(ENTRIES_OFFSET + (first + done) * sizeof(entry)), entries, n * sizeof(entry));
    }
}

/* The entry of the unit that has this address. The address must lie in the space. */
static uint64_t entry_of(uintptr_t at)
{
    uint64_t entry, unit = (at - temporary.space->start) / temporary.unit;
    uat_get_unchecked(&entry, ledger(ENTRIES_OFFSET + unit * sizeof(entry)), sizeof(entry));
    return entry;
}

static uintptr_t start_of(uint64_t entry)
{
    return temporary.space->start + (entry >> FIRST_SHIFT) * temporary.unit;
}

static uint64_t units_for(size_t bytes)
{
    size_t unit = temporary.unit;
    return bytes / unit + (bytes % unit > 0);
}

void *uat_global_temporary_try(size_t bytes)
{
    uint64_t units = temporary.units, count = temporary.space ? units_for(bytes ? bytes : 1) : 0, first = units;
    if (count > 0 && count <= units)
        first = take(count);
    if (first == units)
        return NULL;
    uint64_t entry = first << FIRST_SHIFT | (bytes ? bytes : 1);
    write_entries(first, count, entry); /* E2 */
    return (void *)start_of(entry);
}

size_t uat_global_temporary_chunk(void)
{
    return temporary.space ? temporary.space->chunk : 0;
}

void *uat_global_temporary_alloc(size_t bytes)
{
    static bool said;
    if (!temporary.space)
        uat_fatal("uat_global_temporary_alloc(): no memory was set aside; call uat_global_temporary_open() after "
                  "uat_init(), on all workers");
    void *array = uat_global_temporary_try(bytes);
    if (!array) {
        if (!said)
            uat_error(
                "uat_global_temporary_alloc(): no room for %zu bytes, because uat_global_temporary_open() has set "
                "aside %zu; pass it more, or free arrays earlier",
                bytes, temporary.space->bytes);
        said = true;
        errno = ENOMEM;
    }
    return array;
}

void uat_global_temporary_free(void *array)
{
    uintptr_t at = (uintptr_t)array;
    const struct uat_array *space = temporary.space;
    if (!array)
        return;
    bool within = space && at - space->start < space->size;
    uint64_t entry = within ? entry_of(at) : 0;
    if (!entry || start_of(entry) != at)
        uat_fatal("uat_global_temporary_free(): no array of uat_global_temporary_alloc() begins at %p, or it was freed "
                  "already",
                  array);
    uint64_t first = entry >> FIRST_SHIFT, count = units_for(entry & ENTRY_BYTES);
    if (first + count > temporary.units)
        uat_word_refuse(0, "the entry of a temporary array", entry);
    write_entries(first, count, 0);
    uat_global_release(); /* E3 */
    change_bits(first, count, UINT64_MAX);
}

bool uat_temporary_in_use(void)
{
    uint64_t taken[UNITS / BITS], units = temporary.units;
    uat_get_unchecked(taken, ledger(BITS_OFFSET), (units + BITS - 1) / BITS * sizeof(*taken));
    for (uint64_t i = 0; i < (units + BITS - 1) / BITS; i++)
        if (taken[i])
            return true;
    return false;
}

size_t uat_temporary_chunks(size_t chunks)
{
    return (chunks + UNITS - 1) / UNITS;
}

/* `check` of the space. */
static void check(const char *call, uintptr_t at, size_t bytes)
{
    uint64_t entry = entry_of(at);
    if (!entry)
        uat_fatal("%s: %zu bytes at %p belong to no temporary array, or to one that was freed", call, bytes,
                  (void *)at);
    if (at - start_of(entry) + bytes > (entry & ENTRY_BYTES))
        uat_fatal("%s: %zu bytes at %p reach beyond the temporary array of %zu bytes at %p", call, bytes, (void *)at,
                  (size_t)(entry & ENTRY_BYTES), (void *)start_of(entry));
}

void uat_temporary_set(struct uat_array *own_space, struct uat_array *own_ledger)
{
    memset(&temporary, 0, sizeof(temporary));
    temporary.space = own_space;
    temporary.ledger = own_ledger;
    if (!own_space)
        return;
    own_space->check = check;
    temporary.unit = uat_temporary_chunks(own_space->size / own_space->chunk) * own_space->chunk;
    temporary.units = own_space->size / temporary.unit;
}

void uat_temporary_get(struct uat_array **space, struct uat_array **ledger_of_space)
{
    *space = temporary.space;
    *ledger_of_space = temporary.ledger;
}

bool uat_temporary_is(const struct uat_array *a)
{
    return a == temporary.space || a == temporary.ledger;
}
