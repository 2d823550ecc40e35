/* SPDX-License-Identifier: MIT */
/*
 * uat_scan(): prefix sums that split on demand. A worker carries the value from iteration to iteration. When thieves
 * have emptied its deque, the worker cuts the remaining iterations into parts for p workers. It runs the first part, 1
 * / (p + 1) of the iterations, as a child. If a thief steals the continuation, the thief reduces all other parts except
 * the last one while the child runs (Blelloch, "Prefix Sums and Their Applications", 1990). Then the other parts run,
 * each with its starting value. This takes 2 / (p + 1) of the sequential time. If no thief steals the continuation, the
 * loop continues after the child, and no work was done twice.
 *
 * A team runs a scan in two loops if it has many workers, or if the parts follow the homes of an array's elements. The
 * first loop reduces all parts, the second one starts each part with its value. Each worker gets the same iterations
 * twice, so it finds its data in its caches or in its memory. This also takes 2 / p of the sequential time, and no
 * worker waits for a chain of steals.
 */
#include <stdbool.h>
#include <string.h>

#include "base/virtual.h"
#include "pattern/chunk.h"
#include "pattern/failed.h"
#include "pattern/loop.h"
#include "runtime/job/self.h"
#include "runtime/team/team.h"

enum {
    PARTS_OF_WORKER = 4,    /* parts per worker to reduce first, for balance */
    TEAM_MIN = 6,           /* least workers whose team runs a scan of equal parts; 2 or 4 scan faster without a team */
    STARTS_BYTES = 1 << 14, /* most bytes of all parts' values that the root of a team keeps on its stack */
    PARTS_MAX = 128         /* maximum parts of a cut; the parts' values are in the frame of a task */
};

/*
 * A range: the argument of a task. Its starting value, the identity and the user's argument follow it.
 */
struct part {
    int64_t begin, end;
    int64_t grain;
    uint64_t began, far; /* as in struct uat_loop. far: of the second pass, which fetches and writes an element */
    bool in_team;        /* as in struct uat_loop */
    uat_reduce_fn *body; /* the body to run; in the first pass, this is the reduction's body */
    uat_reduce_fn *reduce;
    uat_combine_fn *combine;
    size_t size;  /* bytes of a value */
    size_t room;  /* size rounded up, so that each value is aligned */
    size_t bytes; /* bytes of the whole block */
    _Alignas(16) char tail[];
};

static const char *identity_of(const struct part *part)
{
    return part->tail + part->room;
}

static const void *user_arg(const struct part *part)
{
    return part->tail + 2 * part->room;
}

static void run_part(void *arg, void *result)
{
    struct part *part = arg;
    memcpy(result, part->tail, part->size);
    uat_team_within = part->in_team;
    part->body(part->begin, part->end, result, user_arg(part));
}

static void carry_on(struct part *part, char *value);

static void carry_part(void *arg, void *result)
{
    struct part *part = arg;
    memcpy(result, part->tail, part->size);
    carry_on(part, result);
}

/* The parts of a range. Part i starts at edges[i] with the value at starts + i * room. The value after part i is stored
 * at ends + i * room. */
struct cut {
    int64_t count, edges[PARTS_MAX + 1];
    char *starts, *ends;
};

/* The last part is [last, end). The other parts divide [begin, last) evenly. */
static void make_edges(struct cut *cut, int64_t begin, int64_t last, int64_t end)
{
    int64_t n = last - begin, m = cut->count - 1;
    for (int64_t i = 0; i <= m; i++)
        cut->edges[i] = begin + n / m * i + n % m * i / m;
    cut->edges[cut->count] = end;
}

/* Run parts 0 to count - 1 in parallel. The last part is spawned first, because it may be the longest. */
static void run_parts(struct part *part, const struct cut *cut, int64_t count, uat_fn *fn)
{
    size_t size = part->size, room = part->room;
    uat_task_t tasks[PARTS_MAX];
    for (int64_t i = count; i-- > 0;) {
        part->begin = cut->edges[i];
        part->end = cut->edges[i + 1];
        memcpy(part->tail, cut->starts + (size_t)i * room, size);
        uat_spawn(&tasks[i], fn, part, part->bytes, cut->ends + (size_t)i * room, size);
    }
    for (int64_t i = 0; i < count; i++)
        uat_pattern_join(&tasks[i], false);
}

