/* SPDX-License-Identifier: MIT */
/*
 * uat_for_each_block(): a team runs the loop. Each worker gets the elements that it keeps, or an equal share if all
 * memory is near. A part, and a loop that no team runs, splits on demand as in loop.c. A worker takes blocks
 * from the end of its range that is on the worker's own host. When it splits the range, the nearer half becomes the
 * child and runs at once. The other half is the continuation, which thieves may take.
 */
#include <string.h>

#include "base/virtual.h"
#include "include/uat/pattern.h"
#include "pattern/chunk.h"
#include "pattern/failed.h"
#include "pattern/loop.h"
#include "runtime/global/global.h"
#include "runtime/team/team.h"

enum {
    FIRST_BYTES = 4096, /* bytes of the first block; the length doubles until a block takes long enough */
    LOOKS = 16,         /* number of elements of each half to examine before a split */
    WORKED = 4096       /* number of memory blocks that a worker remembers; they have 256 MiB together */
};

/*
 * The numbers of the memory blocks that this worker has worked on. When a loop runs again, this worker gets the same
 * elements as far as possible. Their pages are in its page table, and some of their bytes are in its caches.
 */
static uint32_t worked[WORKED];

/* The argument of a loop's task. The user's argument follows it. */
struct blocks {
    char *array;
    size_t size;       /* bytes of an element */
    size_t begin, end; /* range of elements */
    size_t bytes;      /* bytes of this block and the user's argument */
    size_t length;     /* number of elements in the next call of body; 0 if unknown */
    uint64_t began;    /* as in struct uat_loop */
    enum uat_access access;
    uat_block_fn *body;
    _Alignas(16) char arg[];
};

static char *element(const struct blocks *b, size_t i)
{
    return b->array + i * b->size;
}

static int is_near(const struct blocks *b, size_t i)
{
    return uat_global_near(element(b, i), 1) > 0;
}

/*
 * Element i's group: the elements in the same block of global memory. first_of_block() returns the group's first
 * element, and end_of_block() returns the element after the group's last. The next block may be on another host. So an
 * element that crosses from one block to the next is a group of its own.
 */
static size_t first_of_block(const struct blocks *b, size_t i)
{
    size_t inside = (uintptr_t)element(b, i) % UAT_GLOBAL_BLOCK;
    if (inside + b->size > UAT_GLOBAL_BLOCK)
        return i;
    return inside / b->size < i ? i - inside / b->size : 0;
}

static size_t end_of_block(const struct blocks *b, size_t i)
{
    size_t whole = (UAT_GLOBAL_BLOCK - (uintptr_t)element(b, i) % UAT_GLOBAL_BLOCK) / b->size;
    return i + (whole > 0 ? whole : 1);
}

static uint32_t number_of_block(const struct blocks *b, size_t i)
{
    return (uint32_t)((uintptr_t)element(b, i) / UAT_GLOBAL_BLOCK);
}

/* Score a range by LOOKS samples. The number of near samples counts first; the number of samples in blocks on which
 * this worker has worked counts second. */
static size_t count_liked(const struct blocks *b, size_t begin, size_t end)
{
    size_t near = 0, known = 0;
    for (size_t k = 0; k < LOOKS; k++) {
        size_t i = begin + (end - begin - 1) / LOOKS * k;
        uint32_t number = number_of_block(b, i);
        near += (size_t)is_near(b, i);
        known += worked[number % WORKED] == number;
    }
    return near * (LOOKS + 1) + known;
}

/* The block length of the last range that ended on this worker, and that range's end; see loop.c. */
static struct {
    uat_block_fn *body;
    const char *end;
    size_t length;
} measured;

static size_t length_behind(const struct blocks *b, size_t end)
{
    return measured.body == b->body && measured.end == element(b, end) ? measured.length : b->length;
}

static void run(struct blocks *b);

static void run_task(void *arg, void *result)
{
    (void)result;
    run(arg);
}

/* Split the range into two halves of at least one element each. If there are several blocks, split at the edge of a
 * block. */
static void split(struct blocks *b, size_t begin, size_t end)
{
    size_t middle = begin + (end - begin) / 2, edge = first_of_block(b, middle);
    if (edge > begin)
        middle = edge;
    int swapped = count_liked(b, begin, middle) < count_liked(b, middle, end);
    uat_task_t task;
    b->begin = swapped ? middle : begin; /* the spawn copies b */
    b->end = swapped ? end : middle;
    uat_spawn(&task, run_task, b, b->bytes, NULL, 0);
    b->length = length_behind(b, b->end); /* the child measured it, if the child ended on this worker */
    b->begin = swapped ? begin : middle;
    b->end = swapped ? middle : end;
    run(b);
    uat_pattern_join(&task, !swapped);
}

/* Start to fetch the next block: at most `count` elements from element `from` on. */
static void prefetch(const struct blocks *b, size_t from, size_t count)
{
    size_t edge = end_of_block(b, from) - from;
    if (b->access != UAT_WRITE && count > 0)
        uat_global_prefetch(element(b, from), (count < edge ? count : edge) * b->size);
}

