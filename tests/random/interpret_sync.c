/* SPDX-License-Identifier: MIT */
/* Operations on objects that tasks wait for. The reference never waits, because it executes all operations in order. */
#include <errno.h>
#include <stdio.h>

#include "uat/channel.h"
#include "uat/lock.h"
#include "uat/semaphore.h"
#include "tests/mix.h"
#include "tests/random/interpret.h"

/* A value's bytes are determined by its number. */
static uint64_t value_stamp(int thing, uint64_t number)
{
    return mix(program.seed ^ ((uint64_t)thing * 1000003 + number));
}

static uat_channel_t channel_of(int thing)
{
    struct handle h = memory_handle(thing);
    return (uat_channel_t){h.object, h.size};
}

static uat_mutex_t mutex_of(int thing)
{
    return (uat_mutex_t){memory_handle(thing).object};
}

static uat_condition_t condition_of(int thing)
{
    return (uat_condition_t){memory_handle(thing).size};
}

/* A name must not be reused after its channel was destroyed, so the name contains the number of this execution. */
static uat_channel_t named(const struct thing *t)
{
    char name[UAT_CHANNEL_NAME_MAX + 1];
    snprintf(name, sizeof(name), "%lu %d", executions, (int)(t - program.thing));
    return uat_channel_named(name, t->size, t->count);
}

static struct handle new_handle(const struct thing *t)
{
    uat_future_t future;
    uat_channel_t channel;
    switch (t->kind) {
    case FUTURE:
        future = uat_future_create(t->size);
        return (struct handle){future.object, future.size};
    case LATCH:
        return (struct handle){uat_latch_create(t->count).object, 0};
    case SEMAPHORE:
        return (struct handle){uat_semaphore_create(0).object, 0};
    case CHANNEL:
        channel = t->special ? named(t) : uat_channel_create(t->size, t->count);
        return (struct handle){channel.object, channel.size};
    case MUTEX:
        return (struct handle){(t->special ? uat_mutex_create_biased() : uat_mutex_create()).object,
                               uat_condition_create().object};
    default:
        return (struct handle){uat_task_barrier_create(t->count).object, 0};
    }
}

static void create(const struct op *o)
{
    const struct thing *t = &program.thing[o->thing];
    if (t->kind == MUTEX && t->range.bytes) {
        stamp_fill(memory_checkout(t->range, UAT_WRITE), t->stamp, 0, t->range.bytes);
        memory_checkin(t->range, UAT_WRITE);
    }
    if (!plain)
        memory_set_handle(o->thing, new_handle(t));
}

static void destroy(const struct op *o)
{
    struct handle h = memory_handle(o->thing);
    switch (program.thing[o->thing].kind) {
    case FUTURE:
        uat_future_destroy((uat_future_t){h.object, h.size});
        break;
    case LATCH:
        uat_latch_destroy((uat_latch_t){h.object});
        break;
    case SEMAPHORE:
        uat_semaphore_destroy((uat_semaphore_t){h.object});
        break;
    case CHANNEL:
        uat_channel_destroy((uat_channel_t){h.object, h.size});
        break;
    case MUTEX:
        uat_mutex_destroy((uat_mutex_t){h.object});
        uat_condition_destroy((uat_condition_t){h.size});
        break;
    default:
        uat_task_barrier_destroy((uat_task_barrier_t){h.object});
    }
}

/* --- futures */

static void set(const struct op *o)
{
    char value[VALUE_MAX];
    struct handle h = memory_handle(o->thing);
    stamp_fill(value, value_stamp(o->thing, 0), 0, h.size);
    uat_future_set((uat_future_t){h.object, h.size}, value);
}

static void get(const struct op *o, bool once)
{
    char value[VALUE_MAX];
    struct handle h = memory_handle(o->thing);
    uat_future_t future = {h.object, h.size};
    bool there = true;
    if (once)
        there = !uat_future_try_get(future, value);
    else if (o->way == 1)
        while (uat_future_try_get(future, value))
            uat_yield();
    else
        uat_future_get(future, value);
    check_that(o, !there || stamp_is(value, value_stamp(o->thing, 0), 0, h.size), "the value of a future");
}

/* --- semaphores and channels */

static void acquire(const struct op *o)
{
    uat_semaphore_t semaphore = {memory_handle(o->thing).object};
    for (uint64_t i = 0; i < o->count; i++) {
        if (o->way == 1)
            while (uat_semaphore_try_acquire(semaphore))
                uat_yield();
        else
            uat_semaphore_acquire(semaphore);
    }
}

static void send(const struct op *o)
{
    char value[VALUE_MAX];
    uat_channel_t channel = channel_of(o->thing);
    stamp_fill(value, value_stamp(o->thing, o->value), 0, channel.size);
    int rc = -EAGAIN;
    if (o->way == 1 && channel.object && program.thing[o->thing].count)
        while ((rc = uat_channel_try_send(channel, value)) == -EAGAIN)
            uat_yield();
    else
        rc = uat_channel_send(channel, value);
    check_that(o, rc == 0, "what a send returns");
}

static void receive(const struct op *o)
{
    char value[VALUE_MAX];
    const struct thing *t = &program.thing[o->thing];
    uat_channel_t channel = t->special && o->way == 3 ? named(t) : channel_of(o->thing);
    int rc;
    if (o->way == 1 && program.thing[o->thing].count)
        while ((rc = uat_channel_try_receive(channel, value)) == -EAGAIN)
            uat_yield();
    else
        rc = uat_channel_receive(channel, value);
    check_that(o, rc == (o->count ? 0 : -EPIPE), "what a receive returns");
    check_that(o, rc || stamp_is(value, value_stamp(o->thing, o->value), 0, channel.size), "a value that was received");
}

