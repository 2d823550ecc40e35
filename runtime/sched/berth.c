/* SPDX-License-Identifier: MIT */
#include "runtime/sched/berth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/virtual.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/self.h"
#include "runtime/sched/keeper.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"

enum {
    MARK = sizeof(struct uat_record), /* a berth's mark is a join record of which only `returned` is used */
    LEFT_MIN = 1024                   /* bytes that must be left in a berth at each spawn and join */
};

#define CANARY UINT64_C(0x6265727468656e64)

static struct uat_area marks = {.name = "berths", .align = 64, .peers = UAT_PEERS_CHANGE};

static struct {
    struct uat_record_pool pool; /* this worker's berths; record i stands for berth first + i */
    size_t first, count;
    uint64_t *touched; /* one bit for each page of the region that this worker has touched */
    uint64_t pages;    /* number of bits that are set */
} berths;

static bool is_iso(void)
{
    return uat_segment_settings.stacks == UAT_STACKS_ISO;
}

void uat_berth_reserve(void)
{
    size_t count = uat_segment_settings.stack_size / uat_segment_settings.berth;
    marks.size = (count ? count : 1) * MARK; /* uat_berth_open() refuses a count of 0 */
    if (is_iso())
        uat_segment_reserve(&marks);
}

int uat_berth_open(void)
{
    if (!is_iso())
        return 0;
    size_t size = (size_t)uat_self.size, all = uat_segment_region_size() / uat_segment_settings.berth;
    berths.count = all / size;
    berths.first = berths.count * (size_t)uat_self.rank;
    if (berths.count == 0) {
        uat_error("UAT_STACKS=iso: UAT_STACK_SIZE=%zuk has no stack of %zuk for each of %zu workers; set it to %zuk or "
                  "more",
                  uat_segment_region_size() >> 10, (size_t)uat_segment_settings.berth >> 10, size,
                  size * uat_segment_settings.berth >> 10);
        return -EINVAL;
    }
    berths.touched = calloc(uat_segment_region_size() / UAT_BERTH_PAGE / 64 + 1, sizeof(*berths.touched));
    if (!berths.touched ||
        uat_record_pool_open(&berths.pool, (char *)marks.at + berths.first * MARK, MARK, berths.count)) {
        uat_berth_close();
        uat_error("no memory for the lists of %zu stacks", berths.count);
        return -ENOMEM;
    }
    uat_worker.deque.berth = uat_segment_settings.berth - 1;
    return 0;
}

void uat_berth_close(void)
{
    uat_worker.deque.berth = 0;
    free(berths.touched);
    uat_record_pool_close(&berths.pool);
    memset(&berths, 0, sizeof(berths));
}

static uint64_t *canary_at(uintptr_t base)
{
    return (uint64_t *)base;
}

/* Mark [sp, base) as touched by this worker, and set the canary above it. Returns the number of pages that it has
 * touched for the first time. */
static uint64_t touch(uintptr_t sp, uintptr_t base)
{
    uint64_t fresh = 0;
    for (uintptr_t at = sp / UAT_BERTH_PAGE; at <= base / UAT_BERTH_PAGE; at++) {
        uint64_t i = at - uat_segment.low / UAT_BERTH_PAGE, bit = UINT64_C(1) << i % 64;
        fresh += !(berths.touched[i / 64] & bit);
        berths.touched[i / 64] |= bit;
    }
    berths.pages += fresh;
    *canary_at(base) = CANARY ^ base;
    return fresh;
}

static void pay(uint64_t pages, bool steal)
{
    if (UAT_IS_VIRTUAL())
        uat_virtual->fault(pages, steal);
}

uintptr_t uat_berth_take(void)
{
    struct uat_record *mark = uat_record_get(&berths.pool);
    if (!mark)
        uat_fatal(
            "UAT_STACKS=iso: the %zu stacks of rank %d, its share of UAT_STACK_SIZE=%zuk, are all in use; set it to "
            "%zuk or more",
            berths.count, uat_self.rank, uat_segment_region_size() >> 10, uat_segment_region_size() >> 9);
    size_t i = berths.first + (size_t)((char *)mark - berths.pool.memory) / MARK;
    uintptr_t base = uat_berth_base(uat_segment.low + i * uat_segment_settings.berth, uat_segment_settings.berth - 1);
    uint64_t fresh = touch(base, base);
    if (fresh)
        pay(fresh, false);
    return base;
}

