/* SPDX-License-Identifier: MIT */
/*
 * Lazy binary splitting (Tzannes et al., PPoPP'10) over continuation stealing. One half is spawned and runs here at
 * once. The continuation runs the other half; thieves can take it. Until a thief has stolen the continuation from the
 * deque, uat_work_wanted() is false, and the spawned half runs as a plain loop. If there is no steal, a loop of n
 * chunks splits log2(n) times.
 */
#include "pattern/loop.h"

#include <stdbool.h>
#include <string.h>

#include "base/virtual.h"
#include "include/uat/detail/reducer.h"
#include "pattern/chunk.h"
#include "pattern/failed.h"
#include "runtime/global/global.h"
#include "runtime/job/self.h"
#include "runtime/team/team.h"

enum { ALIGNMENT = 16 };

static size_t round_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t uat_loop_size(size_t value_size, size_t arg_size)
{
    return sizeof(struct uat_loop) + round_up(value_size) + round_up(arg_size);
}

void uat_loop_make(struct uat_loop *loop, const void *identity, size_t value_size, const void *arg, size_t arg_size)
{
    loop->value_size = value_size;
    loop->arg_offset = round_up(value_size);
    loop->bytes = uat_loop_size(value_size, arg_size);
    if (value_size > 0)
        memcpy(loop->tail, identity, value_size);
    if (arg_size > 0)
        memcpy(loop->tail + loop->arg_offset, arg, arg_size);
}

__attribute__((noinline, cold)) void uat_join_failed(uat_task_t *task, bool child_is_first)
{
    struct uat_failure own;
    uat_failure_take(&own);
    uat_join(task);
    if (!uat_failed() || !child_is_first)
        uat_fail(&own);
}

static void call_body(const struct uat_loop *loop, int64_t begin, int64_t end, void *partial)
{
    const void *arg = loop->tail + loop->arg_offset;
    uat_team_within = loop->in_team;
    if (loop->body)
        loop->body(begin, end, arg);
    else
        loop->reduce(begin, end, partial, arg);
}

/*
 * The chunk length of the last part that ended on this worker, and that part's end. The part that starts at this end
 * starts with this length. A task that has migrated finds the values of an unrelated part here. It notices this,
 * because `end` is not where its own part starts.
 */
static struct {
    uat_for_fn *body;
    uat_reduce_fn *reduce;
    int64_t end, length;
} measured;

/*
 * The last contiguous range of iterations that this worker ran. When a loop runs again, this worker gets the same
 * iterations, because the data of these iterations are in its caches (affinity, as with oneTBB's affinity_partitioner).
 * If a part lies inside this range, a new pass has begun. A short part outside this range is ignored: in it, this
 * worker only helped others at the end of a pass.
 */
static struct {
    int64_t begin, end;
} ran;

static void note_range(int64_t begin, int64_t end)
{
    if (begin == ran.end && begin != end)
        ran.end = end;
    else if (end == ran.begin)
        ran.begin = begin;
    else if ((begin >= ran.begin && end <= ran.end) || end - begin >= (ran.end - ran.begin) / 2) {
        ran.begin = begin;
        ran.end = end;
    }
}

/* The number of iterations of [begin, end) that are in `ran`. */
static int64_t count_ran(int64_t begin, int64_t end)
{
    int64_t from = begin > ran.begin ? begin : ran.begin, to = end < ran.end ? end : ran.end;
    return to > from ? to - from : 0;
}

static void note_length(const struct uat_loop *loop, int64_t end, int64_t length)
{
    measured.body = loop->body;
    measured.reduce = loop->reduce;
    measured.end = end;
    measured.length = length;
}

static int64_t length_behind(const struct uat_loop *loop, int64_t end)
{
    bool same = measured.body == loop->body && measured.reduce == loop->reduce && measured.end == end;
    return same ? measured.length : loop->length;
}

/*
 * At the start of a part all other workers are about to get their own parts. After a steal from another host, the thief
 * moves the bytes of its iterations here and back. So a split is worthwhile only if the iterations take longer than
 * that. The counters of two hosts have nothing in common, so after a migration the difference is any number: this is
 * harmless. A profile looks for the span of the loop, which no team shortens.
 */
bool uat_loop_part_may_split(uint64_t began, uint64_t far, int64_t length, int64_t left, uint64_t now)
{
    enum { QUIET_CYCLES = 16384, FAR_SHARE = 2 };
    if (UAT_PROFILED || began == 0)
        return true;
    if (now - began < QUIET_CYCLES || (double)far * (double)length >= UAT_CHUNK_CYCLES)
        return false;
    /* Over a network a steal and a join take some ten microseconds. */
    return uat_self.transport->cpu_atomics || left > length / FAR_SHARE;
}

static void loop_task(void *arg, void *result)
{
    struct uat_loop *loop = arg;
    if (loop->value_size > 0)
        memcpy(result, loop->tail, loop->value_size);
    uat_loop_run(loop, loop->begin, loop->end, result);
}

