/* SPDX-License-Identifier: MIT */
/*
 * Cancellation of task groups. A cancellable group has an object (waitobj.h) at the worker that made it. When the group
 * is cancelled, the object's guard becomes UAT_WAITOBJ_SET for good. The object's words never change. So a query does
 * not take the guard. At the home, the query loads the guard. Any other worker READs guard and words together, and
 * keeps the answer "no" for UAT_CANCEL_AGE_NS, and "yes" until it needs the place for another group.
 */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "include/uat.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/sync/waitobj.h"

enum { SERIAL, OUTER, OUTER_SERIAL, WORDS }; /* indices of struct uat_waitobj's words */
enum {
    KEPT = 16,          /* maximum number of far groups whose state is kept */
    RESTARTS_SHIFT = 44 /* position of the number of restarts in a serial number */
};

/* The state of a far group at this worker's last READ. Serial numbers distinguish a group from a later one in its
 * place. */
struct kept {
    uat_cancel_t cancel, outer;
    uint64_t until; /* a state that is not `set` is kept until this time, by uat_clock_ns() */
    bool set;
};
static struct kept kept[KEPT];

static struct kept *kept_of(uat_cancel_t cancel)
{
    return &kept[cancel.object / UAT_HEAP_UNIT % KEPT];
}

void uat_cancel_forget(void)
{
    memset(kept, 0, sizeof(kept));
}

static _Noreturn void refuse(uat_cancel_t cancel, const char *what)
{
    uat_fatal("%s: group %" PRIx64
              " of rank %d is not cancellable, or was waited for already; its handle is valid from "
              "uat_group_make_cancellable() to uat_group_wait()",
              what, cancel.object & ((UINT64_C(1) << 48) - 1), uat_waitobj_rank(cancel.object));
}

/* Ends the job unless these words belong to the handle's group. */
static void check(uat_cancel_t cancel, const struct uat_waitobj *o, uint64_t guard, const char *what)
{
    bool ended = guard != UAT_WAITOBJ_SET && guard > (uint64_t)uat_self.size;
    if (ended || o->kind != (UAT_WAITOBJ_MAGIC | UAT_PARK_CANCEL) || o->word[SERIAL] != cancel.serial)
        refuse(cancel, what);
}

uat_cancel_t uat_group_make_cancellable(uat_group_t *group)
{
    static uint64_t serial;
    if (group->self != group || group->record || group->cancel.object != group->outer.object)
        uat_fatal("uat_group_make_cancellable(): the group at %p was not begun, has children, or is cancellable "
                  "already; call "
                  "it once, after uat_group_begin()",
                  (void *)group);
    uint64_t number = uat_self.restarts << RESTARTS_SHIFT | ++serial; /* differs from all numbers before a restart */
    const uint64_t word[4] = {[SERIAL] = number, [OUTER] = group->outer.object, [OUTER_SERIAL] = group->outer.serial};
    group->cancel = (uat_cancel_t){uat_waitobj_create(UAT_PARK_CANCEL, 0, word), number};
    return group->cancel;
}

void uat_group_end_cancel(uat_group_t *group)
{
    uat_waitobj_destroy(group->cancel.object, UAT_PARK_CANCEL, "uat_group_wait()");
    group->cancel = group->outer;
}

void uat_group_cancel(uat_cancel_t cancel)
{
    static const char what[] = "uat_group_cancel()";
    if (cancel.object == 0)
        refuse(cancel, what);
    const struct uat_waitobj *o = uat_waitobj_take(cancel.object, UAT_PARK_CANCEL, what);
    if (!o) { /* the group was cancelled before; a kept answer may still say "no" */
        kept_of(cancel)->until = 0;
        return;
    }
    if (o->word[SERIAL] != cancel.serial)
        refuse(cancel, what);
    *kept_of(cancel) =
        (struct kept){cancel, {o->word[OUTER], o->word[OUTER_SERIAL]}, uat_clock_ns() + UAT_CANCEL_AGE_NS, true};
    uat_waitobj_leave(cancel.object, UAT_WAITOBJ_SET);
}

static void read_far(uat_cancel_t cancel, struct kept *k)
{
    struct uat_waitobj *o = uat_waitobj_address(cancel.object), *copy = (void *)uat_sync_staging()->held;
    struct uat_op op = uat_op_read(copy, o, offsetof(struct uat_waitobj, word[WORDS]));
    uat_waitobj_check(cancel.object, UAT_PARK_CANCEL, "uat_cancelled()");
    uat_waitobj_do(cancel.object, &op, 1);
    check(cancel, copy, copy->guard, "uat_cancelled()");
    *k = (struct kept){cancel,
                       {copy->word[OUTER], copy->word[OUTER_SERIAL]},
                       uat_clock_ns() + UAT_CANCEL_AGE_NS,
                       copy->guard == UAT_WAITOBJ_SET};
}

/* Was this group itself cancelled? Sets *outer to the enclosing group. */
static bool is_set(uat_cancel_t cancel, uat_cancel_t *outer)
{
    if (uat_waitobj_is_near(cancel.object) &&
        (cancel.object - uat_self.near_first) % UAT_HEAP_UNIT == UAT_HEAP_HEADER) {
        const struct uat_waitobj *o = uat_waitobj_address(cancel.object);
        /* Acquire: orders the load of the guard before the loads of the words, in case a new object is being made in
         * this place. Nothing else is ordered. Pairs with the CMP_SWAP in uat_waitobj_leave(). */
        uint64_t guard = uat_cpu_load_acquire(&o->guard);
        check(cancel, o, guard, "uat_cancelled()");
        *outer = (uat_cancel_t){o->word[OUTER], o->word[OUTER_SERIAL]};
        return guard == UAT_WAITOBJ_SET;
    }
    struct kept *k = kept_of(cancel);
    if (k->cancel.object != cancel.object || k->cancel.serial != cancel.serial ||
        (!k->set && k->until < uat_clock_ns()))
        read_far(cancel, k);
    *outer = k->outer;
    return k->set;
}

int uat_cancelled(uat_cancel_t cancel)
{
    while (cancel.object != 0) {
        uat_cancel_t outer;
        if (is_set(cancel, &outer))
            return 1;
        cancel = outer;
    }
    return 0;
}
