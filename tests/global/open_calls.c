/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "uat/channel.h"
#include "uat/semaphore.h"
#include "tests/global/open.h"

static int create_and_destroy(void)
{
    uat_mutex_destroy(uat_mutex_create());
    uat_condition_destroy(uat_condition_create());
    uat_task_barrier_destroy(uat_task_barrier_create(2));
    uat_latch_destroy(uat_latch_create(2));
    uat_channel_destroy(uat_channel_create(8, 2));
    return 0;
}

static int use_up(int which, const struct set *s, int fresh)
{
    uint64_t v = 7, got = 0;
    int bad;
    switch (which) {
    case 0:
        uat_future_set(s->future[fresh], &v);
        bad = uat_future_try_get(s->future[fresh], &got); /* the value must be visible at once */
        uat_future_destroy(s->future[fresh]);
        return bad || got != v;
    case 1:
        uat_latch_count_down(s->last[fresh], 1);
        uat_latch_wait(s->last[fresh]);
        return 0;
    case 2:
        bad = uat_channel_send(s->closing[fresh], &v);
        uat_channel_close(s->closing[fresh]);
        bad |= uat_channel_send(s->closing[fresh], &v) != -EPIPE;
        bad |= uat_channel_receive(s->closing[fresh], &got) || got != v;
        return bad | (uat_channel_receive(s->closing[fresh], &v) != -EPIPE);
    default:
        uat_semaphore_destroy(s->doomed[fresh]);
        return 0;
    }
}

static int call_channel(int which, const struct set *s)
{
    uint64_t v = 11, got = 0;
    uat_case_t sends[] = {{s->full, 1, &v, 0}, {s->channel, 1, &v, 0}}, receives[] = {{s->channel, 0, &got, 0}};
    switch (which) {
    case 16:
        return uat_channel_send(s->channel, &v) || uat_channel_receive(s->channel, &got) || got != v;
    case 17:
        return uat_channel_try_receive(s->channel, &got) != -EAGAIN || uat_channel_try_send(s->full, &v) != -EAGAIN ||
               uat_channel_try_send(s->channel, &v) || uat_channel_try_receive(s->channel, &got) || got != v;
    case 18:
        uat_channel_close(s->shut);
        return uat_channel_try_send(s->shut, &v) != -EPIPE || uat_channel_try_receive(s->shut, &v) != -EPIPE;
    case 19:
        return uat_select(sends, 2) != 1 || uat_try_select(receives, 1) != 0 || got != v ||
               uat_try_select(receives, 1) != -EAGAIN;
    default:
        return create_and_destroy();
    }
}

static int call_count(int which, const struct set *s)
{
    int bad;
    switch (which) {
    case 11:
        uat_semaphore_acquire(s->semaphore);
        bad = uat_semaphore_try_acquire(s->semaphore) || uat_semaphore_try_acquire(s->semaphore) != -EAGAIN;
        uat_semaphore_release(s->semaphore, 2);
        return bad;
    case 12:
        uat_semaphore_release(s->semaphore, 0);
        return 0;
    case 13:
        uat_latch_count_down(s->latch, 1);
        return 0;
    case 14:
        uat_latch_wait(s->opened);
        return 0;
    default:
        return uat_task_barrier_wait(s->group) != 1;
    }
}

int call_one(int which, const struct set *s, int fresh)
{
    uint64_t got = 0;
    int status;
    if (which < USED_UP)
        return use_up(which, s, fresh);
    switch (which) {
    case 4:
        uat_future_get(s->set, &got);
        return got != 5;
    case 5:
        return uat_future_try_get(s->set, &got) || got != 5;
    case 6:
        return uat_future_try_get(s->unset, &got) != -EAGAIN;
    case 7:
        uat_mutex_lock(s->mutex);
        status = uat_mutex_try_lock(s->mutex);
        uat_mutex_unlock(s->mutex);
        return status != -EAGAIN;
    case 8:
        status = uat_mutex_try_lock(s->mutex);
        if (!status)
            uat_mutex_unlock(s->mutex);
        return status;
    case 9:
        uat_condition_signal(s->condition);
        return 0;
    case 10:
        uat_condition_broadcast(s->condition);
        return 0;
    default:
        return which < 16 ? call_count(which, s) : call_channel(which, s);
    }
}

void make_set(struct set *s)
{
    *s = (struct set){.mutex = uat_mutex_create(),
                      .condition = uat_condition_create(),
                      .semaphore = uat_semaphore_create(2),
                      .opened = uat_latch_create(0),
                      .latch = uat_latch_create(UINT64_C(1) << 60),
                      .group = uat_task_barrier_create(1),
                      .channel = uat_channel_create(8, 3),
                      .full = uat_channel_create(8, 0),
                      .shut = uat_channel_create(8, 1),
                      .set = uat_future_create(8),
                      .unset = uat_future_create(8)};
    for (int i = 0; i < FRESH; i++) {
        s->future[i] = uat_future_create(8);
        s->last[i] = uat_latch_create(1);
        s->closing[i] = uat_channel_create(8, 1);
        s->doomed[i] = uat_semaphore_create(1);
    }
}

void prepare_set(const struct set *s)
{
    uint64_t v = 5;
    uat_future_set(s->set, &v);
}
