/* SPDX-License-Identifier: MIT */
/*
 * Shared mutexes: one writer, or any number of readers (Courtois, Heymans and Parnas, "Concurrent Control with Readers
 * and Writers", CACM 14(10), 1971). Their words change only under the guard (S1 to S5 in waitobj.h). Model:
 * tests/model/shared.pml.
 *
 *   X1  A task that has to wait queues, and nobody overtakes a queued task. So neither readers nor writers starve.
 *   X2  If tasks wait, then a task holds the mutex, except while a worker that has the guard hands the mutex over.
 *   X3  The last holder hands the mutex over to the first task of the queue and, if that task reads, to all readers
 *       that follow it without a writer between. The new holders are counted before the guard is free.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "base/word.h"
#include "include/uat/lock.h"
#include "include/uat/sync.h"
#include "runtime/sync/waitobj.h"
#include "runtime/job/fatal.h"

enum { READERS, WRITERS };      /* indices of struct uat_waitobj's words: the numbers of tasks that hold the mutex */
enum { READS = 1, WRITES = 2 }; /* tags of waiters */

uat_shared_mutex_t uat_shared_mutex_create(void)
{
    const uint64_t word[4] = {0};
    return (uat_shared_mutex_t){uat_waitobj_create(UAT_PARK_SHARED, 0, word)};
}

static struct uat_waitobj *take(uat_shared_mutex_t m, const char *what)
{
    return uat_waitobj_take(m.object, UAT_PARK_SHARED, what);
}

/* With the guard held: hold the mutex, unless other holders or waiters (X1) are in the way. */
static bool hold(struct uat_waitobj *o, int how)
{
    if (o->head || o->word[WRITERS] > 0 || (how == WRITES && o->word[READERS] > 0))
        return false;
    o->word[how == WRITES ? WRITERS : READERS]++;
    return true;
}

static int try_to_hold(uat_shared_mutex_t m, int how, const char *what)
{
    bool holds = hold(take(m, what), how);
    uat_waitobj_leave(m.object, 0);
    if (holds)
        return 0;
    uat_waitobj_poll_failed();
    return -EAGAIN;
}

static void wait_to_hold(uat_shared_mutex_t m, int how, const char *what)
{
    if (hold(take(m, what), how)) {
        uat_waitobj_leave(m.object, 0);
        return;
    }
    struct uat_park wait = {
        .kind = UAT_PARK_SHARED, .object = m.object, .tag = (uint64_t)how, .park = uat_waitobj_park};
    uat_park(&wait);
}

void uat_shared_mutex_lock(uat_shared_mutex_t m)
{
    wait_to_hold(m, WRITES, "uat_shared_mutex_lock()");
}

void uat_shared_mutex_lock_shared(uat_shared_mutex_t m)
{
    wait_to_hold(m, READS, "uat_shared_mutex_lock_shared()");
}

int uat_shared_mutex_try_lock(uat_shared_mutex_t m)
{
    return try_to_hold(m, WRITES, "uat_shared_mutex_try_lock()");
}

int uat_shared_mutex_try_lock_shared(uat_shared_mutex_t m)
{
    return try_to_hold(m, READS, "uat_shared_mutex_try_lock_shared()");
}

/* With the guard held and without a holder: count the next holders, and dequeue them (X3). Sets *tail to the last of
 * them. Returns the first one, or 0 if no task waits. */
static uint64_t dequeue_next(struct uat_waitobj *o, uint64_t *tail)
{
    uint64_t first = o->head, next = first, passed = 0;
    while (next) {
        struct uat_waking waiter;
        uat_waitobj_check_length(++passed, next);
        uat_waitobj_look(next, &waiter);
        if (waiter.reply != READS && waiter.reply != WRITES)
            uat_word_refuse(uat_waitobj_rank(next), "the tag of a waiter of a shared mutex", waiter.reply);
        if (waiter.reply == WRITES && next != first)
            break;
        o->word[waiter.reply == WRITES ? WRITERS : READERS]++;
        *tail = next;
        next = next == o->tail ? 0 : waiter.next;
        if (waiter.reply == WRITES)
            break;
    }
    o->head = next;
    return first;
}

static void unlock(uat_shared_mutex_t m, int holders, const char *how, const char *what)
{
    struct uat_waitobj *o = take(m, what);
    uint64_t first = 0, tail = 0;
    if (o->word[holders] == 0)
        uat_fatal("%s: shared mutex %" PRIx64 " of rank %d is not locked%s", what, m.object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(m.object), how);
    if (--o->word[holders] == 0)
        first = dequeue_next(o, &tail);
    uat_waitobj_leave(m.object, 0);
    uat_waitobj_wake_all(first, tail, UAT_PARK_SHARED, 0, NULL, 0);
}

void uat_shared_mutex_unlock(uat_shared_mutex_t m)
{
    unlock(m, WRITERS, " for writing", "uat_shared_mutex_unlock()");
}

void uat_shared_mutex_unlock_shared(uat_shared_mutex_t m)
{
    unlock(m, READERS, " for reading", "uat_shared_mutex_unlock_shared()");
}

void uat_shared_mutex_destroy(uat_shared_mutex_t m)
{
    static const char what[] = "uat_shared_mutex_destroy()";
    const struct uat_waitobj *o = take(m, what);
    if ((o->word[READERS] || o->word[WRITERS]) && !o->head)
        uat_fatal("%s: shared mutex %" PRIx64 " of rank %d is locked", what, m.object & ((UINT64_C(1) << 48) - 1),
                  uat_waitobj_rank(m.object));
    uat_waitobj_end(m.object, o, UAT_PARK_SHARED, what);
}
