/* SPDX-License-Identifier: MIT */
#include "transport_shm/backlog.h"

#include <assert.h>
#include <string.h>

enum { STOP_ONE_IN = 4 /* a partial run stops before each operation with a probability of 1/STOP_ONE_IN */ };

static bool is_atomic(const struct uat_op *op)
{
    return op->code == UAT_OP_FETCH_ADD || op->code == UAT_OP_CMP_SWAP;
}

/* Must `later` wait for `earlier`? Yes, if O1 orders the two; no otherwise. */
static bool is_ordered(const struct uat_op *earlier, const struct uat_op *later)
{
    return (earlier->code == UAT_OP_WRITE && is_atomic(later)) || (is_atomic(earlier) && later->code == UAT_OP_READ);
}

static bool is_free(const struct uat_backlog *b, int i)
{
    for (int k = 0; k < i; k++)
        if (is_ordered(&b->entry[k].op, &b->entry[i].op))
            return false;
    return true;
}

bool uat_backlog_fits(const struct uat_backlog *b, int count)
{
    return b->count + count <= UAT_BACKLOG_MAX;
}

void uat_backlog_add(struct uat_backlog *b, const struct uat_op *ops, int count, struct uat_pending *pending)
{
    assert(uat_backlog_fits(b, count));
    for (int i = 0; i < count; i++) {
        struct uat_backlog_entry *e = &b->entry[b->count++];
        e->op = ops[i];
        e->pending = pending;
        if (!pending && ops[i].code == UAT_OP_WRITE && ops[i].size)
            memcpy(e->payload, ops[i].local, ops[i].size);
    }
}

bool uat_backlog_holds(const struct uat_backlog *b, const struct uat_pending *pending)
{
    for (int i = 0; i < b->count; i++)
        if (b->entry[i].pending == pending)
            return true;
    return false;
}

static void remove_entry(struct uat_backlog *b, int i)
{
    b->count--;
    memmove(&b->entry[i], &b->entry[i + 1], (size_t)(b->count - i) * sizeof(b->entry[0]));
}

/* Choose one free operation. If the chosen operation is a READ, add other free READs at random, because the words of
 * several READs may mix (O2). */
static int choose(const struct uat_backlog *b, struct uat_shuffle *s, int chosen[UAT_CHAIN_MAX])
{
    int free_count = 0, first = -1, n = 0;
    for (int i = 0; i < b->count; i++) /* choose one of the free operations, each with the same probability */
        if (is_free(b, i) && uat_shuffle_random(s, (uint64_t)++free_count) == 0)
            first = i;
    assert(first >= 0); /* the oldest operation is always free */
    bool reads = b->entry[first].op.code == UAT_OP_READ;
    for (int i = 0; i < b->count && n < UAT_CHAIN_MAX; i++) {
        bool more = reads && b->entry[i].op.code == UAT_OP_READ && is_free(b, i) && uat_shuffle_random(s, 4) > 0;
        if (i == first || (more && (n < UAT_CHAIN_MAX - 1 || i > first)))
            chosen[n++] = i;
    }
    return n;
}

static void run_one(struct uat_backlog *b, struct uat_shuffle *s, uat_backlog_execute_fn *execute, void *context)
{
    struct uat_op ops[UAT_CHAIN_MAX];
    int chosen[UAT_CHAIN_MAX], n = choose(b, s, chosen);
    for (int i = 0; i < n; i++) {
        struct uat_backlog_entry *e = &b->entry[chosen[i]];
        ops[i] = e->op;
        if (!e->pending && e->op.code == UAT_OP_WRITE)
            ops[i].local = e->payload;
    }
    execute(context, ops, n);
    while (n > 0)
        remove_entry(b, chosen[--n]);
}

void uat_backlog_run(struct uat_backlog *b, struct uat_shuffle *s, bool all, uat_backlog_execute_fn *execute,
                     void *context)
{
    while (b->count > 0 && (all || uat_shuffle_random(s, STOP_ONE_IN) > 0))
        run_one(b, s, execute, context);
}