/*
 * Run the iterations from part->begin on. The iterations before part->begin run on another worker as the task `first`.
 * The result of this task is *value. The last part, from `last` on, is not reduced. Sets *value to the value after all
 * iterations.
 */
static void run_others(struct part *part, int64_t last, char *value, uat_task_t *first)
{
    size_t size = part->size, room = part->room;
    uat_reduce_fn *body = part->body;
    int64_t middle = PARTS_OF_WORKER * (int64_t)(uat_size() - 1), n = last - part->begin;
    middle = middle < PARTS_MAX ? middle : PARTS_MAX - 1;
    struct cut cut = {.count = 1 + (middle < n / part->grain ? middle : n / part->grain)};
    _Alignas(16) char starts[(size_t)cut.count * room];
    _Alignas(16) char ends[(size_t)cut.count * room];
    cut.starts = starts;
    cut.ends = ends;
    make_edges(&cut, part->begin, last, part->end);
    for (int64_t i = 0; i < cut.count; i++)
        memcpy(starts + (size_t)i * room, identity_of(part), size);
    part->body = part->reduce;
    run_parts(part, &cut, cut.count - 1, run_part);
    part->body = body;
    uat_pattern_join(first, true);
    if (uat_failed())
        return;
    memcpy(starts, value, size);
    for (int64_t i = 1; i < cut.count; i++) {
        part->combine(value, ends + (size_t)(i - 1) * room, user_arg(part));
        if (uat_failed())
            return;
        memcpy(starts + (size_t)i * room, value, size);
    }
    run_parts(part, &cut, cut.count, carry_part);
    memcpy(value, ends + (size_t)(cut.count - 1) * room, size);
}

/* Run the first part as a child, and offer the continuation to thieves. Returns the first iteration that *value does
 * not include yet. */
static int64_t share(struct part *part, char *value)
{
    int64_t begin = part->begin, end = part->end, length = (end - begin) / (uat_size() + 1);
    uat_task_t task;
    part->end = begin + length;
    part->in_team = true; /* other workers run this scan, so they are not idle for loops in its body */
    memcpy(part->tail, value, part->size);
    uat_spawn(&task, run_part, part, part->bytes, value, part->size);
    part->begin = begin + length;
    part->end = end;
    if (task.record != 0) {
        run_others(part, end - length, value, &task);
        return end;
    }
    uat_join(&task);
    return begin + length;
}

/* Run the part from its start to its end, starting with *value. */
static void carry_on(struct part *part, char *value)
{
    int64_t end = part->end, grain = part->grain, length = grain;
    while (part->begin < end) {
        int64_t left = end - part->begin;
        if (uat_chunk_may_split(length, left, grain) && left / 2 / grain > uat_size() &&
            (part->began == 0 || uat_loop_part_may_split(part->began, part->far, length, left, uat_counter())) &&
            uat_work_wanted()) {
            part->begin = share(part, value);
            if (uat_failed())
                return;
            continue;
        }
        int64_t taken = uat_chunk_take(length, left, grain);
        uint64_t start = uat_counter();
        uat_team_within = part->in_team;
        part->body(part->begin, part->begin + taken, value, user_arg(part));
        if (uat_failed())
            return;
        length = uat_chunk_adapt(length, taken, uat_counter() - start, grain);
        part->begin += taken;
    }
}

/* The values with which the parts of a team start. */
struct prefixes {
    char *next;  /* where the next part's value goes */
    size_t each; /* bytes from one to the next */
    char *value; /* the value of all parts up to there */
};

/* The value of another part, in the order of the parts. */
static void add_part(void *block, void *into, const void *value)
{
    const struct uat_loop *loop = block;
    struct prefixes *p = into;
    memcpy(p->next, p->value, loop->value_size);
    p->next += p->each;
    loop->combine(p->value, value, loop->tail + loop->arg_offset);
}

