/* SPDX-License-Identifier: MIT */
/*
 * uat_find(): a loop that splits on demand, like loop.c, and ends early. When a part splits, the first half is spawned,
 * and the continuation searches the second half. The second half has a cancellation of its own, within that of its
 * part: the first half cancels it when it has found an iteration or has failed. So only iterations after an outcome are
 * skipped, and the outcome is that of a sequential search.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/virtual.h"
#include "include/uat/pattern.h"
#include "pattern/chunk.h"
#include "pattern/failed.h"
#include "runtime/job/fatal.h"
#include "runtime/team/team.h"

/* The argument of a search's tasks. The user's argument follows it. */
struct search {
    int64_t begin, end;
    int64_t length;      /* length of a chunk: see chunk.h */
    uat_cancel_t cancel; /* set when an earlier iteration has the outcome of the search */
    uat_cancel_t later;  /* to be set for the second half, when the first half has an outcome */
    uat_find_fn *body;
    size_t bytes; /* of the whole block */
    bool in_team; /* as in struct uat_loop */
    _Alignas(16) char tail[];
};

static int64_t search_range(struct search *s, int64_t begin, int64_t end);

static __attribute__((noinline, cold)) void cancel_failed(uat_cancel_t later)
{
    struct uat_failure own;
    uat_failure_take(&own);
    uat_group_cancel(later);
    uat_fail(&own);
}

static void search_task(void *arg, void *result)
{
    struct search *s = arg;
    uat_cancel_t later = s->later; /* search_range() changes *s */
    int64_t end = s->end, found = search_range(s, s->begin, end);
    if (uat_failed()) {
        cancel_failed(later);
        return;
    }
    memcpy(result, &found, sizeof(found));
    if (found < end)
        uat_group_cancel(later);
}

/* The second half has failed. Join the first half. If the first half has no outcome, the failure remains. */
static __attribute__((noinline, cold)) void join_failed(uat_task_t *task, const int64_t *first, int64_t middle)
{
    struct uat_failure own;
    uat_failure_take(&own);
    uat_join(task);
    if (!uat_failed() && *first == middle)
        uat_fail(&own);
}

static int64_t split(struct search *s, int64_t begin, int64_t end)
{
    int64_t middle = begin + (end - begin) / 2, first = middle;
    uat_group_t group; /* has no children: it only makes the second half's cancellation */
    uat_task_t task;
    uat_group_begin_in(&group, s->cancel);
    s->later = uat_group_make_cancellable(&group);
    s->begin = begin;
    s->end = middle;
    s->in_team = true; /* other workers search, too, so they are not idle for loops in the body */
    UAT_PROFILE_AS(s->body);
    uat_spawn(&task, search_task, s, s->bytes, &first, sizeof(first)); /* copies the search's block */
    s->cancel = s->later;
    int64_t second = search_range(s, middle, end);
    if (uat_failed())
        join_failed(&task, &first, middle);
    else
        uat_join(&task);
    uat_group_wait(&group);
    return first < middle ? first : second;
}

static int64_t call_body(const struct search *s, int64_t begin, int64_t end)
{
    uat_team_within = s->in_team;
    int64_t found = s->body(begin, end, s->tail);
    if (!uat_failed() && (found < begin || found > end))
        uat_fatal("uat_find(): the body was called for iterations %" PRId64 " to %" PRId64 " and returned %" PRId64
                  "; it must return the first of them that it looks for, or else %" PRId64,
                  begin, end - 1, found, end);
    return found;
}

/* Search [begin, end). Returns the first iteration found, or `end`. If the search was cancelled or has failed, the
 * caller does not use the result. */
static int64_t search_range(struct search *s, int64_t begin, int64_t end)
{
    int64_t length = s->length;
    while (begin < end && !uat_cancelled(s->cancel)) {
        if (uat_chunk_may_split(length, end - begin, 1) && uat_work_wanted()) {
            s->length = length;
            return split(s, begin, end);
        }
        /* The time is without uat_cancelled(), which may READ far words: shorter chunks would only call it more. */
        uint64_t before = uat_counter();
        int64_t taken = uat_chunk_take(length, end - begin, 1), found = call_body(s, begin, begin + taken);
        if (uat_failed() || found < begin + taken)
            return found;
        length = uat_chunk_adapt(length, taken, uat_counter() - before, 1);
        begin += taken;
    }
    return end;
}

int64_t uat_find(int64_t begin, int64_t end, uat_find_fn *body, const void *arg, size_t arg_size)
{
    size_t bytes = sizeof(struct search) + arg_size;
    _Alignas(16) char block[bytes];
    struct search *s = (struct search *)block;
    *s = (struct search){.length = 1, .body = body, .bytes = bytes, .in_team = uat_team_within};
    if (arg_size > 0)
        memcpy(s->tail, arg, arg_size);
    bool within = s->in_team;
    int64_t found = begin < end ? search_range(s, begin, end) : end;
    uat_team_within = within; /* of the caller, on the worker where it goes on */
    return found;
}
