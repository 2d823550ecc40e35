/* SPDX-License-Identifier: MIT */
/* The list of open checkouts, for checks. The list is short. See uat_opens in global.h for what it has. */
#include "runtime/global/array.h"

#include <string.h>

#include "base/kernel.h"
#include "runtime/global/record.h"
#include "runtime/job/fatal.h"

struct uat_open uat_opens[1 + UAT_OPEN_MAX] = {{.what = UINT64_MAX}};
UAT_KERNEL(uat_opens);

static const struct uat_shown_run nothing; /* shown before global memory is open, and in a job on one host */
#define CLOSED                                                                                                         \
    {                                                                                                                  \
        .shown = &nothing, .epoch = UINT64_C(1) << UAT_FAR_EPOCH_SHIFT, .last = uat_opens,                             \
        .full = uat_opens + UAT_OPEN_MAX                                                                               \
    }
struct uat_far uat_far = CLOSED;

uint64_t uat_transfers_open;
UAT_KERNEL(uat_transfers_open);

void uat_open_reset(void)
{
    uat_far = (struct uat_far)CLOSED;
    memset(uat_opens + 1, 0, sizeof(uat_opens) - sizeof(uat_opens[0]));
    uat_transfers_open = 0;
}

static const char *name_of(enum uat_access access)
{
    return access == UAT_READ ? "UAT_READ" : access == UAT_WRITE ? "UAT_WRITE" : "UAT_READ_WRITE";
}

static enum uat_access access_of(const struct uat_open *o)
{
    return (enum uat_access)(uat_open_kind(o) & UAT_OPEN_ACCESS);
}

static void refuse_overlap(uintptr_t at, size_t bytes, uint64_t kind)
{
    for (const struct uat_open *o = uat_opens + 1; o <= uat_far.last; o++) {
        if (o->at < at + bytes && at < o->at + uat_open_bytes(o) && ((uat_open_kind(o) | kind) & UAT_WRITE))
            uat_fatal(
                "uat_global_checkout(): %zu bytes at %p overlap the %zu at %p, checked out with %s; a range checked "
                "out for writing must not overlap another checkout",
                bytes, (void *)at, uat_open_bytes(o), (void *)o->at, name_of(access_of(o)));
    }
}

struct uat_open *uat_open_push(uintptr_t at, size_t bytes, uint64_t kind)
{
    if (uat_far.last != uat_opens)
        refuse_overlap(at, bytes, kind);
    if (uat_far.last == uat_far.full)
        uat_fatal("uat_global_checkout(): %d ranges are checked out already; check some in first", UAT_OPEN_MAX);
    *++uat_far.last = (struct uat_open){.at = at, .what = uat_open_what(bytes, kind)};
    return uat_far.last;
}

static bool is_in_ring(const struct uat_open *o)
{
    return !(uat_open_kind(o) & (UAT_OPEN_OVERFLOW | UAT_OPEN_NEAR));
}

uintptr_t uat_open_written(uintptr_t at, uintptr_t *stop)
{
    uintptr_t from = *stop;
    for (const struct uat_open *o = uat_opens + 1; o <= uat_far.last; o++) {
        uintptr_t end = o->at + uat_open_bytes(o);
        if (!is_in_ring(o) || !(uat_open_kind(o) & UAT_WRITE) || end <= at || o->at >= *stop)
            continue;
        *stop = o->at < at ? at : o->at;
        from = end;
    }
    return from;
}

bool uat_open_has_block(uint64_t block)
{
    for (const struct uat_open *o = uat_opens + 1; o <= uat_far.last; o++) {
        if (is_in_ring(o) && o->at >> UAT_BLOCK_SHIFT <= block &&
            block <= (o->at + uat_open_bytes(o) - 1) >> UAT_BLOCK_SHIFT)
            return true;
    }
    return false;
}

static __attribute__((cold)) void refuse(uintptr_t at, size_t bytes, enum uat_access access)
{
    for (const struct uat_open *o = uat_far.last; o > uat_opens; o--) {
        if (o->at != at)
            continue;
        if (uat_open_bytes(o) != bytes)
            uat_fatal("uat_global_checkin(): %zu bytes at %p, but %zu were checked out there", bytes, (void *)at,
                      uat_open_bytes(o));
        uat_fatal("uat_global_checkin(): the %zu bytes at %p are checked in with %s, but were checked out with %s",
                  bytes, (void *)at, name_of(access), name_of(access_of(o)));
    }
    uat_array_check("uat_global_checkin()", at, bytes);
    uat_fatal("uat_global_checkin(): %zu bytes at %p are not checked out", bytes, (void *)at);
}

void uat_open_pop(uintptr_t at, size_t bytes, enum uat_access access, struct uat_open *out)
{
    for (struct uat_open *o = uat_far.last; o > uat_opens; o--) {
        if (o->at == at && uat_open_bytes(o) == bytes && access_of(o) == access) {
            *out = *o;
            *o = *uat_far.last--;
            return;
        }
    }
    refuse(at, bytes, access);
}
