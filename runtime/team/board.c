/* SPDX-License-Identifier: MIT */
#include "runtime/team/board.h"

#include <string.h>

#include "base/cpu.h"
#include "base/delay.h"
#include "base/word.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/idle.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"

enum {
    RANK_BITS = 16,
    GROUPS = 64, /* bells that the root rings at most, apart from those of its own group */
    FEW = 16     /* workers whose parts have no batches: the chains of a batch's end cost more than they save */
};

struct board {
    _Alignas(UAT_CACHE_LINE) uint64_t bell;                /* seq << RANK_BITS | rank of the board; peers WRITE it */
    _Alignas(UAT_CACHE_LINE) uint64_t over;                /* loops of this board that are over; HCA atomics only */
    _Alignas(UAT_CACHE_LINE) uint64_t claim[UAT_TEAM_MAX]; /* HCA atomics only (W1) */
};

/* Sources of WRITEs, and targets of READs and of atomics. */
struct landing {
    uint64_t old, bell;
    struct uat_team_call call;
};

static struct uat_area board_area = {.name = "boards of teams",
                                     .size = sizeof(struct board),
                                     .align = _Alignof(struct board),
                                     .peers = UAT_PEERS_CHANGE,
                                     .striped = true};
static struct uat_area call_area = {
    .name = "calls of teams", .size = sizeof(struct uat_team_call), .align = UAT_CACHE_LINE, .peers = UAT_PEERS_READ};
static struct uat_area landing_area = {
    .name = "landing of teams", .size = sizeof(struct landing), .align = UAT_CACHE_LINE, .peers = UAT_PEERS_NOTHING};

/* Private to this worker. */
static struct {
    uint64_t seq;    /* of the last loop of this worker's board */
    uint64_t closed; /* the last of them that was closed on this worker: `over` gets to know later */
    uint64_t seen;   /* the bell that was answered last */
    int next;        /* all parts of the board's loop below this one are claimed */
} own;

void uat_board_reserve(void)
{
    uat_segment_reserve(&board_area);
    uat_segment_reserve(&call_area);
    uat_segment_reserve(&landing_area);
}

void uat_board_reset(void)
{
    memset(board_area.at, 0, board_area.size);
    memset(call_area.at, 0, call_area.size);
    memset(&own, 0, sizeof(own));
}

static struct board *board_of(int rank)
{
    return uat_segment_of(rank, board_area.at);
}

static struct landing *landing(void)
{
    return landing_area.at;
}

struct uat_team_call *uat_board_call(void)
{
    return call_area.at;
}

int uat_board_batch_size(void)
{
    int size = 1;
    while (size * size < uat_self.size)
        size++;
    return uat_self.size <= FEW ? 0 : size;
}

const struct uat_team_call *uat_board_claimed(void)
{
    return &landing()->call;
}

bool uat_board_is_open(void)
{
    /* Acquire: pairs with the FETCH_ADD in uat_board_close(). The next loop's stores to the call come after the parts'
     * READs of it. */
    return own.closed != own.seq && own.seq != uat_cpu_load_acquire(&board_of(uat_self.rank)->over);
}

static void ring(int rank)
{
    struct uat_op op = uat_op_write(&landing()->bell, &board_of(rank)->bell, sizeof(uint64_t));
    uat_check(uat_transport_post_unsignaled(uat_self.transport, rank, &op, 1));
}

static int workers_in_group(void)
{
    return (uat_self.size + GROUPS - 1) / GROUPS;
}

/* If the worker at this distance from the root is a leader, ring the bells of its group (W5). */
static void ring_group(int root, int distance)
{
    int group = workers_in_group();
    if (group == 1 || distance % group != 0)
        return;
    for (int d = distance + 1; d < distance + group && d < uat_self.size; d++)
        ring((root + d) % uat_self.size);
}

void uat_board_open(void)
{
    uat_board_call()->seq = ++own.seq;
    own.next = 0;
    landing()->bell = own.seq << RANK_BITS | (uint64_t)uat_self.rank;
    uat_delay();
    for (int d = workers_in_group(); d < uat_self.size; d += workers_in_group())
        ring((uat_self.rank + d) % uat_self.size);
    ring_group(uat_self.rank, 0);
}

