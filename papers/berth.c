/* SPDX-License-Identifier: MIT */
#include "papers/berth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/virtual.h"
#include "runtime/job/fatal.h"
#include "runtime/job/fault.h"
#include "runtime/job/self.h"
#include "papers/placing.h"
#include "runtime/global/global.h"
#include "runtime/sched/join.h"
#include "runtime/task/keeper.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"
#include "runtime/trace/trace.h"

enum {
    MARK = sizeof(struct uat_record), /* a berth's mark is a join record of which only `returned` is used */
    PAGE = 4096,                      /* bytes: the unit in which touched memory is counted */
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

static int check(void)
{
    uint64_t size = uat_segment_settings.berth;
    if ((size & (size - 1)) == 0)
        return 0;
    uat_error("UAT_STACKS=iso,size=%zuk: the size must be a power of two", (size_t)size >> 10);
    return -EINVAL;
}

static void reserve(void)
{
    size_t count = uat_segment_settings.stack_size / uat_segment_settings.berth;
    marks.size = (count ? count : 1) * MARK; /* open_berths() refuses a count of 0 */
    uat_segment_reserve(&marks);
}

static void close_berths(void)
{
    uat_worker.deque.placing = NULL;
    free(berths.touched);
    uat_record_pool_close(&berths.pool);
    memset(&berths, 0, sizeof(berths));
}

static int open_berths(void)
{
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
    berths.touched = calloc(uat_segment_region_size() / PAGE / 64 + 1, sizeof(*berths.touched));
    if (!berths.touched ||
        uat_record_pool_open(&berths.pool, (char *)marks.at + berths.first * MARK, MARK, berths.count)) {
        uat_error("no memory for the lists of %zu stacks", berths.count);
        close_berths();
        return -ENOMEM;
    }
    uat_berth_mask = uat_segment_settings.berth - 1;
    uat_worker.deque.placing = &uat_berth_placing;
    return 0;
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
    for (uintptr_t at = sp / PAGE; at <= base / PAGE; at++) {
        uint64_t i = at - uat_segment.low / PAGE, bit = UINT64_C(1) << i % 64;
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

static uintptr_t take(void)
{
    struct uat_record *mark = uat_record_get(&berths.pool);
    if (!mark)
        uat_fatal(
            "UAT_STACKS=iso: the %zu stacks of rank %d, its share of UAT_STACK_SIZE=%zuk, are all in use; set it to "
            "%zuk or more",
            berths.count, uat_self.rank, uat_segment_region_size() >> 10, uat_segment_region_size() >> 9);
    size_t i = berths.first + (size_t)((char *)mark - berths.pool.memory) / MARK;
    uintptr_t base = uat_berth_base(uat_segment.low + i * uat_segment_settings.berth);
    uint64_t fresh = touch(base, base);
    if (fresh)
        pay(fresh, false);
    return base;
}

static void free_berth(uintptr_t base)
{
    size_t i = (base - uat_segment.low) / uat_segment_settings.berth;
    struct uat_record *mark = (struct uat_record *)((char *)marks.at + i * MARK);
    int owner = (int)(i / berths.count);
    if (owner == uat_self.rank)
        uat_record_put(&berths.pool, mark);
    else
        uat_keeper_give_back(owner, &mark->returned);
}

static uintptr_t enter(uintptr_t sp, uintptr_t low)
{
    if (sp - low > uat_segment_settings.berth / 2)
        uat_fatal(
            "an argument and a result of %zu bytes take more than half a stack of UAT_STACKS=iso,size=%zuk; set the "
            "size to more",
            (size_t)(sp - low), (size_t)uat_segment_settings.berth >> 10);
    uintptr_t base = take();
    memcpy((void *)(base - (sp - low)), (const void *)low, sp - low);
    uat_frame_at(sp)->record = base; /* I3 */
    return base;
}

static uintptr_t leave(uintptr_t base, uintptr_t sp)
{
    size_t bytes = UAT_FRAME_SIZE + uat_round8(uat_frame_at(base)->result_size);
    memcpy((void *)(sp - bytes), (const void *)(base - bytes), bytes);
    free_berth(base); /* this worker takes the berth again only at its next spawn */
    return sp;
}

static void arrived(uintptr_t sp, uintptr_t base, bool steal)
{
    uint64_t fresh = touch(sp, base);
    uat_task_counts.first_touches += fresh;
    pay(fresh, steal);
}

/* The base of the task that this deque entry belongs to: the entry is its base, or its spawner's stack pointer (I3). */
static uintptr_t base_of_entry(uintptr_t entry)
{
    uintptr_t sp = entry & ~(uintptr_t)UAT_TAG_MASK;
    return sp == uat_berth_base(sp) ? sp : uat_frame_at(sp)->record;
}

static void check_stack(uintptr_t sp, uintptr_t entry)
{
    uintptr_t base = uat_berth_base(sp), low = base + UAT_BERTH_ROOM - uat_segment_settings.berth;
    uintptr_t below = low - UAT_BERTH_ROOM; /* where the canary of the berth below is */
    uint64_t i = below / PAGE - uat_segment.low / PAGE;
    bool has_canary = low > uat_segment.low && (berths.touched[i / 64] >> i % 64 & 1);
    /* 0: between two runs the deepest part of the region is used for other things, and zeroed (uat_tree_copy()) */
    bool broken = has_canary && *canary_at(below) != 0 && *canary_at(below) != (CANARY ^ below);
    if (base != base_of_entry(entry) || broken || sp - low < LEFT_MIN || *canary_at(base) != (CANARY ^ base)) {
        uat_fault_report_overflow(sp);
        uat_fatal_reported();
    }
}

static void check_room(uintptr_t sp, size_t bytes, const char *what)
{
    uintptr_t low = sp & ~(uat_segment_settings.berth - 1);
    if (bytes > sp - low)
        uat_fatal("%s of %zu bytes does not fit on a stack of UAT_STACKS=iso,size=%zuk; set the size to more", what,
                  bytes, (size_t)uat_segment_settings.berth >> 10);
}

static uint64_t pages(void)
{
    return berths.pages;
}

static struct uat_frame *child(uintptr_t sp)
{
    return uat_frame_at(uat_frame_at(sp)->record);
}

/* Bring the joiner's stack from the berth where it waits to the same berth here (I2). */
static uintptr_t resume(const struct uat_waiter *waiter, uint64_t record, uat_task_t *task)
{
    size_t bytes = waiter->base - waiter->sp;
    int rank = (int)waiter->rank;
    uat_join_check_waiter(waiter, uat_record_rank(record));
    uint64_t begin = uat_trace_begin();
    if (uat_deque_size(&uat_worker.deque) == 0) /* otherwise the youngest entry is the joiner's spawner */
        uat_deque_push_gone(&uat_worker.deque, waiter->base);
    if (rank != uat_self.rank) {
        struct uat_op op = uat_op_read((void *)waiter->sp, (void *)waiter->sp, bytes);
        uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
        arrived(waiter->sp, waiter->base, false);
        uat_task_counts.resumed_bytes += bytes;
        uat_task_counts.resumes_away++;
    }
    uat_join_settle(task, record, waiter->base);
    uat_trace_end(UAT_TRACE_RESUME, begin, rank == uat_self.rank ? 0 : bytes, rank);
    if (rank != uat_self.rank || (record & UAT_RECORD_GROUP) != 0) /* children of a group end on several workers */
        uat_global_after_resume();
    return waiter->sp;
}

const struct uat_stack_mode uat_berths = {.check = check,
                                          .reserve = reserve,
                                          .open = open_berths,
                                          .close = close_berths,
                                          .take = take,
                                          .free = free_berth,
                                          .enter = enter,
                                          .leave = leave,
                                          .child = child,
                                          .arrived = arrived,
                                          .check_stack = check_stack,
                                          .check_room = check_room,
                                          .resume = resume,
                                          .pages = pages,
                                          .page = PAGE};
