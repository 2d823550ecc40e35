/* SPDX-License-Identifier: MIT */
#include "transport_shm/delayed.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

static bool is_atomic(const struct uat_delayed_op *o)
{
    return o->op.code == UAT_OP_FETCH_ADD || o->op.code == UAT_OP_CMP_SWAP;
}

/* A full fence: it orders this CPU's earlier stores before the atomic (B1), and the atomic before later loads (B2).
 * Pairs with any worker's atomic on the same word, by uat_atomic_*() or by a link. */
static void execute_atomic(const struct uat_bulk_op *op, uint64_t *word)
{
    uint64_t old = op->compare;
    if (op->code == UAT_OP_FETCH_ADD)
        old = __atomic_fetch_add(word, op->operand, __ATOMIC_SEQ_CST);
    else {
        uat_cpu_fence_atomic(); /* a swap that fails need not store, so its load could pass an earlier WRITE */
        __atomic_compare_exchange_n(word, &old, op->operand, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    uat_cpu_fence_atomic();
    if (op->local)
        memcpy(op->local, &old, sizeof(old));
}

void uat_delayed_execute(const struct uat_bulk_op *op, const void *source)
{
    void *remote = (void *)(uintptr_t)op->remote;
    if (op->code == UAT_OP_READ) {
        memcpy(op->local, remote, op->bytes);
        uat_cpu_fence_read(); /* B3; pairs with the release by which another worker lets this worker READ */
    } else if (op->code == UAT_OP_WRITE)
        memcpy(remote, source, op->bytes);
    else
        execute_atomic(op, remote);
}

void uat_delayed_put(struct uat_late *late, const struct uat_bulk_op *op)
{
    late->ops[late->count++] = (struct uat_delayed_op){.op = *op};
}

/* May operation i take effect? An atomic waits for earlier WRITEs (B1), and a READ waits for earlier atomics (B2). */
static bool may_run(const struct uat_late *late, int i)
{
    const struct uat_delayed_op *o = &late->ops[i];
    if (o->op.code == UAT_OP_WRITE)
        return true;
    for (int k = 0; k < i; k++) {
        const struct uat_delayed_op *before = &late->ops[k];
        if (!before->done && (is_atomic(o) ? before->op.code == UAT_OP_WRITE : is_atomic(before)))
            return false;
    }
    return true;
}

static void run_some(struct uat_late *late, struct uat_shuffle *random)
{
    int first = late->count ? (int)uat_shuffle_random(random, (uint64_t)late->count) : 0;
    for (int n = 0; n < late->count; n++) {
        int i = (first + n) % late->count; /* start at a random operation, so that no order is favoured */
        struct uat_delayed_op *o = &late->ops[i];
        if (o->done || !may_run(late, i) || uat_shuffle_random(random, 2))
            continue;
        uat_delayed_execute(&o->op, o->source ? o->source : o->op.local);
        o->done = true;
    }
}

/* Report completions in order (B4). A WRITE may be reported before it takes effect (B3). In that case this function
 * copies its source. */
static int tell_some(struct uat_late *late, struct uat_shuffle *random)
{
    int told = 0;
    while (late->told < late->count) {
        struct uat_delayed_op *o = &late->ops[late->told];
        if (!o->done && o->op.code != UAT_OP_WRITE)
            break;
        if (uat_shuffle_random(random, 4) == 0)
            break;
        if (!o->done) {
            o->source = malloc(o->op.bytes);
            if (!o->source)
                return -ENOMEM;
            memcpy(o->source, o->op.local, o->op.bytes);
        }
        o->told = true;
        late->told++;
        told++;
    }
    return told;
}

static void drop_done(struct uat_late *late)
{
    int kept = 0;
    for (int i = 0; i < late->count; i++) {
        struct uat_delayed_op *o = &late->ops[i];
        if (o->told && o->done) {
            free(o->source);
            late->told--;
        } else {
            late->ops[kept++] = *o;
        }
    }
    late->count = kept;
}

int uat_delayed_step(struct uat_late *late, struct uat_shuffle *random)
{
    run_some(late, random);
    int told = tell_some(late, random);
    drop_done(late);
    return told;
}

void uat_delayed_close(const struct uat_late *late)
{
    (void)late; /* unused without assertions */
    assert(late->count == 0);
}
