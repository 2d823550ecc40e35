/* SPDX-License-Identifier: MIT */
/* Both sides of the inbox; see inbox.h for the invariants. */
#include "deque/inbox.h"

#include "base/delay.h"
#include "base/word.h"

void uat_inbox_open(struct uat_inbox *inbox)
{
    const struct uat_ready_parts none = {.ring = NULL};
    uat_ready_open(&inbox->tasks, inbox->transport, &none);
}

void uat_inbox_close(struct uat_inbox *inbox)
{
    uat_ready_close(&inbox->tasks);
}

static struct uat_inbox_node *node_of(uint64_t name)
{
    return (struct uat_inbox_node *)(uintptr_t)((name & ((UINT64_C(1) << 48) - 1)) + UAT_INBOX_NODE);
}

/* CMP_SWAP of `head` in the inbox of worker `rank`. Sets *old. Returns 0 or a negative errno. */
static int swap(struct uat_inbox *inbox, int rank, uint64_t expected, uint64_t desired, uint64_t *old)
{
    struct uat_transport *t = inbox->transport;
    uint64_t *head = uat_coloured_of(inbox->head, inbox->colours, t->rank, rank);
    struct uat_op op = uat_op_cmp_swap(&inbox->landing->old, head, expected, desired);
    uat_delay();
    int rc = uat_transport_do(t, rank, &op, 1);
    *old = inbox->landing->old;
    return rc;
}

int uat_inbox_send(struct uat_inbox *inbox, int rank, uint64_t name)
{
    struct uat_inbox_node *node = node_of(name);
    for (uint64_t head = 0, old;; head = old) {
        node->next = head; /* no fence: the transport orders this CPU's stores before the swap (I2) */
        int rc = swap(inbox, rank, head, name, &old);
        if (rc)
            return rc;
        if (old == head)
            break;
    }
    inbox->sent++;
    return 0;
}

/* READ the header of a task that was taken out (I4). Sets *task, and sets *next to the name of the task that was sent
 * before it. The code that fetches the task's stack checks sp and base. If a list has more tasks than all heaps have
 * blocks, it contains a cycle. Returns 0 or a negative errno. */
static int look(struct uat_inbox *inbox, uint64_t name, struct uat_ready_task *task, uint64_t *next)
{
    const struct uat_inbox_node *node = &inbox->landing->node;
    *task = (struct uat_ready_task){.where = name};
    int rank = uat_ready_rank(task);
    if (rank == inbox->transport->rank || !inbox->is_block(name, 0) || inbox->tasks.count >= inbox->blocks_max)
        return uat_word_report(inbox->transport->rank, "the name of a task in the inbox", name);
    struct uat_op op = uat_op_read(&inbox->landing->node, node_of(name), sizeof(*node));
    int rc = uat_transport_do(inbox->transport, rank, &op, 1);
    if (rc)
        return rc;
    task->sp = node->sp;
    task->base = node->base;
    *next = node->next;
    if (node->tag != uat_inbox_tag(inbox->transport->rank))
        return uat_word_report(rank, "the home in the block of a task in an inbox", node->tag);
    return 0;
}

/* Reverse the list's tasks from number `from` on. These tasks were appended newest first, as they are in the inbox. The
 * list must have the oldest task first. */
static void reverse(struct uat_ready *tasks, size_t from)
{
    for (size_t low = from, high = tasks->count; low + 1 < high; low++) {
        struct uat_ready_task *a = &tasks->list[(tasks->first + low) % tasks->room];
        struct uat_ready_task *b = &tasks->list[(tasks->first + --high) % tasks->room];
        struct uat_ready_task older = *b;
        *b = *a;
        *a = older;
    }
}

/* Take all tasks out of the inbox, and append them to the list. Returns 0 or a negative errno. */
static int empty(struct uat_inbox *inbox)
{
    /* Relaxed: the value is a hint; the swap decides. */
    uint64_t first = __atomic_load_n(inbox->head, __ATOMIC_RELAXED), old;
    size_t before = inbox->tasks.count;
    uat_notice_begin(inbox->notice); /* I5 */
    for (;; first = old) {
        int rc = swap(inbox, inbox->transport->rank, first, 0, &old);
        if (rc)
            return rc;
        if (old == first)
            break;
    }
    for (uint64_t name = first, next = 0; name != 0; name = next) {
        struct uat_ready_task task;
        int rc = look(inbox, name, &task, &next);
        if (!rc)
            rc = uat_ready_push(&inbox->tasks, &task);
        if (rc)
            return rc;
    }
    reverse(&inbox->tasks, before);
    return 0;
}

int uat_inbox_settle(struct uat_inbox *inbox)
{
    /* Relaxed: a hint, as in uat_inbox_any(). */
    return __atomic_load_n(inbox->head, __ATOMIC_RELAXED) != 0 ? empty(inbox) : 0;
}

int uat_inbox_take(struct uat_inbox *inbox, struct uat_ready_task *task)
{
    int rc = uat_inbox_settle(inbox);
    return rc ? rc : uat_ready_take(&inbox->tasks, task);
}