void uat_board_close(int rank)
{
    /* The root has joined all parts, so their READs of the call have completed (W2). Pairs with the load in
     * uat_board_is_open(). */
    struct uat_op op = uat_op_fetch_add(NULL, &board_of(rank)->over, 1);
    if (rank == uat_self.rank)
        own.closed = own.seq;
    uat_delay();
    uat_check(uat_transport_post_unsignaled(uat_self.transport, rank, &op, 1));
}

bool uat_board_rings(void)
{
    return uat_cpu_load_acquire(&board_of(uat_self.rank)->bell) != own.seen;
}

/* Check what a peer may have written. */
static void check_call(const struct uat_team_call *call, int root, uint64_t seq, int batch)
{
    if (call->seq != seq)
        uat_word_refuse(root, "the number of a team's loop", call->seq);
    if (call->bytes > UAT_TEAM_ROOM || call->value_size > uat_segment.result_max)
        uat_word_refuse(root, "the size of a team's loop", call->bytes);
    if (!(call->record & UAT_RECORD_GROUP) || uat_record_owner(call->record) != root)
        uat_word_refuse(root, "the join record of a team's loop", call->record);
    uint64_t name = call->batch[batch];
    if (call->batch_size && ((name & UAT_RECORD_KINDS) != UAT_RECORD_KINDS || uat_record_owner(name) != root ||
                             call->batch_size != (uint64_t)uat_board_batch_size()))
        uat_word_refuse(root, "the join record of a batch of a team", name);
}

/* Claim `part` of loop seq of root's board, and READ the call (W1, W2). A worker that shows that it has no work takes
 * none: so the notice comes first, as in uat_steal_try(). */
static bool claim(int root, int part, uint64_t seq)
{
    struct landing *l = landing();
    int batch_size = uat_board_batch_size(), batch = batch_size ? part / batch_size : 0;
    struct uat_op ops[] = {
        /* Takes effect before the READ (O1). Pairs with the other claims of this part, in claim() of two workers. */
        uat_op_cmp_swap(&l->old, &board_of(root)->claim[part], seq - 1, seq),
        uat_op_read(&l->call, call_area.at, offsetof(struct uat_team_call, block) + UAT_TEAM_FIRST),
        uat_op_read(&l->call.batch[batch], &uat_board_call()->batch[batch], sizeof(uint64_t)),
    };
    uat_notice_begin(uat_stall_notice());
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, root, ops, batch_size ? 3 : 2));
    if (l->old != seq - 1)
        return false;
    check_call(&l->call, root, seq, batch);
    if (l->call.bytes > UAT_TEAM_FIRST) {
        struct uat_op rest = uat_op_read(l->call.block + UAT_TEAM_FIRST, uat_board_call()->block + UAT_TEAM_FIRST,
                                         (l->call.bytes - UAT_TEAM_FIRST + 7) / 8 * 8);
        uat_check(uat_transport_do(uat_self.transport, root, &rest, 1));
    }
    landing()->bell = seq << RANK_BITS | (uint64_t)root;
    ring_group(root, (part - root + uat_self.size) % uat_self.size);
    return true;
}

bool uat_board_answer(void)
{
    uint64_t bell = uat_cpu_load_acquire(&board_of(uat_self.rank)->bell); /* pairs with the WRITE in ring() */
    int root = (int)(bell & ((1U << RANK_BITS) - 1));
    if (root >= uat_self.size)
        uat_word_refuse(-1, "the bell of a team", bell);
    own.seen = bell;
    uat_idle_watch(&board_of(uat_self.rank)->bell, bell);
    return claim(root, uat_self.rank, bell >> RANK_BITS);
}

bool uat_board_has_unclaimed(void)
{
    if (!uat_board_is_open())
        return false;
    const uint64_t *claims = board_of(uat_self.rank)->claim;
    while (own.next < uat_self.size &&
           (own.next == uat_self.rank || uat_cpu_load_acquire(&claims[own.next]) == own.seq))
        own.next++; /* pairs with the CMP_SWAP in claim() */
    return own.next < uat_self.size;
}

int uat_board_claim_any(void)
{
    while (uat_board_has_unclaimed())
        if (claim(uat_self.rank, own.next, own.seq))
            return own.next++;
    return -1;
}
