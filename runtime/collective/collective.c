/* SPDX-License-Identifier: MIT */
#include "runtime/collective/collective.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/relax.h"
#include "runtime/collective/members.h"
#include "runtime/memory/frame.h"
#include "runtime/watch/call.h"
#include "runtime/watch/die.h"
#include "runtime/watch/late.h"

enum { LATE_EVERY = 1024 /* polls of a barrier word between two looks at the clock */ };

struct uat_members uat_members;

void uat_collective_open(struct uat_transport *transport, const struct uat_segment *segment)
{
    uat_members = (struct uat_members){.transport = transport, .segment = segment};
}

/* Acquire: orders this load before the loads of run_result and result. The peer is the FETCH_ADD on runs_ended in
 * tell(), which follows the WRITEs of both (O1). */
static uint64_t load_runs_ended(void)
{
    return __atomic_load_n(&uat_members.segment->control->runs_ended, __ATOMIC_ACQUIRE);
}

bool uat_collective_announced(void)
{
    return load_runs_ended() > uat_members.runs;
}

/* Bytes of the result that a peer passed on. The size comes from that peer, so check it against the room. */
static uint64_t run_result_size(void)
{
    uint64_t size = uat_members.segment->control->run_result.size;
    if (size > uat_members.segment->result_max)
        uat_die("the result of the run came with a size of %llu bytes (UAT_RESULT_MAX=%zu); memory is corrupt",
                (unsigned long long)size, uat_members.segment->result_max);
    return size;
}

/* Tell one worker. Waits for completion, since the sources of the WRITEs are this worker's run_result and result. */
static void tell(int rank)
{
    const struct uat_segment *s = uat_members.segment;
    struct uat_control *there = uat_segment_of(rank, s->control);
    struct uat_op chain[] = {
        /* The two WRITEs in any order, both before the FETCH_ADD (O1): its peer is load_runs_ended(). */
        uat_op_write(&s->control->run_result, &there->run_result, sizeof(struct uat_run_result)),
        uat_op_write(s->result, s->result, uat_round8(run_result_size())),
        uat_op_fetch_add(&s->staging->old, &there->runs_ended, 1),
    };
    uat_check(uat_transport_do(uat_members.transport, rank, chain, 3));
}

void uat_collective_announce(const void *result, size_t size)
{
    const struct uat_segment *s = uat_members.segment;
    s->control->run_result = (struct uat_run_result){.origin = (uint64_t)uat_members.transport->rank, .size = size};
    if (size > 0)
        memcpy(s->result, result, run_result_size());
    /* By the HCA as everywhere, so that only the HCA changes the word. No WRITEs: this worker's words are set. */
    struct uat_op op = uat_op_fetch_add(&s->staging->old, &s->control->runs_ended, 1);
    uat_check(uat_transport_do(uat_members.transport, uat_members.transport->rank, &op, 1));
}

void uat_collective_pass_on(void)
{
    uint64_t from = uat_members.segment->control->run_result.origin;
    int n = uat_members.transport->size, origin = (int)(from % (uint64_t)n);
    int self = (uat_members.transport->rank - origin + n) % n; /* in a binomial tree whose root is 0 */
    int step = 1;
    while (step < n && (self & step) == 0)
        step <<= 1;
    for (step >>= 1; step > 0; step >>= 1)
        if (self + step < n)
            tell((self + step + origin) % n);
    uat_members.runs++;
}

int uat_collective_take_result(void *result, size_t size)
{
    size_t announced = uat_members.segment->control->run_result.size;
    if (size == 0)
        return 0;
    if (announced > size) {
        uat_error("uat_run() was given room for a result of %zu bytes, but rank 0 asked for %zu", size, announced);
        return -EMSGSIZE;
    }
    memcpy(result, uat_members.segment->result, announced);
    return 0;
}

int uat_members_await(const uint64_t *word, uint64_t number, int partner)
{
    struct uat_relax relax = {0};
    struct uat_transport *t = uat_members.transport;
    /* Acquire: orders what other workers did before the barrier ahead of what we do after it, and the partner's WRITE
     * of what it told us before our look at that; the peers are the chains of pass_round() here, and of tell_parent()
     * and tell_child() in tree.c. */
    while ((int64_t)(__atomic_load_n(word, __ATOMIC_ACQUIRE) - number) < 0) {
        int rc = t->class_->progress(t); /* detects a broken connection */
        if (rc)
            return rc;
        if (uat_relax_long(&relax) || relax.spins % LATE_EVERY == 0)
            uat_late_barrier(partner);
    }
    uat_late_over();
    return 0;
}

/*
 * One round of barrier `number`: tell the worker `distance` ahead, hear from the one behind. *known: the lowest status
 * so far, and rank 0's word once it has come here.
 */
static int pass_round(uint64_t number, int round, int distance, struct uat_told *known)
{
    struct uat_transport *t = uat_members.transport;
    struct uat_control *control = uat_members.segment->control;
    struct uat_staging *staging = uat_members.segment->staging;
    struct uat_told *told = &control->told[number % 2][round];
    int from = (t->rank - distance % t->size + t->size) % t->size, to = (t->rank + distance) % t->size;
    struct uat_control *there = uat_segment_of(to, control);
    staging->told = *known;
    struct uat_op chain[] = {
        uat_op_write(&staging->told, &there->told[number % 2][round], sizeof(*told)),
        /* Behind the WRITE (O1), so that who sees the count in uat_members_await() sees what was told. */
        uat_op_fetch_add(&staging->old, &there->barrier[round], 1),
    };
    int rc = uat_transport_do(t, to, chain, 2);
    if (!rc)
        rc = uat_members_await(&control->barrier[round], number, from);
    if (rc)
        return rc;
    uat_call_compare(from, told->call);
    if (told->status < known->status)
        known->status = told->status;
    if (from < distance) /* it has heard of the `distance` ranks up to itself, rank 0 among them */
        known->word = told->word;
    return 0;
}

int uat_collective_agree_on(int status, uint64_t *word)
{
    uint64_t number = ++uat_members.barriers;
    struct uat_told known = {.call = uat_call_word(), .status = status, .word = *word};
    int rc = 0, round = 0;
    uat_call_set_waiting(true);
    for (int distance = 1; distance < uat_members.transport->size && !rc; distance *= 2)
        rc = pass_round(number, round++, distance, &known);
    uat_call_set_waiting(false);
    if (rc)
        uat_die_explained();
    *word = known.word;
    return rc ? rc : (int)known.status;
}

int uat_collective_agree(int status)
{
    uint64_t nothing = 0;
    return uat_collective_agree_on(status, &nothing);
}

int uat_collective_barrier(void)
{
    return uat_collective_agree(0);
}
