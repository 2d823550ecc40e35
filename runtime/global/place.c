/* SPDX-License-Identifier: MIT */
/*
 * Each array has its own granules of 1 GiB. The array's offset in its first granule, up to 254 MiB, is its shift.
 *
 * The shift is needed because a program often walks over several arrays in step, at equal distances from the arrays'
 * starts. Many processors choose the way of a first-level cache by a hash of the address, and lines with equal hashes
 * evict each other. AMD's Zen pairs the bits 12 to 27: 12 with 27, 13 with 26, 14 with 25, 15 with 20, 16 with 21, and
 * so on to 19 with 24. Arrays that start at multiples of 1 GiB are equal in all of these bits.
 *
 * So the shift changes bits 21 to 27, and lower bits stay 0, because blocks and huge pages need arrays that are aligned
 * to 2 MiB. The shifts of 16 arrays are the code words of the 7-bit Hamming code: any two differ in at least three
 * bits. If two shifts differed in fewer bits, elements whose offsets differ by a power of two would collide. An example
 * is rows of 64 KiB in arrays whose shifts differ by 2 MiB. uat-collide measures such collisions. The cache of far
 * memory starts 1 MiB after a multiple of 2 MiB (arena.c). So a copy between an array and the cache does not collide.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "runtime/global/array.h"

struct uat_registry uat_registry;
static uint32_t shifted[UAT_SHIFTS]; /* number of arrays that have each shift */
struct uat_array uat_nowhere = {.chunk = UAT_BLOCK, .by_chunk = {UINT64_C(1) << 63}};

enum {
    SHIFT_BITS = 21, /* the lowest bit that a shift changes */
    CODE_WORDS = 16,
    GENERATOR = 11 /* generator of the code: x^3 + x + 1 */
};

/* Returns the shift of this number, in bytes. All shifts differ. The first CODE_WORDS shifts are the code words, times
 * 1 << SHIFT_BITS. */
uint64_t uat_place_shift(unsigned number)
{
    unsigned word = number / CODE_WORDS; /* 0 for a code word; other shifts XOR a code word with this, 1 to 7 */
    for (unsigned bit = 1; bit < CODE_WORDS; bit <<= 1)
        if (number & bit)
            word ^= GENERATOR * bit;
    return (uint64_t)word << SHIFT_BITS;
}

/* The shift that the fewest arrays have. All workers choose the same one, because all have the same arrays. The parts
 * for objects are made before all arrays. They take the last shift, and so leave the code words to the program's
 * arrays. */
static unsigned choose_shift(void)
{
    unsigned best = 0;
    if (!uat_registry.parts)
        return UAT_SHIFTS - 1;
    for (unsigned i = 1; i < UAT_SHIFTS; i++)
        if (shifted[i] < shifted[best])
            best = i;
    return best;
}

/* Bytes of addresses that an array needs: its last huge page is reserved as a whole. */
static size_t room(const struct uat_array *a)
{
    return (a->size + UAT_HUGE_PAGE - 1) / UAT_HUGE_PAGE * UAT_HUGE_PAGE;
}

size_t uat_place_granules(unsigned shift, size_t size)
{
    return (uat_place_shift(shift) + size + (UINT64_C(1) << UAT_GRANULE_SHIFT) - 1) >> UAT_GRANULE_SHIFT;
}

/* Are the granules free? */
static bool are_free(size_t first, size_t granules)
{
    for (size_t k = 0; k < granules; k++)
        if (first + k >= UAT_GRANULES || uat_registry.granule[first + k] != &uat_nowhere)
            return false;
    return true;
}

/* Find the last sequence of free granules that is long enough, and return its first granule. The parts begin at granule
 * 0, and so have room to grow in a restarted job with more workers. All workers choose the same sequence, because all
 * make the same calls. Returns UAT_GRANULES if there is none. */
static size_t choose_granules(size_t granules)
{
    size_t free = 0, i = UAT_GRANULES;
    if (!uat_registry.parts)
        return are_free(0, granules) ? 0 : UAT_GRANULES;
    while (i > 0 && free < granules)
        free = uat_registry.granule[--i] == &uat_nowhere ? free + 1 : 0;
    return free < granules ? UAT_GRANULES : i;
}

int uat_place_reserve(struct uat_array *a, const struct uat_table_entry *saved)
{
    unsigned number = saved ? saved->shift : choose_shift();
    a->granules = uat_place_granules(number, a->size);
    size_t first = saved ? (saved->start - UAT_GLOBAL_BASE) >> UAT_GRANULE_SHIFT : choose_granules(a->granules);
    if (!are_free(first, a->granules)) {
        if (uat_self.rank == 0) /* the call fails on all workers, and one of them reports it */
            uat_error("no addresses for %zu GiB of global memory%s", a->granules,
                      saved ? " where the checkpoint has them" : "");
        return -ENOMEM;
    }
    uintptr_t start = UAT_GLOBAL_BASE + ((uint64_t)first << UAT_GRANULE_SHIFT) + uat_place_shift(number);
    void *p = mmap((void *)start, room(a), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                   -1, 0);
    if (p != (void *)start) {
        int error = p == MAP_FAILED ? errno : EEXIST;
        if (p != MAP_FAILED)
            munmap(p, room(a));
        uat_error("the addresses of %zu MiB of global memory at %p cannot be reserved: %s", a->size >> 20,
                  (void *)start, strerror(error));
        return -error;
    }
    a->start = start;
    a->shift = number;
    shifted[number]++;
    for (size_t k = 0; k < a->granules; k++)
        uat_registry.granule[first + k] = a;
    return 0;
}

struct uat_array *uat_array_next(const struct uat_array *a)
{
    size_t i = a ? ((a->start - UAT_GLOBAL_BASE) >> UAT_GRANULE_SHIFT) + a->granules : 0;
    if (!uat_global_is_open())
        return NULL;
    while (i < UAT_GRANULES && uat_registry.granule[i] == &uat_nowhere)
        i++;
    return i < UAT_GRANULES ? uat_registry.granule[i] : NULL;
}

void uat_place_release(const struct uat_array *a)
{
    size_t first = (a->start - UAT_GLOBAL_BASE) >> UAT_GRANULE_SHIFT;
    munmap((void *)a->start, room(a));
    shifted[a->shift]--;
    for (size_t k = 0; k < a->granules; k++)
        uat_registry.granule[first + k] = &uat_nowhere;
}

void uat_registry_prepare(bool strict)
{
    uat_registry.strict = strict;
}

void uat_registry_open(void)
{
    for (size_t i = 0; i < UAT_GRANULES; i++)
        uat_registry.granule[i] = &uat_nowhere;
}

void uat_registry_show(struct uat_array *parts)
{
    uat_registry.parts = parts;
}

void uat_registry_close(void)
{
    uat_registry.parts = NULL;
    if (uat_registry.granule[0]) /* else no page of the table was ever touched */
        memset(uat_registry.granule, 0, sizeof(uat_registry.granule));
}