void uat_berth_free(uintptr_t base)
{
    if (!uat_worker.deque.berth)
        return;
    size_t i = (base - uat_segment.low) / uat_segment_settings.berth;
    struct uat_record *mark = (struct uat_record *)((char *)marks.at + i * MARK);
    int owner = (int)(i / berths.count);
    if (owner == uat_self.rank)
        uat_record_put(&berths.pool, mark);
    else
        uat_keeper_give_back(owner, &mark->returned);
}

uintptr_t uat_berth_enter(uintptr_t sp, uintptr_t low)
{
    if (sp - low > uat_segment_settings.berth / 2)
        uat_fatal(
            "an argument and a result of %zu bytes take more than half a stack of UAT_STACKS=iso,size=%zuk; set the "
            "size to more",
            (size_t)(sp - low), (size_t)uat_segment_settings.berth >> 10);
    uintptr_t base = uat_berth_take();
    memcpy((void *)(base - (sp - low)), (const void *)low, sp - low);
    uat_frame_at(sp)->record = base; /* I3 */
    return base;
}

uintptr_t uat_berth_leave(uintptr_t base, uintptr_t sp)
{
    if (!uat_worker.deque.berth)
        return sp;
    size_t bytes = UAT_FRAME_SIZE + uat_round8(uat_frame_at(base)->result_size);
    memcpy((void *)(sp - bytes), (const void *)(base - bytes), bytes);
    uat_berth_free(base); /* this worker takes the berth again only at its next spawn */
    return sp;
}

void uat_berth_arrived(uintptr_t sp, uintptr_t base, bool steal)
{
    if (!uat_worker.deque.berth)
        return;
    uint64_t fresh = touch(sp, base);
    uat_task_counts.first_touches += fresh;
    pay(fresh, steal);
}

/* The base of the task that this deque entry belongs to: the entry is its base, or its spawner's stack pointer (I3). */
static uintptr_t base_of_entry(uintptr_t entry)
{
    uintptr_t sp = entry & ~(uintptr_t)UAT_TAG_MASK;
    return sp == uat_berth_base(sp, uat_worker.deque.berth) ? sp : uat_frame_at(sp)->record;
}

void uat_berth_check(uintptr_t sp, uintptr_t entry)
{
    if (!uat_worker.deque.berth)
        return;
    uintptr_t base = uat_berth_base(sp, uat_segment_settings.berth - 1),
              low = base + UAT_BERTH_ROOM - uat_segment_settings.berth;
    uintptr_t below = low - UAT_BERTH_ROOM; /* where the canary of the berth below is */
    uint64_t i = below / UAT_BERTH_PAGE - uat_segment.low / UAT_BERTH_PAGE;
    bool has_canary = low > uat_segment.low && (berths.touched[i / 64] >> i % 64 & 1);
    /* 0: between two runs the deepest part of the region is used for other things, and zeroed (uat_tree_copy()) */
    bool broken = has_canary && *canary_at(below) != 0 && *canary_at(below) != (CANARY ^ below);
    if (base != base_of_entry(entry) || broken || sp - low < LEFT_MIN || *canary_at(base) != (CANARY ^ base)) {
        uat_fault_report_overflow(sp);
        uat_fatal_reported();
    }
}

void uat_berth_check_room(uintptr_t sp, size_t bytes, const char *what)
{
    uintptr_t low = sp & ~(uat_segment_settings.berth - 1);
    if (bytes > sp - low)
        uat_fatal("%s of %zu bytes does not fit on a stack of UAT_STACKS=iso,size=%zuk; set the size to more", what,
                  bytes, (size_t)uat_segment_settings.berth >> 10);
}

uint64_t uat_berth_pages(void)
{
    return berths.pages;
}
