/* SPDX-License-Identifier: MIT */
#include "runtime/job/collective.h"

#include <errno.h>
#include <string.h>

#include "base/cpu.h"
#include "base/relax.h"
#include "base/word.h"
#include "runtime/job/crew.h"
#include "runtime/job/members.h"
#include "runtime/job/self.h"
#include "runtime/segment/frame.h"
#include "runtime/job/call.h"
#include "runtime/job/fatal.h"
#include "runtime/job/straggler.h"

enum { LATE_EVERY = 1024 /* polls of a barrier word between two looks at the clock */ };

#define FAILED (UINT64_C(1) << 62)

/* The end of a run: the root's result on its way along the tree. */
struct run_result {
    uint64_t origin; /* rank where the root task ended; it is the root of the tree */
    uint64_t size;   /* bytes of the result, which lies in result_area; plus FAILED if the root has failed */
};

/* The words of barriers and of ends of runs. */
struct words {
    _Alignas(UAT_CACHE_LINE) uint64_t runs_ended; /* HCA atomics only: the tree's parent adds 1 at each run's end */
    /* HCA atomics only: +1 by the partner of each round. */
    _Alignas(UAT_CACHE_LINE) uint64_t barrier[UAT_BARRIER_ROUNDS];
    /* WRITTEN by the tree's parent, or stored by this CPU where the root ended. */
    _Alignas(UAT_CACHE_LINE) struct run_result run_result;
    /* WRITTEN by the partner of each round. The barrier's parity is the index, since no worker is two barriers ahead of
     * another. */
    struct uat_told told[2][UAT_BARRIER_ROUNDS];
};

/* Sources and targets of the operations that this worker posts. */
struct staging {
    uint64_t old; /* old value that an atomic returns */
    struct uat_told told;
};

static struct uat_area words_area = {
    .name = "barriers and ends of runs", .size = sizeof(struct words), .peers = UAT_PEERS_CHANGE, .striped = true};
static struct uat_area result_area = {.name = "the root's result", .peers = UAT_PEERS_CHANGE};
static struct uat_area staging_area = {
    .name = "staging of barriers", .size = sizeof(struct staging), .peers = UAT_PEERS_NOTHING};

struct uat_members uat_members;

static struct words *words(void)
{
    return words_area.at;
}

static struct staging *staging(void)
{
    return staging_area.at;
}

void uat_collective_reserve(void)
{
    result_area.size = uat_segment.result_max;
    uat_segment_reserve(&words_area);
    uat_segment_reserve(&result_area);
    uat_segment_reserve(&staging_area);
}

void uat_collective_open(struct uat_transport *transport)
{
    uat_members = (struct uat_members){.transport = transport};
}

void uat_collective_reset(void)
{
    memset(words_area.at, 0, words_area.size);
    memset(result_area.at, 0, result_area.size);
    uat_collective_open(uat_members.transport);
}

const uint64_t *uat_collective_atomic(void)
{
    return words()->barrier;
}

/* Acquire: orders this load before the loads of run_result and result. Pairs with the FETCH_ADD on runs_ended in
 * tell(), which follows the WRITEs of both (O1). */
static uint64_t load_runs_ended(void)
{
    return uat_cpu_load_acquire(&words()->runs_ended);
}

bool uat_collective_announced(void)
{
    uint64_t ended = load_runs_ended();
    if (__builtin_expect(ended - uat_members.runs > 1, 0)) /* a barrier follows each run */
        uat_word_refuse(uat_self.rank, "the number of runs that have ended", ended);
    return ended != uat_members.runs;
}

/* The size of the result that a peer passed on. The peer chose it, so check it against the room. */
static uint64_t run_result_size(void)
{
    uint64_t size = words()->run_result.size & ~FAILED;
    if (size > uat_segment.result_max)
        uat_word_refuse(uat_self.rank, "the size of the run's result", size);
    return size;
}

/* Tell one worker that the run has ended. Waits for completion, since the WRITEs read this worker's run_result and
 * result. */
static void tell(int rank)
{
    struct words *own = words(), *there = uat_segment_of(rank, own);
    struct uat_op chain[] = {
        /* The two WRITEs may execute in any order, but both before the FETCH_ADD (O1); pairs with load_runs_ended(). */
        uat_op_write(&own->run_result, &there->run_result, sizeof(struct run_result)),
        uat_op_write(result_area.at, result_area.at, uat_round8(run_result_size())),
        uat_op_fetch_add(&staging()->old, &there->runs_ended, 1),
    };
    uat_check(uat_transport_do(uat_members.transport, rank, chain, 3));
    uat_crew_wake(rank);
}

