/* SPDX-License-Identifier: MIT */
/*
 * Is there enough memory for what is to be allocated? Linux allocates pages when they are touched, and promises more
 * pages than it has. If the demand is too large, an access faults, or the kernel ends a process. So the lowest worker
 * of each machine checks before anything is allocated. That worker sums the bytes that were promised on its machine and
 * have no pages yet. It compares the sum with the memory that the machine can still give. The check reserves nothing:
 * another program may still take the memory.
 *
 * The parts for objects usually grow: they have addresses for far more memory than a machine has, and no promise. A
 * worker checks each step of its part's growth. A part has a fixed size where its memory is registered, and so locked;
 * in a job with checkpoints, because such a job may continue over verbs; and where addresses or huge pages are limited.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/memory.h"
#include "runtime/global/arena.h"
#include "runtime/global/hosts.h"
#include "runtime/global/array.h"
#include "runtime/global/settings.h"
#include "runtime/job/call.h"

/* With UAT_GLOBAL_SIZE=auto: bytes of a part that does not grow, and of a part that grows. Each process maps all parts
 * a second time, so all together have a bound, too. */
#define PART_FIXED (UINT64_C(64) << 20)
#define PART_GROWS (UINT64_C(64) << 30)
#define PARTS_MOST (UINT64_C(1) << 40)

static bool grows; /* the parts have addresses for far more memory than the machine promises */

bool uat_overcommit_grows(void)
{
    return grows;
}

/* Does this host belong to this worker's machine? Hosts may be simulated. */
static bool is_here(int host)
{
    return uat_hosts.given[uat_hosts.leader[host]] == uat_hosts.given[uat_self.rank];
}

static bool asks(void)
{
    for (int rank = 0; rank < uat_self.rank; rank++)
        if (uat_hosts.given[rank] == uat_hosts.given[uat_self.rank])
            return false;
    return true;
}

/* Bytes that were promised to arrays on this machine and were never touched. */
static uint64_t promised(void)
{
    uint64_t bytes = 0;
    for (const struct uat_array *a = uat_array_next(NULL); a; a = uat_array_next(a)) {
        if (a == uat_registry.parts && grows) /* heap.c asks before these grow */
            continue;
        for (int host = 0; host < uat_hosts.count; host++)
            if (is_here(host) && a->memobj[host].bytes)
                bytes += uat_memobj_untouched(&a->memobj[host]);
    }
    return bytes;
}

static int compare(uint64_t bytes, uint64_t earlier, const char *what, const char *advice)
{
    char limit[UAT_MEMORY_LIMIT_MAX];
    uint64_t available = uat_memory_available("", false, limit);
    if (bytes <= available && earlier <= available - bytes)
        return 0;
    uat_error("%s: %" PRIu64 " MiB of memory for %s on this machine, and %" PRIu64
              " MiB promised before and not yet used, but %s leaves %" PRIu64 " MiB; %s",
              uat_call_name(), bytes >> 20, what, earlier >> 20, limit, available >> 20, advice);
    return -ENOMEM;
}

int uat_overcommit_check_caches(void)
{
    uint64_t workers = 0;
    if (!asks())
        return 0;
    for (int host = 0; host < uat_hosts.count; host++)
        workers += is_here(host) ? (uint64_t)uat_hosts.size[host] : 0;
    return compare(workers * uat_arena.size, 0, "the workers' caches", "lower UAT_CACHE_SIZE");
}

int uat_overcommit_check_array(const struct uat_array *a)
{
    uint64_t bytes = 0;
    if (!asks() || (!uat_registry.parts && grows))
        return 0;
    for (int host = 0; host < uat_hosts.count; host++)
        bytes += is_here(host) ? uat_array_share(a, host) : 0;
    if (uat_pages_may_be_huge(a) && bytes <= uat_pages_reserved()) /* these pages count as used, not as available */
        return 0;
    if (!uat_registry.parts)
        return compare(bytes, 0, "the workers' objects", "lower UAT_GLOBAL_SIZE");
    return compare(bytes, promised(), "an array", "use more machines, or a smaller array");
}

/* Is there a limit on addresses or on the size of files? Memory objects count as files. */
static bool has_limit(void)
{
    struct rlimit addresses, files;
    return getrlimit(RLIMIT_AS, &addresses) || getrlimit(RLIMIT_FSIZE, &files) || addresses.rlim_cur != RLIM_INFINITY ||
           files.rlim_cur != RLIM_INFINITY;
}

void uat_overcommit_reset(void)
{
    grows = false;
}

size_t uat_overcommit_part(int parts)
{
    size_t unit = uat_pages_unit(), size = uat_global_settings.part_size;
    if (size == UAT_PART_AUTO) {
        bool may = !uat_links_bulk()->class_->room && !uat_table_is_kept() && !has_limit() &&
                   uat_global_settings.huge_pages != UAT_HUGE_PAGES_REQUIRE;
        uint64_t most = PARTS_MOST / (uint64_t)parts;
        grows = uat_global_agree(may && most > PART_FIXED ? 0 : -ENOMEM) == 0;
        size = !grows ? PART_FIXED : most < PART_GROWS ? most : PART_GROWS;
    }
    return (size + unit - 1) / unit * unit;
}

int uat_overcommit_check_objects(uint64_t bytes, bool says)
{
    char limit[UAT_MEMORY_LIMIT_MAX];
    uint64_t available = uat_memory_available("", false, limit);
    if (bytes <= available)
        return 0;
    if (says)
        uat_error("uat_global_object_alloc(): %" PRIu64 " MiB more memory for objects, but %s leaves %" PRIu64
                  " MiB; use more machines, or free objects before",
                  bytes >> 20, limit, available >> 20);
    return -ENOMEM;
}
