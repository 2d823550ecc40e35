/* SPDX-License-Identifier: MIT */
#include "runtime/job/tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"
#include "runtime/job/collective.h"
#include "runtime/job/members.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/segment.h"
#include "runtime/job/call.h"
#include "runtime/job/fatal.h"

/* Counters on their way up or down the tree. */
struct share {
    struct uat_told told;
    uat_stats_detail_t stats;
};

/* The words of the trees. */
struct words {
    /* HCA atomics only: up[i] grows by 1 for each share of child i, and `down` by 1 for each message from the
     * parent. */
    _Alignas(UAT_CACHE_LINE) uint64_t up[UAT_BARRIER_ROUNDS];
    uint64_t down;
    _Alignas(UAT_CACHE_LINE) struct share share[UAT_BARRIER_ROUNDS]; /* WRITTEN by the children */
    uat_stats_detail_t total;                                        /* WRITTEN by the parent */
    struct uat_told told_down[2]; /* WRITTEN by the parent; indexed by the parity of the message's number */
};

/* Sources and targets of the operations that this worker posts. */
struct staging {
    uint64_t old; /* old value that an atomic returns */
    struct uat_told told;
    struct share share;
};

static struct uat_area words_area = {
    .name = "trees", .size = sizeof(struct words), .peers = UAT_PEERS_CHANGE, .striped = true};
static struct uat_area staging_area = {
    .name = "staging of trees", .size = sizeof(struct staging), .peers = UAT_PEERS_NOTHING};

static struct words *words(void)
{
    return words_area.at;
}

static struct staging *staging(void)
{
    return staging_area.at;
}

void uat_tree_reserve(void)
{
    uat_segment_reserve(&words_area);
    uat_segment_reserve(&staging_area);
}

void uat_tree_reset(void)
{
    memset(words_area.at, 0, words_area.size);
}

const uint64_t *uat_tree_atomic(void)
{
    return &words()->down;
}

/* The children of rank r are r + 1, r + 2, r + 4 and so on, for all steps below the lowest 1 bit of r. Is r + 2^i one
 * of them? */
static bool has_child(int i)
{
    int rank = uat_members.transport->rank;
    return rank % (2 << i) == 0 && rank + (1 << i) < uat_members.transport->size;
}

static int child(int i)
{
    return uat_members.transport->rank + (1 << i);
}

static int parent(void)
{
    return uat_members.transport->rank & (uat_members.transport->rank - 1);
}

/* All counters are uint64_t. add() sums all of them except stack_bytes_max, whose maximum it takes. */
_Static_assert(sizeof(uat_stats_detail_t) % sizeof(uint64_t) == 0, "a structure of counters");

static void add(uat_stats_detail_t *sum, const uat_stats_detail_t *one)
{
    uint64_t most = sum->stack_bytes_max > one->stack_bytes_max ? sum->stack_bytes_max : one->stack_bytes_max;
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)one;
    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
        to[i] += from[i];
    sum->stack_bytes_max = most;
}

/* Wait for the sum over child i's part of the tree, and add it to *sum. Returns 0 or a negative errno. */
static int hear_child(int i, struct share *sum)
{
    const struct share *share = &words()->share[i];
    int rc = uat_members_await(&words()->up[i], uat_members.ups, child(i));
    if (rc)
        return rc;
    uat_call_compare(child(i), share->told.call);
    uat_members_check(&share->told);
    if (share->told.status < sum->told.status)
        sum->told.status = share->told.status;
    add(&sum->stats, &share->stats);
    return 0;
}

/* Send this worker's parent the sum over this worker's part of the tree. The parent has finished with this worker's
 * previous share, because the parent has sent a message down since. */
static int tell_parent(struct share *sum)
{
    struct words *there = uat_segment_of(parent(), words());
    int i = __builtin_ctz((unsigned)uat_members.transport->rank);
    struct uat_op chain[] = {
        uat_op_write(sum, &there->share[i], sizeof(*sum)),
        /* Takes effect after the WRITE (O1); pairs with hear_child(). */
        uat_op_fetch_add(&staging()->old, &there->up[i], 1),
    };
    return uat_transport_do(uat_members.transport, parent(), chain, 2);
}

/*
 * The slot in which a worker receives the current message. There is one slot for even and one for odd numbers. Two
 * slots are enough, because a parent is never two messages ahead of its child: the next sum needs the child's share,
 * and a copy ends with a barrier.
 */
static struct uat_told *slot_of(struct words *w)
{
    return &w->told_down[uat_members.downs % 2];
}