/* Declare the array `name`. If `put` is true, move the views of reducers into it. */
#define ASIDE(name, put)                                                                                               \
    size_t name##_size = (put) ? uat_views_size() : 0;                                                                 \
    _Alignas(ALIGNMENT) char name[name##_size + 1];                                                                    \
    if (name##_size > 0)                                                                                               \
    uat_views_put_aside(name)

/*
 * Spawn the half that has more iterations in `ran`. Run the other half as the continuation, and combine both results
 * into *partial. If the second half is spawned, this function puts the views of reducers aside, so that each half has
 * its own views. The views are combined in the order of the iterations.
 */
static void split(struct uat_loop *loop, int64_t begin, int64_t end, void *partial)
{
    int64_t middle = begin + (end - begin) / 2;
    size_t size = loop->value_size;
    _Alignas(ALIGNMENT) char first[size + 1]; /* C has no arrays of zero bytes */
    _Alignas(ALIGNMENT) char second[size + 1];
    bool swapped = count_ran(begin, middle) < count_ran(middle, end);
    char *own = swapped ? first : second;
    uat_task_t task;
    ASIDE(before, swapped);
    loop->in_team = true; /* other workers run this loop, so they are not idle for loops in its body */
    loop->begin = swapped ? middle : begin; /* the spawn copies the loop's block */
    loop->end = swapped ? end : middle;
    UAT_PROFILE_AS(loop->body ? (void (*)(void))loop->body : (void (*)(void))loop->reduce);
    uat_spawn(&task, loop_task, loop, loop->bytes, size == 0 ? NULL : swapped ? second : first, size);
    ASIDE(second_here, swapped);
    loop->length = length_behind(loop, swapped ? end : middle);
    if (size > 0)
        memcpy(own, loop->tail, size);
    uat_loop_run(loop, swapped ? begin : middle, swapped ? middle : end, own);
    ASIDE(of_first, swapped);
    uat_pattern_join(&task, !swapped);
    if (swapped) {
        ASIDE(second_elsewhere, true);
        uat_views_add(before, before_size);
        uat_views_add(of_first, of_first_size);
        uat_views_add(second_here, second_here_size);
        uat_views_add(second_elsewhere, second_elsewhere_size);
    }
    if (size > 0 && !uat_failed()) {
        loop->combine(partial, first, loop->tail + loop->arg_offset);
        if (!uat_failed())
            loop->combine(partial, second, loop->tail + loop->arg_offset);
    }
}

void uat_loop_run_alone(struct uat_loop *loop, int64_t begin, int64_t end, void *partial)
{
    bool within = loop->in_team;
    uat_loop_run(loop, begin, end, partial);
    uat_team_within = within; /* of the caller, on the worker where it goes on */
}

void uat_loop_run(struct uat_loop *loop, int64_t begin, int64_t end, void *partial)
{
    int64_t length = loop->length > loop->grain ? loop->length : loop->grain, from = begin;
    uint64_t since = uat_counter();
    while (begin < end) {
        if (uat_chunk_may_split(length, end - begin, loop->grain) &&
            uat_loop_part_may_split(loop->began, loop->far, length, end - begin, since) && uat_work_wanted()) {
            loop->length = length;
            split(loop, begin, end, partial);
            return;
        }
        int64_t taken = uat_chunk_take(length, end - begin, loop->grain);
        call_body(loop, begin, begin + taken, partial);
        if (uat_failed())
            return;
        uint64_t now = uat_counter();
        length = uat_chunk_adapt(length, taken, now - since, loop->grain);
        since = now;
        begin += taken;
    }
    note_length(loop, end, length);
    note_range(from, end);
}

void uat_loop_run_part(void *block, int64_t begin, int64_t end, void *value)
{
    struct uat_loop *loop = block;
    loop->in_team = true;
    loop->began = uat_counter();
    if (loop->value_size > 0)
        memcpy(value, loop->tail, loop->value_size);
    uat_loop_run(loop, begin, end, value);
}

const void *uat_loop_home(const void *array, size_t size, int64_t begin, int64_t end)
{
    uintptr_t start, last_start;
    uint64_t chunk;
    if (!array || size == 0 || begin >= end || !uat_global_is_far())
        return NULL;
    const void *first = (const void *)((uintptr_t)array + (uintptr_t)begin * size);
    const void *last = (const void *)((uintptr_t)array + (uintptr_t)end * size - 1);
    bool blocked = uat_global_blocked(first, &start, &chunk) && uat_global_blocked(last, &last_start, &chunk);
    return blocked && start == last_start && uat_global_home(last) >= 0 ? array : NULL;
}

static void combine_parts(void *block, void *into, const void *value)
{
    const struct uat_loop *loop = block;
    loop->combine(into, value, loop->tail + loop->arg_offset);
}

bool uat_loop_by_team(struct uat_loop *loop, int64_t begin, int64_t end, void *partial, const void *array, size_t size)
{
    const struct uat_team_loop team = {.run = uat_loop_run_part,
                                       .body = loop->body ? (const void *)(uintptr_t)loop->body
                                                          : (const void *)(uintptr_t)loop->reduce,
                                       .block = loop,
                                       .bytes = loop->bytes,
                                       .value_size = loop->value_size,
                                       .begin = begin,
                                       .end = end,
                                       .grain = loop->grain,
                                       .array = array,
                                       .size = size};
    loop->in_team = uat_team_within;
    return uat_team_run(&team, combine_parts, partial);
}
