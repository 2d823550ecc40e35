/* SPDX-License-Identifier: MIT */
/* The collective calls about arrays: alloc, free, freeze, thaw; the memory of temporary arrays. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "include/uat/object.h"
#include "runtime/global/array.h"
#include "runtime/global/cache.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/tree.h"
#include "runtime/job/fatal.h"

/* Do all workers pass the same arguments? Returns 0 if so, or -EINVAL. The lowest rank whose arguments differ from rank
 * 0's reports the difference. */
static int compare(const uint64_t mine[4])
{
    uint64_t his[4];
    uat_check(uat_tree_copy(his, mine, sizeof(his)));
    bool differs = memcmp(mine, his, sizeof(his)) != 0;
    int lowest = uat_global_agree(differs ? uat_self.rank - uat_self.size : 0); /* negative, and ordered by rank */
    if (lowest < 0 && lowest + uat_self.size == uat_self.rank)
        uat_error("%s: rank 0 and this rank pass different arguments; all workers must pass the same", uat_call_name());
    return lowest < 0 ? -EINVAL : 0;
}

#define BYTES_MAX (UINT64_C(1) << 46) /* bytes of the largest array */

/* The bytes of a chunk that has room for `share` bytes. */
static size_t chunk_for(size_t share)
{
    size_t unit = uat_pages_unit();
    return share ? (share + unit - 1) / unit * unit : unit;
}

/* Ranges may be checked out meanwhile: this call makes neither a RELEASE nor an ACQUIRE, and frees no memory. */
void *uat_global_alloc(size_t bytes, enum uat_distribution distribution, size_t block)
{
    struct uat_array *a = NULL;
    int rc = uat_call_check(UAT_CALL_GLOBAL_ALLOC);
    if (rc) {
        errno = -rc;
        return NULL;
    }
    uat_call_enter(UAT_CALL_GLOBAL_ALLOC);
    rc = uat_global_start();
    if (!rc)
        rc = compare((uint64_t[4]){'A', bytes, distribution, block});
    if (!rc && (bytes == 0 || bytes > BYTES_MAX || block > BYTES_MAX || (unsigned)distribution > UAT_CYCLIC)) {
        if (uat_self.rank == 0)
            uat_error(
                "uat_global_alloc(%zu bytes, distribution %d, block %zu): the size must be from 1 byte to 64 TiB, the "
                "distribution UAT_BLOCKED or UAT_CYCLIC",
                bytes, (int)distribution, block);
        rc = -EINVAL;
    }
    if (!rc) {
        size_t share =
            distribution == UAT_BLOCKED ? (bytes + (size_t)uat_self.size - 1) / (size_t)uat_self.size : block;
        const struct uat_table_entry asked = {.bytes = bytes, .block = block, .distribution = distribution};
        rc = uat_array_make(&asked, bytes, chunk_for(share), &a);
    }
    uat_call_leave();
    if (rc) {
        errno = -rc;
        return NULL;
    }
    return (void *)a->start;
}

/* Is this an array that the runtime has made for itself? */
static bool is_own(const struct uat_array *a)
{
    return a == uat_registry.parts || uat_temporary_is(a);
}

/* Enter a call about the array that starts at p, if there is such an array and all workers name the same array. */
static int enter(enum uat_collective call, const void *p, struct uat_array **out)
{
    int rc = uat_call_check(call);
    if (rc)
        return rc;
    uat_call_enter(call);
    uat_global_refuse_open("in a collective call");
    struct uat_array *a = uat_array_find((uintptr_t)p);
    if (a == &uat_nowhere || a->start != (uintptr_t)p || is_own(a)) {
        uat_error("%s: no array begins at %p", uat_call_name(), p);
        rc = -EINVAL;
    }
    rc = uat_global_agree(rc);
    if (!rc)
        rc = compare((uint64_t[4]){call, (uintptr_t)p});
    if (rc)
        uat_call_leave();
    *out = a;
    return rc;
}