/* Call the body for [from, to). Returns the cycles that the body took. */
static uint64_t run_block(const struct blocks *b, size_t from, size_t to, int is_far)
{
    size_t bytes = (to - from) * b->size;
    uint32_t number = number_of_block(b, from);
    worked[number % WORKED] = number;
    void *p = uat_global_checkout(element(b, from), bytes, b->access);
    if (is_far && to < b->end)
        prefetch(b, to, b->end - to);
    uint64_t start = uat_counter();
    b->body(p, from, to - from, b->arg);
    uint64_t cycles = uat_counter() - start;
    uat_global_checkin(element(b, from), bytes, b->access);
    return cycles;
}

/* The length of the next block, after a block of `taken` elements. */
static size_t adapt(const struct blocks *b, size_t length, size_t taken, uint64_t cycles)
{
    size_t next = (size_t)uat_chunk_adapt((int64_t)length, (int64_t)taken, cycles, 1);
    return next <= length || next * b->size <= UAT_GLOBAL_BLOCK ? next : length;
}

/*
 * The length of a part's first block. No other worker can share this block, and each element may take long. So a part
 * of few elements starts with a small share of them.
 */
static size_t first_length(const struct blocks *b)
{
    enum { FIRST_SHARE = 64 };
    size_t length = FIRST_BYTES / b->size, share = (b->end - b->begin) / FIRST_SHARE;
    length = share < length ? share : length;
    return length > 0 ? length : 1;
}

/* The body has failed for later elements: run b's elements. If the body fails again, the new failure counts, because
 * b's elements come first. */
static __attribute__((noinline, cold)) void run_earlier(struct blocks *b)
{
    struct uat_failure own;
    uat_failure_take(&own);
    run(b);
    if (!uat_failed())
        uat_fail(&own);
}

static bool part_may_split(const struct blocks *b, int64_t length, int64_t left)
{
    uint64_t far = !uat_global_is_far() ? 0 : b->access == UAT_READ_WRITE ? 2 * b->size : b->size;
    return b->began == 0 || uat_loop_part_may_split(b->began, far, length, left, uat_counter());
}

static void run(struct blocks *b)
{
    const size_t first = first_length(b);
    const char *last = element(b, b->end);
    size_t length = b->length > 0 ? b->length : first;
    while (b->begin < b->end) {
        size_t begin = b->begin, end = b->end, from = begin, to = end;
        int64_t left = (int64_t)(end - begin), grain = (int64_t)(length < first ? length : first);
        if (uat_chunk_may_split((int64_t)length, left, grain) && part_may_split(b, (int64_t)length, left) &&
            uat_work_wanted()) {
            b->length = length;
            split(b, begin, end);
            return;
        }
        size_t most = (size_t)uat_chunk_take((int64_t)length, left, grain);
        int front = is_near(b, begin), is_far = !front && !is_near(b, end - 1);
        if (front || is_far) {
            size_t edge = end_of_block(b, begin);
            to = edge < end ? edge : end;
            to = to - from > most ? from + most : to;
            b->begin = to;
        } else {
            size_t edge = first_of_block(b, end - 1);
            from = edge > begin ? edge : begin;
            from = to - from > most ? to - most : from;
            b->end = from;
        }
        uint64_t cycles = run_block(b, from, to, is_far);
        if (uat_failed()) {
            if (from > begin)
                run_earlier(b);
            return;
        }
        length = adapt(b, length, to - from, cycles);
    }
    measured.body = b->body;
    measured.end = last;
    measured.length = length;
}

static void run_part(void *block, int64_t begin, int64_t end, void *value)
{
    struct blocks *b = block;
    (void)value;
    b->begin = (size_t)begin;
    b->end = (size_t)end;
    b->began = uat_counter();
    run(b);
}

/* Returns whether a team has run the loop. On several hosts, no team runs the loop if a worker keeps several blocks. */
static bool run_by_team(struct blocks *b)
{
    uintptr_t start;
    uint64_t chunk;
    bool has_homes = uat_global_blocked(b->array, &start, &chunk);
    const struct uat_team_loop team = {.run = run_part,
                                       .body = (const void *)(uintptr_t)b->body,
                                       .block = b,
                                       .bytes = b->bytes,
                                       .end = (int64_t)b->end,
                                       .grain = 1,
                                       .array = has_homes ? b->array : NULL,
                                       .size = b->size};
    return (has_homes || !uat_global_is_far()) && uat_team_run(&team, NULL, NULL);
}

void uat_for_each_block(void *array, size_t count, size_t size, enum uat_access access, uat_block_fn *body,
                        const void *arg, size_t arg_size)
{
    if (count == 0 || size == 0)
        return;
    _Alignas(16) char memory[sizeof(struct blocks) + arg_size];
    struct blocks *b = (struct blocks *)memory;
    *b = (struct blocks){
        .array = array, .size = size, .end = count, .bytes = sizeof(memory), .access = access, .body = body};
    if (arg_size > 0)
        memcpy(b->arg, arg, arg_size);
    if (uat_global_home(array) < 0)
        uat_global_checkout(array, size, access); /* ends the job with a message, because this is not global memory */
    if (!run_by_team(b))
        run(b);
}