/*
 * A message has come down: pass *told on to child i. Pass *total on, too, unless it is NULL. One slot for the total is
 * enough, because the next total needs the child's next share. The child sends that share only after it has passed this
 * total on.
 */
static int tell_child(int i, const struct uat_told *told, const uat_stats_detail_t *total)
{
    struct words *there = uat_segment_of(child(i), words());
    struct uat_op chain[] = {
        uat_op_write(total, &there->total, sizeof(*total)),
        uat_op_write(told, slot_of(there), sizeof(*told)),
        /* Takes effect after the WRITEs (O1); pairs with hear_parent(). */
        uat_op_fetch_add(&staging()->old, &there->down, 1),
    };
    return uat_transport_do(uat_members.transport, child(i), total ? chain : chain + 1, total ? 3 : 2);
}

/* Tell the children, first the child that itself has the most children. Returns 0 or a negative errno. */
static int tell_children(const struct uat_told *told, const uat_stats_detail_t *total)
{
    int n = 0, rc = 0;
    while (has_child(n))
        n++;
    while (n-- > 0 && !rc)
        rc = tell_child(n, told, total);
    return rc;
}

/* Wait for the parent's message, and point *told to it. Returns 0 or a negative errno. */
static int hear_parent(const struct uat_told **told)
{
    *told = slot_of(words());
    int rc = uat_members_await(&words()->down, uat_members.downs, parent());
    if (!rc)
        uat_call_compare(parent(), (*told)->call);
    if (!rc)
        uat_members_check(*told);
    return rc;
}

/* Send the sums up and the total down, and store the total in *sum. Returns 0 or a negative errno. */
static int climb_and_descend(struct share *sum)
{
    const struct uat_told *told = &sum->told;
    const uat_stats_detail_t *total = &sum->stats;
    int rc = 0;
    uat_members.ups++;
    uat_members.downs++;
    for (int i = 0; has_child(i) && !rc; i++)
        rc = hear_child(i, sum);
    if (!rc && uat_members.transport->rank > 0) {
        total = &words()->total;
        rc = tell_parent(sum);
        if (!rc)
            rc = hear_parent(&told);
    }
    if (!rc)
        rc = tell_children(told, total);
    if (!rc)
        *sum = (struct share){.told = *told, .stats = *total};
    return rc;
}

int uat_tree_sum(int status, uat_stats_detail_t *stats)
{
    struct share *sum = &staging()->share;
    *sum = (struct share){.told = {.call = uat_call_word(), .status = status}, .stats = *stats};
    uat_call_set_waiting(true);
    int rc = climb_and_descend(sum);
    uat_call_set_waiting(false);
    if (rc)
        uat_fatal_note_reported();
    *stats = sum->stats;
    return rc ? rc : (int)sum->told.status;
}

/* Copy the first `bytes` bytes of the region from rank 0 to all workers: each READs them from its parent as soon as the
 * parent has them. */
static int spread_chunk(size_t bytes)
{
    void *staged = (void *)uat_segment.low;
    const struct uat_told *told = &staging()->told;
    staging()->told = (struct uat_told){.call = uat_call_word()};
    int rc = 0;
    uat_members.downs++;
    if (uat_members.transport->rank > 0) {
        uat_call_set_waiting(true);
        rc = hear_parent(&told);
        uat_call_set_waiting(false);
        struct uat_op op = uat_op_read(staged, staged, uat_round8(bytes));
        if (!rc)
            rc = uat_transport_do(uat_members.transport, parent(), &op, 1);
    }
    if (!rc)
        rc = tell_children(told, NULL);
    if (rc)
        uat_fatal_note_reported();
    return rc;
}

int uat_tree_copy(void *to, const void *from, size_t n)
{
    char *staged = (char *)uat_segment.low;
    size_t room = uat_segment_region_size();
    room = room < (1u << 20) ? room : 1u << 20; /* leaves the deeper part of the region untouched */
    int rc = 0;
    for (size_t done = 0; done < n && !rc; done += room) {
        size_t bytes = n - done < room ? n - done : room;
        if (uat_members.transport->rank == 0)
            memcpy(staged, (const char *)from + done, bytes);
        rc = spread_chunk(bytes);
        if (!rc && to)
            memcpy((char *)to + done, staged, bytes);
        if (!rc)
            rc = uat_collective_barrier(); /* all workers have READ the bytes: the next chunk, or zeros, may overwrite
                                            * them */
    }
    memset(staged, 0, n < room ? n : room); /* keeps the stacks' high-water mark right */
    return rc;
}