static void carry_range(void *block, int64_t begin, int64_t end, void *value)
{
    struct part *part = block;
    part->begin = begin;
    part->end = end;
    part->began = uat_counter();
    part->in_team = true;
    carry_on(part, value);
}

/* Scan the whole range by a team, and set *value to its value. Returns false if no team has run the second loop. home:
 * as for reduce() in for.c. */
static bool scan_by_team(struct part *part, const void *arg, size_t arg_size, char *value, const void *home,
                         size_t home_size)
{
    int parts = uat_size(), least = home ? 2 : TEAM_MIN;
    uint64_t restarts = uat_self.restarts;
    size_t size = part->size, each = (size + 7) / 8 * 8, all = each * (size_t)parts;
    if (parts < least || all == 0 || all > STARTS_BYTES)
        return false;
    _Alignas(16) char starts[all], memory[uat_loop_size(size, arg_size)], total[size + 1];
    struct uat_loop *loop = (struct uat_loop *)memory;
    *loop =
        (struct uat_loop){.grain = part->grain, .far = part->far / 2, .reduce = part->reduce, .combine = part->combine};
    uat_loop_make(loop, identity_of(part), size, arg, arg_size);
    struct prefixes prefixes = {starts, each, total};
    memcpy(total, value, size);
    struct uat_team_loop team = {.run = uat_loop_run_part,
                                 .body = (const void *)(uintptr_t)part->body,
                                 .block = loop,
                                 .bytes = loop->bytes,
                                 .value_size = size,
                                 .begin = part->begin,
                                 .end = part->end,
                                 .grain = part->grain,
                                 .array = home,
                                 .size = home_size};
    loop->in_team = part->in_team;
    if (!uat_team_run(&team, add_part, &prefixes))
        return false;
    if (uat_failed()) { /* iterations before that one may fail, too, once the body gets its prefixes: begin again */
        struct uat_failure dropped;
        uat_failure_take(&dropped);
        return false;
    }
    team.run = carry_range;
    team.block = part;
    team.bytes = part->bytes;
    team.starts = starts;
    /* After a restart, other workers or other homes may give the second loop other parts than those of `starts`. */
    if (uat_self.restarts != restarts || !uat_team_run(&team, NULL, NULL))
        return false;
    memcpy(value, total, size);
    return true;
}

static void scan(int64_t begin, int64_t end, int64_t grain, const void *home, size_t home_size,
                 const uat_reduction_t *reduction, uat_reduce_fn *body, const void *arg, size_t arg_size, void *total)
{
    bool within = uat_team_within;
    size_t size = reduction->size, room = (size + 15) / 16 * 16;
    _Alignas(16) char block[sizeof(struct part) + 2 * room + arg_size], value[room + 1];
    struct part *part = (struct part *)block;
    grain = grain > 0 ? grain : 1;
    *part = (struct part){.begin = begin,
                          .end = end,
                          .grain = grain,
                          .far = home ? 2 * home_size : 0,
                          .in_team = within,
                          .body = body,
                          .reduce = reduction->body,
                          .combine = reduction->combine,
                          .size = size,
                          .room = room,
                          .bytes = sizeof(block)};
    memcpy(part->tail + room, reduction->identity, size);
    if (arg_size > 0)
        memcpy(part->tail + 2 * room, arg, arg_size);
    memcpy(value, reduction->identity, size);
    if (!scan_by_team(part, arg, arg_size, value, home, home_size)) {
        carry_on(part, value);
        uat_team_within = within; /* of the caller, on the worker where it goes on */
    }
    if (total)
        memcpy(total, value, size);
}

void uat_scan(int64_t begin, int64_t end, int64_t grain, const uat_reduction_t *reduction, uat_reduce_fn *body,
              const void *arg, size_t arg_size, void *total)
{
    scan(begin, end, grain, NULL, 0, reduction, body, arg, arg_size, total);
}

void uat_scan_near(int64_t begin, int64_t end, const void *array, size_t size, const uat_reduction_t *reduction,
                   uat_reduce_fn *body, const void *arg, size_t arg_size, void *total)
{
    scan(begin, end, 0, uat_loop_home(array, size, begin, end), size, reduction, body, arg, arg_size, total);
}
