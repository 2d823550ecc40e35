/* SPDX-License-Identifier: MIT */
#include "runtime/collective/tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/collective/collective.h"
#include "runtime/collective/members.h"
#include "runtime/memory/frame.h"
#include "runtime/watch/call.h"
#include "runtime/watch/die.h"

/* Child number i of a rank is rank + 2^i, for all i below the place of the rank's lowest 1. So child number i has i
 * children. */
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

/* Wait for the sum of child i's part of the tree, and add it to *sum. 0 or a negative errno. */
static int hear_child(int i, struct uat_share *sum, uat_tree_add *add)
{
    const struct uat_control *control = uat_members.segment->control;
    const struct uat_share *share = &control->share[i];
    int rc = uat_members_await(&control->tree_up[i], uat_members.ups, child(i));
    if (rc)
        return rc;
    uat_call_compare(child(i), share->told.call);
    if (share->told.status < sum->told.status)
        sum->told.status = share->told.status;
    add(&sum->stats, &share->stats);
    return 0;
}

/* Give the sum of this worker's part of the tree to its parent. The parent has done with its last one: it told so, on
 * the way down. */
static int tell_parent(struct uat_share *sum)
{
    struct uat_control *there = uat_segment_of(parent(), uat_members.segment->control);
    int i = __builtin_ctz((unsigned)uat_members.transport->rank);
    struct uat_op chain[] = {
        uat_op_write(sum, &there->share[i], sizeof(*sum)),
        /* Behind the WRITE (O1); the peer is hear_child(). */
        uat_op_fetch_add(&uat_members.segment->staging->old, &there->tree_up[i], 1),
    };
    return uat_transport_do(uat_members.transport, parent(), chain, 2);
}

/*
 * What has come down is here: tell child i of it, and what was told with it, and give it *total unless that is NULL.
 * told_down has a place for even and one for odd numbers. That is enough: a parent is never two numbers ahead of its
 * child, because it needs the child's share for the next sum, and a copy ends with a barrier. One place for the total
 * is enough, too: the child sends its next share, without which no next total comes, when it has passed this one on.
 */
static int tell_child(int i, const struct uat_told *told, const uat_stats_t *total)
{
    struct uat_control *there = uat_segment_of(child(i), uat_members.segment->control);
    struct uat_op chain[] = {
        uat_op_write(total, &there->total, sizeof(*total)),
        uat_op_write(told, &there->told_down[uat_members.downs % 2], sizeof(*told)),
        /* Behind the WRITEs (O1); the peer is hear_parent(). */
        uat_op_fetch_add(&uat_members.segment->staging->old, &there->tree_down, 1),
    };
    return uat_transport_do(uat_members.transport, child(i), total ? chain : chain + 1, total ? 3 : 2);
}

/* Those with most children first. 0 or a negative errno. */
static int tell_children(const struct uat_told *told, const uat_stats_t *total)
{
    int n = 0, rc = 0;
    while (has_child(n))
        n++;
    while (n-- > 0 && !rc)
        rc = tell_child(n, told, total);
    return rc;
}

/* *told: what the parent told. 0 or a negative errno. */
static int hear_parent(const struct uat_told **told)
{
    const struct uat_control *control = uat_members.segment->control;
    *told = &control->told_down[uat_members.downs % 2];
    int rc = uat_members_await(&control->tree_down, uat_members.downs, parent());
    if (!rc)
        uat_call_compare(parent(), (*told)->call);
    return rc;
}

/* Up with the sums, and down with the total: leave it in *sum. 0 or a negative errno. */
static int climb_and_descend(struct uat_share *sum, uat_tree_add *add)
{
    const struct uat_told *told = &sum->told;
    const uat_stats_t *total = &sum->stats;
    int rc = 0;
    uat_members.ups++;
    uat_members.downs++;
    for (int i = 0; has_child(i) && !rc; i++)
        rc = hear_child(i, sum, add);
    if (!rc && uat_members.transport->rank > 0) {
        total = &uat_members.segment->control->total;
        rc = tell_parent(sum);
        if (!rc)
            rc = hear_parent(&told);
    }
    if (!rc)
        rc = tell_children(told, total);
    if (!rc)
        *sum = (struct uat_share){.told = *told, .stats = *total};
    return rc;
}

int uat_tree_sum(int status, uat_stats_t *stats, uat_tree_add *add)
{
    struct uat_share *sum = &uat_members.segment->staging->share;
    *sum = (struct uat_share){.told = {.call = uat_call_word(), .status = status}, .stats = *stats};
    uat_call_set_waiting(true);
    int rc = climb_and_descend(sum, add);
    uat_call_set_waiting(false);
    if (rc)
        uat_die_explained();
    *stats = sum->stats;
    return rc ? rc : (int)sum->told.status;
}

/* Bring `bytes` at the region's start from rank 0 to all: each READs them from its parent as soon as that has them. */
static int spread_chunk(size_t bytes)
{
    void *staged = (void *)uat_members.segment->low;
    const struct uat_told *told = &uat_members.segment->staging->told;
    uat_members.segment->staging->told = (struct uat_told){.call = uat_call_word()};
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
        uat_die_explained();
    return rc;
}

int uat_tree_copy(void *to, const void *from, size_t n)
{
    char *staged = (char *)uat_members.segment->low;
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
            rc = uat_collective_barrier(); /* all have READ it: the next chunk may come, or zeros */
    }
    memset(staged, 0, n < room ? n : room); /* for the stacks' high-water mark */
    return rc;
}
