/* SPDX-License-Identifier: MIT */
/*
 * Futures. Getting a value that is already set takes no round trip if the future is near: see uat_waitobj_is_near().
 * Otherwise it takes one, { FETCH_ADD(guard, 0); READ size; READ value }. The guard becomes UAT_WAITOBJ_SET only after
 * the WRITE of the value, and the READs follow the FETCH_ADD (O1). Waiting takes one more round trip.
 *
 * uat_future_try_get() finds every uat_future_set() that is ordered before it, although uat_future_set() returns before
 * the guard is final. Until the guard is final, it holds the setter's rank. So uat_future_try_get() looks again if it
 * finds a rank in the guard.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cpu.h"
#include "runtime/global/global.h"
#include "include/uat/sync.h"
#include "runtime/segment/frame.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"

enum { SIZE }; /* indices of struct uat_waitobj's words */

uat_future_t uat_future_create(size_t size)
{
    if (size > uat_segment.result_max && uat_self.transport)
        uat_fatal("a future of %zu bytes is larger than UAT_RESULT_MAX=%zu; set it to %zu or more", size,
                  uat_segment.result_max, (size + 7) / 8 * 8);
    const uint64_t word[4] = {[SIZE] = size};
    return (uat_future_t){uat_waitobj_create(UAT_PARK_FUTURE, uat_round8(size), word), size};
}

/* Check the handle's size, because a copy with a corrupt size would write beyond a buffer. */
static void check_size(uat_future_t f, const char *what)
{
    if (f.size > uat_segment.result_max && uat_self.transport)
        uat_fatal("%s: the handle of a future says %" PRIu64 " bytes (UAT_RESULT_MAX=%zu); it is not one", what, f.size,
                  uat_segment.result_max);
}

/* Ends the job unless the handle is for a value of the future's size. */
static void compare_size(uat_future_t f, uint64_t size, const char *what)
{
    if (size != f.size)
        uat_fatal("%s: a handle for a value of %" PRIu64 " bytes on a future of %" PRIu64 " bytes", what, f.size, size);
}

void uat_future_set(uat_future_t f, const void *value)
{
    static const char what[] = "uat_future_set()";
    check_size(f, what);
    /* Take the guard, as in uat_future_get(). */
    struct uat_waitobj *copy = uat_waitobj_take(f.object, UAT_PARK_FUTURE, what), *o = uat_waitobj_address(f.object);
    if (!copy)
        uat_fatal("%s: future %" PRIx64 " of rank %d was set before; a future is set once", what,
                  f.object & ((UINT64_C(1) << 48) - 1), uat_waitobj_rank(f.object));
    compare_size(f, copy->word[SIZE], what);
    uint64_t head = copy->head, tail = copy->tail;
    memcpy(uat_sync_staging()->value, value, f.size);
    copy->head = copy->tail = 0;
    /* If the future is far, post a WRITE, which arrives before the guard is final. */
    uat_waitobj_write(f.object, uat_sync_staging()->value, o->data, f.size);
    uat_waitobj_leave(f.object, UAT_WAITOBJ_SET); /* a release; then posts the final guard, and does not wait */
    uat_waitobj_wake_all(head, tail, UAT_PARK_FUTURE, 0, uat_sync_staging()->value, f.size);
}

/* Get the value if it is set. Returns the guard, which is UAT_WAITOBJ_SET in that case. */
static uint64_t get_now(uat_future_t f, void *value, const char *what)
{
    struct uat_waitobj *o = uat_waitobj_address(f.object);
    struct uat_sync_staging *staging = uat_sync_staging();
    check_size(f, what);
    uat_waitobj_check(f.object, UAT_PARK_FUTURE, what);
    if (uat_waitobj_is_near(f.object)) {
        /* Acquire: orders the guard before the value; pairs with the CMP_SWAP in uat_waitobj_leave(). */
        uint64_t guard = uat_cpu_load_acquire(&o->guard);
        if (guard != UAT_WAITOBJ_SET)
            return guard;
        uat_global_after_resume(); /* as below */
        compare_size(f, o->word[SIZE], what);
        memcpy(value, o->data, f.size);
        return guard;
    }
    struct uat_op chain[] = {
        uat_op_fetch_add(&staging->old, &o->guard, 0),
        uat_op_read(&staging->word, &o->word[SIZE], sizeof(staging->word)),  /* constant since the future was created */
        uat_op_read(uat_sync_staging()->value, o->data, uat_round8(f.size)), /* after the FETCH_ADD (O1): see above */
    };
    uat_waitobj_do(f.object, chain, f.size > 0 ? 3 : 2); /* post to the home, and wait for completion */
    if (staging->old != UAT_WAITOBJ_SET)
        return staging->old;
    uat_global_after_resume(); /* pairs with the release in uat_waitobj_leave(), called by uat_future_set() */
    compare_size(f, staging->word, what);
    memcpy(value, uat_sync_staging()->value, f.size);
    return UAT_WAITOBJ_SET;
}

int uat_future_try_get(uat_future_t f, void *value)
{
    static const char what[] = "uat_future_try_get()";
    struct uat_relax relax = {0};
    uint64_t guard = get_now(f, value, what);
    for (; guard != 0 && guard != UAT_WAITOBJ_SET;
         guard = get_now(f, value, what)) /* a task may be setting the future */
        uat_waitobj_look_later(f.object, UAT_PARK_FUTURE, what, guard, &relax);
    uat_waitobj_looked(&relax);
    if (guard == UAT_WAITOBJ_SET)
        return 0;
    uat_waitobj_poll_failed();
    return -EAGAIN;
}

/* Wait for a large value. A separate function, so that the common case needs no frame. */
static __attribute__((noinline)) void wait_large(uat_future_t f, void *value)
{
    uint64_t reply[1 + f.size / 8 + 1];
    uat_waitobj_wait(f.object, UAT_PARK_FUTURE, reply);
    memcpy(value, reply + 1, f.size);
}

void uat_future_get(uat_future_t f, void *value)
{
    static const char what[] = "uat_future_get()";
    if (get_now(f, value, what) == UAT_WAITOBJ_SET)
        return;
    /* Take the guard. If the future is far, post { CMP_SWAP guard; READ words } until the swap succeeds:
     * try_take_far(), waitobj.c. */
    const struct uat_waitobj *o = uat_waitobj_take(f.object, UAT_PARK_FUTURE, what);
    if (!o) { /* the future was set meanwhile, and stays set */
        get_now(f, value, what);
        return;
    }
    compare_size(f, o->word[SIZE], what);
    /* This saves the registers. uat_schedule_next(), sched/scheduler.c, then lets uat_park_leave(), sched/park.c,
     * evacuate this task and call uat_waitobj_park(), sync/queue.c. Then it runs another task, if there is one. */
    if (f.size == 8)
        uat_waitobj_wait_word(f.object, UAT_PARK_FUTURE, 0, value);
    else
        wait_large(f, value);
}

void uat_future_destroy(uat_future_t f)
{
    uat_waitobj_destroy(f.object, UAT_PARK_FUTURE, "uat_future_destroy()");
}
