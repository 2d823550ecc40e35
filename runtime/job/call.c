/* SPDX-License-Identifier: MIT */
#include "runtime/job/call.h"

#include <errno.h>
#include <inttypes.h>

#include "base/log.h"
#include "base/word.h"
#include "runtime/segment/segment.h"
#include "runtime/job/self.h"
#include "runtime/job/fatal.h"
#include "runtime/job/stall.h"

enum { KIND_BITS = 8, CALL_BITS = 40 /* nobody makes 2^40 calls */ };

static const char *const names[UAT_CALLS] = {[UAT_CALL_INIT] = "uat_init()",
                                             [UAT_CALL_RUN] = "uat_run()",
                                             [UAT_CALL_BARRIER] = "uat_barrier()",
                                             [UAT_CALL_REPLICATE] = "uat_replicate()",
                                             [UAT_CALL_REPLICATE_FREE] = "uat_replicate_free()",
                                             [UAT_CALL_STATS] = "uat_stats_total() or uat_stats_detail_total()",
                                             [UAT_CALL_FINALIZE] = "uat_finalize()",
                                             [UAT_CALL_GLOBAL_OPEN] = "uat_global_open()",
                                             [UAT_CALL_GLOBAL_ALLOC] = "uat_global_alloc()",
                                             [UAT_CALL_GLOBAL_FREE] = "uat_global_free()",
                                             [UAT_CALL_GLOBAL_FREEZE] = "uat_global_freeze()",
                                             [UAT_CALL_GLOBAL_THAW] = "uat_global_thaw()",
                                             [UAT_CALL_GLOBAL_TEMPORARY_OPEN] = "uat_global_temporary_open()"};

static enum { BEFORE, STARTING, OPEN, CLOSED } state; /* STARTING: in uat_init(), or after it has failed */
static bool inside;                                   /* a collective call is in progress */

/* What this worker publishes about its collective calls. Written by its own CPU only; READ by peers in
 * uat_call_look(). */
struct words {
    uint64_t call;    /* number and kind of the latest call */
    uint64_t waiting; /* 1: waits in a barrier or a tree */
};

static struct uat_area shown = {.name = "calls", .size = sizeof(struct words), .peers = UAT_PEERS_READ};
static struct uat_area seen = {.name = "a peer's calls", .size = sizeof(struct words), .peers = UAT_PEERS_NOTHING};

static struct words *words(void)
{
    return shown.at;
}

void uat_call_reserve(void)
{
    uat_segment_reserve(&shown);
    uat_segment_reserve(&seen);
}

void uat_call_reset(void)
{
    *words() = (struct words){0};
}

static const char *name_of(uint64_t word)
{
    unsigned kind = word & ((1u << KIND_BITS) - 1);
    return kind < UAT_CALLS ? names[kind] : "an unknown call";
}

static uint64_t number_of(uint64_t word)
{
    return word >> KIND_BITS;
}

void uat_call_open(void)
{
    state = OPEN;
}

void uat_call_close(void)
{
    state = CLOSED;
    inside = false;
}

int uat_call_check_init(void)
{
    static const char *const why[] = {[STARTING] = "again after it has failed; a process takes part in one job only",
                                      [OPEN] = "a second time; it is called once",
                                      [CLOSED] = "after uat_finalize(); a process takes part in one job only"};
    if (state == BEFORE) {
        state = STARTING;
        return 0;
    }
    uat_error("uat_init() was called %s", why[state]);
    uat_fatal_note_reported();
    return -EALREADY;
}

int uat_call_check(enum uat_collective call)
{
    static const char *const why[] = {[BEFORE] = "before uat_init(), which is the first call of main()",
                                      [STARTING] = "although uat_init() has failed",
                                      [CLOSED] = "after uat_finalize(), which is the last call"};
    if (state == OPEN && !inside)
        return 0;
    if (state == OPEN)
        uat_error("%s was called inside a task; all workers call it together, outside of uat_run()", names[call]);
    else
        uat_error("%s was called %s", names[call], why[state]);
    uat_fatal_note_reported();
    return -EINVAL;
}

void uat_call_enter(enum uat_collective call)
{
    uint64_t *word = &words()->call;
    /* Relaxed: the word stands alone. Peers sample it now and then by the READ of uat_call_look(); it publishes no
     * other data. */
    __atomic_store_n(word, (number_of(*word) + 1) << KIND_BITS | call, __ATOMIC_RELAXED);
    inside = true;
    uat_stall_set_call(names[call]);
}

void uat_call_leave(void)
{
    inside = false;
    uat_stall_set(UAT_DOING_OUTSIDE);
}

uint64_t uat_call_word(void)
{
    return words()->call;
}

const char *uat_call_name(void)
{
    return name_of(uat_call_word());
}

void uat_call_compare(int rank, uint64_t word)
{
    uint64_t own = uat_call_word(), number = number_of(own);
    if (word == own)
        return;
    if ((word & ((1u << KIND_BITS) - 1)) >= UAT_CALLS || number_of(word) == 0 || number_of(word) >> CALL_BITS)
        uat_word_refuse(rank, "the collective call", word);
    /* Both ranks print the same line. */
    bool first = uat_self.rank < rank;
    if (number_of(word) == number)
        uat_fatal("collective call %" PRIu64
                  " of the program is %s on rank %d, but %s on rank %d; all ranks must make the "
                  "same collective calls in the same order",
                  number, name_of(first ? own : word), first ? uat_self.rank : rank, name_of(first ? word : own),
                  first ? rank : uat_self.rank);
    uat_fatal("rank %d is in its collective call %" PRIu64 ", %s, while rank %d is in its call %" PRIu64
              ", %s; all ranks must make the same collective calls in the same order",
              first ? uat_self.rank : rank, number_of(first ? own : word), name_of(first ? own : word),
              first ? rank : uat_self.rank, number_of(first ? word : own), name_of(first ? word : own));
}

enum uat_peer_call uat_call_look(int rank, uint64_t *word)
{
    uint64_t own = uat_call_word();
    const struct words *peer = seen.at;
    struct uat_op op = uat_op_read(seen.at, shown.at, sizeof(*peer));
    uat_check(uat_transport_do(uat_self.transport, rank, &op, 1));
    *word = peer->call;
    if (number_of(peer->call) < number_of(own))
        return UAT_PEER_LATE;
    if (peer->call != own)
        return UAT_PEER_DIFFERS;
    return peer->waiting ? UAT_PEER_WAITING : UAT_PEER_BUSY;
}

void uat_call_set_waiting(bool waiting)
{
    /* Relaxed: as in uat_call_enter(). */
    __atomic_store_n(&words()->waiting, waiting, __ATOMIC_RELAXED);
}
