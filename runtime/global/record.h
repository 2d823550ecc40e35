/* SPDX-License-Identifier: MIT */
/* Ranges that are checked out: a stack of records. */
#ifndef UAT_GLOBAL_RECORD_H
#define UAT_GLOBAL_RECORD_H

#include "runtime/global/state.h"

/*
 * The kind of an open checkout: its enum uat_access, plus flags that say where its bytes are. If no flag is set, the
 * bytes are in the ring. Every recorded checkout has a kind. Which checkouts are recorded: see uat_opens in global.h.
 */
enum {
    UAT_OPEN_ACCESS = 3, /* mask */
    UAT_OPEN_NEAR = 4,
    UAT_OPEN_OVERFLOW = 8
};
static inline unsigned uat_open_kind(const struct uat_open *o)
{
    return (unsigned)(o->what >> UAT_OPEN_KIND_SHIFT);
}
static inline size_t uat_open_bytes(const struct uat_open *o)
{
    return o->what & ((UINT64_C(1) << UAT_OPEN_KIND_SHIFT) - 1);
}

/* Forget all records, and let uat_far show no run of the cache. */
void uat_open_reset(void);
static inline size_t uat_open_count(void)
{
    return (size_t)(uat_far.last - uat_opens);
}
struct uat_open *uat_open_push(uintptr_t at, size_t bytes, uint64_t kind);
/* Is any byte of this block checked out in the ring? */
bool uat_open_has_block(uint64_t block);
/* Find the first range in [at, *stop) that is checked out for writing in the ring. Sets *stop to the range's start, or
 * to `at` if the range starts earlier, and returns the range's end. If there is no such range, *stop stays as it is,
 * and is returned. */
uintptr_t uat_open_written(uintptr_t at, uintptr_t *stop);
void uat_open_pop(uintptr_t at, size_t bytes, enum uat_access access, struct uat_open *out);

#endif
