/* SPDX-License-Identifier: MIT */
/* Races for numbers. Several tasks each send their own numbers, and several other tasks receive the numbers. */
#include <errno.h>
#include <string.h>

#include "uat/channel.h"
#include "uat/semaphore.h"
#include "tests/random/race.h"

/* Several senders and receivers use one or two channels. The last task neither sends nor receives: it closes the
 * channels when all senders are done. */

static void send_number(struct race *r, int number)
{
    const struct places *at = r->at;
    char value[VALUE];
    int rc = -EAGAIN, c = (int)race_pick(r, (uint64_t)at->channels);
    size_t size = at->channel[0].size;
    memset(value, 0, sizeof(value));
    stamp_fill(value, race_stamp(r->o, number), 0, size);
    memcpy(value, &number, sizeof(number));
    race_fill(r, number);
    uat_case_t cases[] = {{at->channel[c], 1, value, 1}, {at->channel[1 - c], 1, value, 1}};
    switch (race_pick(r, 4)) {
    case 0:
        while ((rc = uat_channel_try_send(at->channel[c], value)) == -EAGAIN)
            uat_yield();
        break;
    case 1:
        rc = uat_channel_send(at->channel[c], value);
        break;
    case 2:
        while ((c = uat_try_select(cases, at->channels)) == -EAGAIN)
            uat_yield();
        rc = cases[c].status;
        break;
    default:
        rc = cases[uat_select(cases, at->channels)].status;
    }
    check_that(r->o, rc == 0, "what a send in a race returns");
}

/* Receive one value from a channel whose bit in `over` is 0. *c gets that channel's number. Returns 0, or -EPIPE if the
 * channel is closed. */
static int receive_one(struct race *r, unsigned over, char *value, int *c)
{
    const struct places *at = r->at;
    uat_case_t cases[2];
    int n = 0, which[2], taken = 0, rc;
    race_touch(r, r->me * NUMBERS);
    bool polls = race_pick(r, 2) && race_capacity(r->o) > 0; /* with a rendezvous channel one side must wait */
    for (int i = 0; i < at->channels; i++)
        if (!(over >> i & 1)) {
            cases[n] = (uat_case_t){at->channel[i], 0, value, 1};
            which[n++] = i;
        }
    if (n > 1 || race_pick(r, 2)) {
        while ((taken = polls ? uat_try_select(cases, n) : uat_select(cases, n)) == -EAGAIN)
            uat_yield();
        rc = cases[taken].status;
    } else {
        while ((rc = polls ? uat_channel_try_receive(cases[0].channel, value)
                           : uat_channel_receive(cases[0].channel, value)) == -EAGAIN)
            uat_yield();
    }
    *c = which[taken];
    return rc;
}

static void receive_all(struct race *r)
{
    const struct places *at = r->at;
    int last[2][RACERS] = {{0}}, number, c;
    char value[VALUE];
    for (unsigned over = 0; over != (1u << at->channels) - 1;) {
        int rc = receive_one(r, over, value, &c);
        check_that(r->o, rc == 0 || rc == -EPIPE, "what a receive in a race returns");
        if (rc) {
            over |= 1u << c;
            continue;
        }
        size_t size = at->channel[c].size;
        memcpy(&number, value, sizeof(number));
        check_that(r->o, number >= 0 && number < PIECES && !(r->out.numbers >> number & 1), "a number in a channel");
        for (size_t i = 8; i < size; i += 8)
            check_that(r->o, stamp_is(value + i, race_stamp(r->o, number), i, size - i < 8 ? size - i : 8),
                       "a value in a channel");
        check_that(r->o, number + 1 > last[c][number / NUMBERS], "the order of a sender's values");
        last[c][number / NUMBERS] = number + 1;
        r->out.numbers |= UINT64_C(1) << number;
        race_look(r, number);
    }
    race_look(r, (r->all - 1) * NUMBERS); /* reads what was written before the close */
}

void race_for_values(struct race *r)
{
    if (r->me == r->all - 1) {
        uat_latch_wait(r->at->latch);
        race_fill(r, r->me * NUMBERS);
        for (int i = 0; i < r->at->channels; i++)
            uat_channel_close(r->at->channel[i]);
    } else if (r->me < race_senders(r->o)) {
        for (int i = 0; i < NUMBERS; i++)
            send_number(r, r->me * NUMBERS + i);
        uat_latch_count_down(r->at->latch, 1);
    } else {
        receive_all(r);
    }
}

static struct range buffer_of(const struct op *o)
{
    return (struct range){o->range.area, o->range.from, sizeof(struct buffer)};
}

/* The bounded buffer, with a mutex and two conditions. */

static void lock(struct race *r, struct buffer *b, struct range range)
{
    if (race_pick(r, 3))
        uat_mutex_lock(r->at->mutex);
    else
        while (uat_mutex_try_lock(r->at->mutex))
            uat_yield();
    memory_get(b, range);
}

static void wait_for(struct race *r, uat_condition_t condition, struct buffer *b, struct range range)
{
    uat_condition_wait(condition, r->at->mutex);
    memory_get(b, range);
}

static void put_number(struct race *r, struct range range, int number)
{
    struct buffer b;
    race_fill(r, number);
    lock(r, &b, range);
    while (b.count == SLOTS)
        wait_for(r, r->at->emptied, &b, range);
    b.slot[(b.first + b.count++) % SLOTS] = number;
    memory_put(range, &b);
    uat_condition_signal(r->at->filled);
    uat_mutex_unlock(r->at->mutex);
}

static bool take_number(struct race *r, struct range range)
{
    struct buffer b;
    race_touch(r, r->me * NUMBERS);
    lock(r, &b, range);
    while (b.count == 0 && b.left > 0)
        wait_for(r, r->at->filled, &b, range);
    bool any = b.count > 0;
    int number = b.slot[b.first % SLOTS];
    if (any) {
        b.first++;
        b.count--;
        b.left--;
        memory_put(range, &b);
        if (b.left == 0)
            uat_condition_broadcast(r->at->filled);
        uat_condition_signal(r->at->emptied);
    }
    uat_mutex_unlock(r->at->mutex);
    if (!any)
        return false;
    check_that(r->o, number >= 0 && number < PIECES && !(r->out.numbers >> number & 1), "a number in a buffer");
    r->out.numbers |= UINT64_C(1) << number;
    race_look(r, number);
    return true;
}

void race_for_buffer(struct race *r)
{
    struct range range = buffer_of(r->o);
    for (int i = 0; r->me < race_senders(r->o) && i < NUMBERS; i++)
        put_number(r, range, r->me * NUMBERS + i);
    while (r->me >= race_senders(r->o) && take_number(r, range))
        ;
}