/* Free an array: collective. */
static void drop(struct uat_array *a)
{
    uat_global_release();
    uat_cache_drop(a);
    uat_check(uat_collective_barrier()); /* after this barrier no worker accesses the array */
    uat_array_drop(a);
}

int uat_global_free(void *p)
{
    struct uat_array *a;
    if (!p)
        return 0;
    int rc = enter(UAT_CALL_GLOBAL_FREE, p, &a);
    if (rc)
        return rc;
    drop(a);
    uat_call_leave();
    return 0;
}

/* Free the memory of temporary arrays: collective. Returns 0, or -EBUSY, which has been reported, if any of the arrays
 * is in use. */
static int close_temporary(void)
{
    struct uat_array *space, *ledger;
    int rc = 0;
    uat_temporary_get(&space, &ledger);
    if (!space)
        return 0;
    uat_global_before_barrier(); /* completes this worker's changes to the ledger's bits */
    uat_check(uat_collective_barrier());
    uat_global_after_barrier();
    if (uat_self.rank == 0 && uat_temporary_in_use()) {
        uat_error("%s: temporary arrays are in use; free them before", uat_call_name());
        rc = -EBUSY;
    }
    rc = uat_global_agree(rc);
    if (rc)
        return rc;
    uat_temporary_set(NULL, NULL);
    drop(space);
    drop(ledger);
    return 0;
}

static int open_temporary(size_t bytes, size_t block)
{
    const struct uat_table_entry asked = {.bytes = bytes, .block = block, .distribution = UAT_CYCLIC},
                                 asked_too = {.bytes = UAT_BLOCK, .distribution = UAT_CYCLIC};
    struct uat_array *space = NULL, *ledger = NULL;
    size_t chunk = chunk_for(block), unit = uat_temporary_chunks((bytes + chunk - 1) / chunk) * chunk;
    int rc = uat_array_make(&asked, (bytes + unit - 1) / unit * unit, chunk, &space); /* whole units */
    if (!rc)
        rc = uat_array_make(&asked_too, UAT_BLOCK, chunk_for(0), &ledger);
    if (!rc)
        uat_temporary_set(space, ledger);
    else if (space)
        drop(space);
    return rc;
}

int uat_global_temporary_open(size_t bytes, size_t block)
{
    int rc = uat_call_check(UAT_CALL_GLOBAL_TEMPORARY_OPEN);
    if (rc)
        return rc;
    uat_call_enter(UAT_CALL_GLOBAL_TEMPORARY_OPEN);
    uat_global_refuse_open("in a collective call");
    rc = uat_global_start();
    if (!rc)
        rc = compare((uint64_t[4]){'T', bytes, block});
    if (!rc && (bytes > BYTES_MAX || block > BYTES_MAX)) {
        if (uat_self.rank == 0)
            uat_error("%s: %zu bytes in blocks of %zu are more than 64 TiB", uat_call_name(), bytes, block);
        rc = -EINVAL;
    }
    if (!rc)
        rc = close_temporary();
    if (!rc && bytes > 0)
        rc = open_temporary(bytes, block);
    uat_call_leave();
    return rc;
}

int uat_global_freeze(void *p)
{
    struct uat_array *a;
    int rc = enter(UAT_CALL_GLOBAL_FREEZE, p, &a);
    if (rc)
        return rc;
    uat_global_before_barrier();
    uat_check(uat_collective_barrier()); /* no worker may write to the array after this */
    uat_global_after_barrier();
    a->frozen = uat_cache.epoch | UINT64_C(1) << 63; /* differs from all other epochs, and from earlier freezes */
    uat_call_leave();
    return 0;
}

int uat_global_thaw(void *p)
{
    struct uat_array *a;
    int rc = enter(UAT_CALL_GLOBAL_THAW, p, &a);
    if (rc)
        return rc;
    a->frozen = 0;
    uat_check(uat_collective_barrier()); /* no worker may write to the array before this */
    uat_global_after_barrier();          /* no slot shows a run of the array: this call raises the epoch */
    uat_call_leave();
    return 0;
}
