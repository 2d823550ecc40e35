/* SPDX-License-Identifier: MIT */
/*
 * The inbox: tasks that other workers have sent to this one. A sent task runs here, and nowhere else, until it next
 * spawns, joins or waits. Its stack lies in a block of the sender's evacuation heap. The blocks form a stack (Treiber,
 * "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986), which the home empties as a whole. So there is no
 * bound on the number of tasks, and no sender waits for the home. Model: tests/model/inbox.pml.
 *
 *   I1  Only CMP_SWAPs of the home's adapter change `head`: the name of the task sent last, or 0.
 *   I2  The sender's CPU writes `next` in its own block before the CMP_SWAP(head, next, name) that makes the name
 *       known. If the swap fails, no peer knows the name, and the sender writes `next` again.
 *   I3  The home alone takes tasks out, all at once: CMP_SWAP(head, first, 0). So if a sender's swap wins, its `next`
 *       names the present list, even if that name was taken and sent again since the sender read `head`.
 *   I4  From the swap on, the block is frozen until the home has READ the stack and given the block back.
 *   I5  The home says that it has work before it takes tasks out. Rank 0, which looks for a deadlock, READs `head`
 *       before the word that says so. So a task is seen in the inbox, or its home is seen at work.
 *
 * Order: the home runs sent tasks in the order in which they arrived, and between two of them one task of its ready
 * list, if there is one. So sent tasks at most double the bound of deque/ready.h, and a sent task with n others before
 * it waits for at most 2 n + 1 tasks.
 */
#ifndef UAT_INBOX_H
#define UAT_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "deque/ready.h"
#include "transport/transport.h"

/* The words of a block's header that the home READs. */
struct uat_inbox_node {
    uint64_t next; /* name of the task that was sent before this one, or 0 */
    uint64_t sp, base;
    uint64_t tag; /* uat_inbox_tag() of the home */
};

enum { UAT_INBOX_NODE = 8 /* offset of the node in a block */ };

/* What the block of a task that was sent to `rank` says. No other block says it. */
static inline uint64_t uat_inbox_tag(int rank)
{
    return UINT64_C(0x756174) << 32 | (uint64_t)rank;
}

/* Where this worker's own operations on inboxes land. */
struct uat_inbox_landing {
    uint64_t old;
    struct uat_inbox_node node;
};

struct uat_inbox {
    struct uat_transport *transport;
    uint64_t *head; /* this worker's */
    struct uat_inbox_landing *landing;
    struct uat_notice *notice;
    const uint8_t *colours;                         /* as in struct uat_thief */
    bool (*is_block)(uint64_t where, size_t bytes); /* as in struct uat_ready_parts */
    size_t blocks_max;                              /* more blocks than all heaps have room for */
    struct uat_ready tasks;                         /* tasks taken out and not yet run, which are never offered */
    bool turn;                                      /* a task of the ready list comes next */
    uint64_t sent;                                  /* by this worker */
};

/* Set `tasks` up. The caller sets the other fields. head and landing lie in the segment, which is zeroed. Returns 0 or
 * -ENOMEM. */
int uat_inbox_open(struct uat_inbox *inbox);
void uat_inbox_close(struct uat_inbox *inbox);

/* Is a task here that was sent to this worker? Relaxed: a hint; uat_inbox_take() looks with a CMP_SWAP, whose peer is
 * that of uat_inbox_send(). */
static inline bool uat_inbox_any(const struct uat_inbox *inbox)
{
    return __atomic_load_n(inbox->head, __ATOMIC_RELAXED) != 0 || inbox->tasks.count > 0;
}

/* Send the task whose stack lies in the block `name` of this worker's heap to `rank`. One round trip, and one more for
 * each sender that is faster. Returns 0 or a negative errno. */
int uat_inbox_send(struct uat_inbox *inbox, int rank, uint64_t name);

/* Take the task that was sent first. Returns 1, 0 if there is none, or a negative errno. */
int uat_inbox_take(struct uat_inbox *inbox, struct uat_ready_task *task);

/* Take all tasks out of the inbox into inbox->tasks. Returns 0 or a negative errno. */
int uat_inbox_settle(struct uat_inbox *inbox);

/* Take a task from the inbox or from the ready tasks, whichever has its turn. Returns 1, 0 if there is none, or a
 * negative errno. */
static inline int uat_inbox_take_next(struct uat_inbox *inbox, struct uat_ready *ready, struct uat_ready_task *task)
{
    bool any = __builtin_expect(uat_inbox_any(inbox), 0);
    if (any && !inbox->turn) {
        inbox->turn = true;
        return uat_inbox_take(inbox, task);
    }
    inbox->turn = false;
    int rc = uat_ready_take(ready, task);
    return any && rc == 0 ? uat_inbox_take(inbox, task) : rc;
}

#endif
