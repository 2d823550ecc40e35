/* SPDX-License-Identifier: MIT */
/*
 * The inbox: tasks that other workers have sent to this worker, their home. Until its next spawn, join or wait, a sent
 * task runs only at its home. Its stack lies in a block of the sender's evacuation heap. The blocks form a linked stack
 * (Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986). The home empties the linked stack as a
 * whole. So the number of tasks is not bounded, and no sender waits for the home. Model: tests/model/inbox.pml.
 *
 *   I1  Only CMP_SWAPs of the home's adapter change `head`. `head` is the name of the task sent last, or 0.
 *   I2  The sender's CPU writes `next` in its own block. Then CMP_SWAP(head, next, name) makes the name known to peers.
 *       If the swap fails, no peer knows the name, and the sender writes `next` again.
 *   I3  Only the home takes tasks out, all at once: CMP_SWAP(head, first, 0). So if a sender's swap succeeds, its
 *       `next` names the current first task of the list. This holds even if that task was taken out and sent again
 *       since the sender read `head`.
 *   I4  After the sender's swap, nobody writes to the block until the home has READ the stack and given the block back.
 *   I5  The home sets notice->work before it takes tasks out. Rank 0, which checks for deadlock, READs `head` before it
 *       READs notice->work. So rank 0 sees the task in the inbox, or sees that the home has work.
 *
 * Order: the home runs sent tasks in the order of their arrival. Between two sent tasks it runs one task of its ready
 * list, if there is one. So a task that was sent after n other tasks waits for at most 2 n + 1 tasks. Sent tasks at
 * most double UAT_READY_BOUND of deque/ready.h.
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

/* The tag in the block of a task that was sent to `rank`. Other blocks do not have this tag. */
static inline uint64_t uat_inbox_tag(int rank)
{
    return UINT64_C(0x756174) << 32 | (uint64_t)rank;
}

/* This worker's operations on inboxes store their results here. */
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
    size_t blocks_max;                              /* greater than the number of blocks in all heaps */
    struct uat_ready tasks;                         /* tasks taken out and not yet run; the home never offers them to
                                                     * thieves */
    bool turn;                                      /* the next task is one of the ready list */
    uint64_t sent;                                  /* number of tasks sent by this worker */
};

/* Initialise `tasks`. The caller has set the other fields. head and landing must be in the segment, zeroed. */
void uat_inbox_open(struct uat_inbox *inbox);
void uat_inbox_close(struct uat_inbox *inbox);

/* Is a task that was sent to this worker still waiting to run? Relaxed: the result is a hint. uat_inbox_take() decides
 * by a CMP_SWAP, which pairs with the CMP_SWAP in uat_inbox_send(). */
static inline bool uat_inbox_any(const struct uat_inbox *inbox)
{
    return __atomic_load_n(inbox->head, __ATOMIC_RELAXED) != 0 || inbox->tasks.count > 0;
}

/* Send a task to `rank`. `name` is the block of this worker's heap that holds the task's stack. Takes one round trip if
 * the inbox is empty, otherwise two, and one more each time another sender changes `head` first. Returns 0 or a
 * negative errno. */
int uat_inbox_send(struct uat_inbox *inbox, int rank, uint64_t name);

/* Take the task that was sent first. Returns 1 on success, 0 if there is none, or a negative errno. */
int uat_inbox_take(struct uat_inbox *inbox, struct uat_ready_task *task);

/* Take all tasks out of the inbox into inbox->tasks. Returns 0 or a negative errno. */
int uat_inbox_settle(struct uat_inbox *inbox);

/* Take a task: the inbox and the ready tasks take turns. Returns 1 on success, 0 if there is none, or a negative
 * errno. */
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
