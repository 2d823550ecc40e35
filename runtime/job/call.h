/* SPDX-License-Identifier: MIT */
/*
 * The collective call that this worker is in, and the check that the other workers are in the same call.
 *
 * All workers make the same collective calls in the same order. Each call has a kind and a number. The numbers count up
 * from uat_init(), which has number 0. Number and kind form one word of the segment, which peers READ. A worker
 * compares a peer's word with its own wherever it waits for that peer:
 *
 *   in a barrier,     Each message carries the word. Once a second the worker also READs the word of the partner that
 *   or in a tree      it waits for: the partner may be in a call that has no barrier yet, such as uat_run().
 *   in uat_run()      An idle worker READs rank 0's word once a second until rank 0, which has the root, is there.
 *
 * A mismatch is always found. Consider the ring in which each rank waits for the rank before it. If any two ranks are
 * in different calls, then two neighbours in the ring are in different calls. One of these neighbours ends the job with
 * a message that names both calls.
 *
 * A lower number is no mismatch: the worker with the lower number is late, and may be late for any length of time.
 *
 * A new collective call needs
 * - a kind here, and its name in call.c,
 * - uat_call_enter() where it starts, and uat_call_leave() where it ends,
 * - between these two, on every path, a barrier or a sum along the tree.
 */
#ifndef UAT_CALL_H
#define UAT_CALL_H

#include <stdbool.h>
#include <stdint.h>

enum uat_collective {
    UAT_CALL_INIT,
    UAT_CALL_RUN,
    UAT_CALL_BARRIER,
    UAT_CALL_REPLICATE,
    UAT_CALL_REPLICATE_FREE,
    UAT_CALL_STATS,
    UAT_CALL_GLOBAL_OPEN,
    UAT_CALL_GLOBAL_ALLOC,
    UAT_CALL_GLOBAL_FREE,
    UAT_CALL_GLOBAL_FREEZE,
    UAT_CALL_GLOBAL_THAW,
    UAT_CALL_GLOBAL_TEMPORARY_OPEN,
    UAT_CALL_FINALIZE,
    UAT_CALLS
};

/* What a peer is doing, relative to this worker's call. */
enum uat_peer_call {
    UAT_PEER_LATE,    /* has not entered this call */
    UAT_PEER_BUSY,    /* is in this call, and does not wait in a barrier or a tree */
    UAT_PEER_WAITING, /* is in this call, and waits in a barrier or a tree */
    UAT_PEER_DIFFERS  /* is in another call, or has already left this one */
};

/* Reserve the words of calls in the segment. */
void uat_call_reserve(void);

/* Count collective calls from 0 again. */
void uat_call_reset(void);

/* Open: the job is up, and collective calls are accepted. Close: the job is over, and they are refused forever. */
void uat_call_open(void);
void uat_call_close(void);

/* May this call be made now? The call must come after uat_init(), before uat_finalize() and outside of tasks. If not,
 * prints one line and returns -EINVAL. */
int uat_call_check(enum uat_collective call);

/* May uat_init() be called? If not, prints one line and returns -EALREADY. */
int uat_call_check_init(void);

/* Enter a call that uat_call_check() has allowed; leave it. */
void uat_call_enter(enum uat_collective call);
void uat_call_leave(void);

/* The call that this worker is in, or was in last. uat_call_word(): its number and kind in one word. uat_call_name():
 * its name, with "()". */
uint64_t uat_call_word(void);
const char *uat_call_name(void);

/* Compare a word that rank has sent with this worker's own. Ends the job unless they agree. */
void uat_call_compare(int rank, uint64_t word);

/* READ what rank is doing. *word becomes its call, for uat_call_compare(). Ends the job if rank cannot be reached. */
enum uat_peer_call uat_call_look(int rank, uint64_t *word);

/* Show peers whether this worker waits in a barrier or a tree. */
void uat_call_set_waiting(bool waiting);

#endif