void uat_collective_announce(const void *result, size_t size, bool failed)
{
    words()->run_result =
        (struct run_result){.origin = (uint64_t)uat_members.transport->rank, .size = size | (failed ? FAILED : 0)};
    if (size > 0)
        memcpy(result_area.at, result, run_result_size());
    /* The HCA adds 1 here, too, so that only HCAs change this word. No WRITEs are needed: this
     * worker's words are set already. */
    struct uat_op op = uat_op_fetch_add(&staging()->old, &words()->runs_ended, 1);
    uat_check(uat_transport_do(uat_members.transport, uat_members.transport->rank, &op, 1));
}

void uat_collective_pass_on(void)
{
    uint64_t from = words()->run_result.origin;
    int n = uat_members.transport->size, origin = (int)from;
    if (from >= (uint64_t)n)
        uat_word_refuse(uat_self.rank, "the rank where the run has ended", from);
    int self = (uat_members.transport->rank - origin + n) % n; /* number in a binomial tree whose root is 0 */
    int step = 1;
    while (step < n && (self & step) == 0)
        step <<= 1;
    for (step >>= 1; step > 0; step >>= 1)
        if (self + step < n)
            tell((self + step + origin) % n);
    uat_members.runs++;
}

const void *uat_collective_result(size_t *size)
{
    *size = run_result_size();
    return result_area.at;
}

const void *uat_collective_failure(size_t size)
{
    return words()->run_result.size == (size | FAILED) ? result_area.at : NULL;
}

int uat_members_await(const uint64_t *word, uint64_t number, int partner)
{
    struct uat_relax relax = {0};
    struct uat_transport *t = uat_members.transport;
    /* Acquire: orders all that other workers did before the barrier ahead of all that this worker does after it. It
     * also orders the partner's WRITE of the status before this worker reads it. Pairs with the chains of pass_round()
     * here, and of tell_parent() and tell_child() in tree.c. */
    for (;;) {
        uint64_t count = uat_cpu_load_acquire(word), late = number - count;
        if (__builtin_expect(late + 1 > 2, 0)) /* the partner may be one barrier ahead */
            uat_word_refuse(uat_self.rank, "a count of a barrier or a tree", count);
        if (late != 1)
            break;
        int rc = t->class_->progress(t); /* notices a broken connection */
        if (rc)
            return rc;
        if (uat_relax_long(&relax) || relax.spins % LATE_EVERY == 0)
            uat_straggler_barrier(partner);
    }
    uat_straggler_over();
    return 0;
}

void uat_members_check(const struct uat_told *told)
{
    if (told->status > 0 || told->status < UAT_STATUS_MIN)
        uat_word_refuse(uat_self.rank, "a partner's status", (uint64_t)told->status);
}

/*
 * One round of barrier `number`: notify the worker `distance` ranks ahead, and wait for the worker `distance` ranks
 * back. *known: the lowest status so far, and rank 0's word once it has arrived.
 */
static int pass_round(uint64_t number, int round, int distance, struct uat_told *known)
{
    struct uat_transport *t = uat_members.transport;
    struct words *own = words();
    struct staging *sources = staging();
    struct uat_told *told = &own->told[number % 2][round];
    int from = (t->rank - distance % t->size + t->size) % t->size, to = (t->rank + distance) % t->size;
    struct words *there = uat_segment_of(to, own);
    sources->told = *known;
    struct uat_op chain[] = {
        uat_op_write(&sources->told, &there->told[number % 2][round], sizeof(*told)),
        /* Takes effect after the WRITE (O1): a worker that sees the count in uat_members_await() also sees `told`. */
        uat_op_fetch_add(&sources->old, &there->barrier[round], 1),
    };
    int rc = uat_transport_do(t, to, chain, 2);
    if (!rc)
        rc = uat_members_await(&own->barrier[round], number, from);
    if (rc)
        return rc;
    uat_call_compare(from, told->call);
    uat_members_check(told);
    if (told->status < known->status)
        known->status = told->status;
    if (from < distance) { /* the partner's word covers the `distance` ranks up to the partner, rank 0 among them */
        if (t->rank == 0 && told->word != known->word)
            uat_word_refuse(from, "rank 0's word, as told by a partner,", told->word);
        known->word = told->word;
    }
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
        uat_fatal_note_reported();
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