static void select_some(const struct op *o)
{
    char value[CASES][VALUE_MAX];
    uat_case_t cases[CASES];
    uint32_t done[CASES] = {0};
    for (;;) {
        int n = 0, which[CASES], taken;
        for (int i = 0; i < (int)o->count; i++) {
            const struct choice *c = &o->choice[i];
            if (done[i] == c->count)
                continue;
            cases[n] = (uat_case_t){channel_of(c->thing), c->sends, value[i], 1};
            if (c->sends)
                stamp_fill(value[i], value_stamp(c->thing, c->first), 0, cases[n].channel.size);
            which[n++] = i;
        }
        if (n == 0)
            return;
        if (o->way == 1)
            while ((taken = uat_try_select(cases, n)) == -EAGAIN)
                uat_yield();
        else
            taken = uat_select(cases, n);
        check_that(o, taken >= 0 && taken < n && cases[taken].status == 0, "what a select returns");
        const struct choice *c = &o->choice[which[taken]];
        uint64_t stamp = value_stamp(c->thing, c->first + done[which[taken]]++);
        check_that(o, stamp_is(value[which[taken]], stamp, 0, cases[taken].channel.size), "a value that was selected");
    }
}

/* --- mutexes */

/* The number of critical sections so far. All bytes must have this number. */
static unsigned char turns(const struct op *o, const char *place)
{
    char bytes[4096];
    uint64_t stamp = program.thing[o->thing].stamp;
    stamp_fill(bytes, stamp, 0, o->range.bytes);
    unsigned char n = (unsigned char)(place[0] - bytes[0]);
    for (uint32_t i = 0; i < o->range.bytes; i++)
        check_that(o, (unsigned char)(place[i] - bytes[i]) == n, "a guarded byte");
    return n;
}

static void count_turn(const struct op *o)
{
    char local[4096], *place = local;
    bool copies = o->way & 2;
    if (!o->range.bytes)
        return;
    if (copies)
        memory_get(local, o->range);
    else
        place = memory_checkout(o->range, UAT_READ_WRITE);
    turns(o, place);
    for (uint32_t i = 0; i < o->range.bytes; i++)
        place[i]++;
    if (copies)
        memory_put(o->range, local);
    else
        memory_checkin(o->range, UAT_READ_WRITE);
}

void interpret_locked(const struct op *o)
{
    if (plain) {
        count_turn(o);
        return;
    }
    uat_mutex_t mutex = mutex_of(o->thing);
    if (o->way & 1)
        while (uat_mutex_try_lock(mutex))
            uat_yield();
    else
        uat_mutex_lock(mutex);
    count_turn(o);
    if (o->way & 2)
        for (int i = 0; i < CASES; i++) /* several tasks may wait, and a woken task may have to wait again */
            uat_condition_signal(condition_of(o->thing));
    uat_condition_broadcast(condition_of(o->thing));
    uat_mutex_unlock(mutex);
}

static void wait_for_turns(const struct op *o)
{
    uat_mutex_t mutex = mutex_of(o->thing);
    char local[4096];
    uat_mutex_lock(mutex);
    for (;;) {
        memory_get(local, o->range);
        if (turns(o, local) >= o->count)
            break;
        uat_condition_wait(condition_of(o->thing), mutex);
    }
    uat_mutex_unlock(mutex);
}

static void try_lock(const struct op *o)
{
    uat_mutex_t mutex = mutex_of(o->thing);
    if (!uat_mutex_try_lock(mutex))
        uat_mutex_unlock(mutex);
}

static void interpret_other(const struct op *o)
{
    switch (o->kind) {
    case OP_LOCKED:
        interpret_locked(o);
        break;
    case OP_TRY_LOCK:
        try_lock(o);
        break;
    case OP_CONDITION:
        wait_for_turns(o);
        break;
    case OP_GROUP:
        uat_task_barrier_wait((uat_task_barrier_t){memory_handle(o->thing).object});
        break;
    default:
        break;
    }
}

void interpret_sync(const struct op *o)
{
    switch (o->kind) {
    case OP_CREATE:
        create(o);
        break;
    case OP_DESTROY:
        destroy(o);
        break;
    case OP_SET:
        set(o);
        break;
    case OP_GET:
    case OP_TRY_GET:
        get(o, o->kind == OP_TRY_GET);
        break;
    case OP_COUNT_DOWN:
        uat_latch_count_down((uat_latch_t){memory_handle(o->thing).object}, o->count);
        break;
    case OP_WAIT:
        uat_latch_wait((uat_latch_t){memory_handle(o->thing).object});
        break;
    case OP_UP:
        uat_semaphore_release((uat_semaphore_t){memory_handle(o->thing).object}, o->count);
        break;
    case OP_DOWN:
        acquire(o);
        break;
    case OP_SEND:
        send(o);
        break;
    case OP_RECEIVE:
        receive(o);
        break;
    case OP_SELECT:
        select_some(o);
        break;
    case OP_CLOSE_CHANNEL:
        uat_channel_close(channel_of(o->thing));
        break;
    default:
        interpret_other(o);
    }
}
