/* SPDX-License-Identifier: MIT */
/*
 * Global memory as the runtime sees it: opening, closing, and the hooks at the edges of the task graph.
 *
 * A crossing edge is a happens-before edge between tasks on two different workers. After RELEASE every byte that this
 * worker checked in lies in its home's memory. After ACQUIRE cached bytes count as outdated. The hooks:
 *
 *   a  before_publication   RELEASE before a continuation is published, and before `claims` is read
 *   b  before_end           RELEASE before the FETCH_ADD of a child's end
 *   c  before_wait          RELEASE before the FETCH_ADD of a joiner that waits
 *   d  after_steal          ACQUIRE after a steal has won
 *   e  after_join           ACQUIRE after a join that came second
 *   f  after_resume         ACQUIRE after a stack has come from another worker, or the last child of a group has ended
 *   g  run_begins, run_ends, before_barrier, after_barrier, before_stop
 *
 * With continuation stealing, spawns and joins have only these kinds of crossing edges: a to d, b to e and c to f, and
 * for groups b to f. The edges of flows, of adaptive intervals and of the objects of uat/sync.h use hooks b to f, too:
 * RELEASE at the source, ACQUIRE at the target.
 */
#ifndef UAT_GLOBAL_HOOKS_H
#define UAT_GLOBAL_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"
#include "include/uat.h"
#include "include/uat/global.h"

/* Torture: call `watch` at each checkout in an array from now on, until the end of the job. */
void uat_global_watch(void (*watch)(uintptr_t at, size_t bytes, bool writes));

/* The head of this worker's list of objects that other workers freed. Adapters change it. NULL while global memory is
 * closed. */
const uint64_t *uat_objects_freed_word(void);

/* Does p lie in an array that tasks may write? Frozen arrays, temporary arrays and objects do not count. */
bool uat_global_is_array(const void *p);

/* Does p lie in an array of which each rank keeps one block, in the order of the ranks? If so, set *start to the
 * array's address, and *chunk to the bytes of a block. */
bool uat_global_blocked(const void *p, uintptr_t *start, uint64_t *chunk);

/* A temporary array (uat/object.h); NULL, without a message, if there is no room or uat_global_temporary_open() was not
 * called. Its memory is distributed in chunks of uat_global_temporary_chunk() bytes, which is 0 in the latter case. */
void *uat_global_temporary_try(size_t bytes);
size_t uat_global_temporary_chunk(void);

/* Is there far memory? There is if global memory is open in a job of several hosts. */
bool uat_global_is_far(void);
/* The number of the host that keeps the byte at p. Returns -1 if p is no address of global memory. */
int uat_global_host(const void *p);
/* Does this worker's CPU reach the memory of one of the hosts first, first + step, ...? It does if there is no far
 * memory. */
bool uat_global_host_is_near(int first, int step);

/*
 * Torture: uat_global_fence() makes the near pages of all arrays of uat_global_alloc() inaccessible, except those of
 * frozen arrays. uat_global_fence_open() makes the pages of a named range accessible again. uat_global_unfence() makes
 * all pages accessible again. Between uat_global_fence() and uat_global_unfence() the worker runs one task, which must
 * not wait.
 */
void uat_global_fence(void);
void uat_global_fence_open(const void *p, size_t bytes, bool writes);
void uat_global_unfence(void);

/*
 * Explain an access to an address, for an error message. Returns false if this is no global address, or one that this
 * worker's CPU can access. Async-signal-safe except for snprintf().
 */
bool uat_global_explain(uintptr_t address, char *text, size_t size);

/* The hooks. before_publication returns false, which means "not now", if releases have taken too much time lately. */
bool uat_global_before_publication(void);
void uat_global_before_end(void);
void uat_global_before_wait(void);
void uat_global_after_steal(void);
void uat_global_after_join(void);
void uat_global_after_resume(void);
void uat_global_before_barrier(void);
void uat_global_after_barrier(void);
/* RELEASE before this worker stops for a checkpoint. Caches stay valid: no worker writes until all continue. */
void uat_global_before_stop(void);
int uat_global_run_begins(void);
void uat_global_run_ends(void);

/* The word that hook (a) reads first. It is true if some byte may not be at its home. The deque reads this word before
 * each publication. */
const bool *uat_global_unreleased(void);

enum { UAT_OPEN_MAX = 256 /* maximum number of recorded checkouts */ };

/*
 * The open checkouts of this worker (G3). Records 1 to uat_far.last are far ranges, and those near ranges that lie
 * outside of the longest near run of their array. Under torture no near run is set, so all near ranges are recorded.
 * The other near ranges are not recorded: uat_near only counts them. Record 0 is no range, and matches nothing that can
 * be checked in.
 */
extern struct uat_open uat_opens[1 + UAT_OPEN_MAX] UAT_KERNEL_OBJECT;
/* The number of split-phase transfers in flight. */
extern uint64_t uat_transfers_open UAT_KERNEL_OBJECT;

/* Ends the job with a message. */
void uat_global_refuse_opened(const char *where) __attribute__((cold));

/* Is anything checked out or in flight? */
static inline bool uat_global_has_open(void)
{
    return uat_far.last != uat_opens || (uat_transfers_open | (uat_near.begun - uat_near.ended)) != 0;
}

/* Ends the job if anything is checked out or in flight (G3). where: "at a spawn", ... */
static inline void uat_global_refuse_open(const char *where)
{
    if (__builtin_expect(uat_global_has_open(), 0))
        uat_global_refuse_opened(where);
}

#endif
