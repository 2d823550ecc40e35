/* SPDX-License-Identifier: MIT */
/*
 * Cases of `sync`: channels between tasks on any workers. Every value arrives once and in order. Closing wakes every
 * waiter.
 */
#include <errno.h>

#include "uat/channel.h"
#include "tests/programs/sync_cases.h"

UAT_CHANNEL(uint64_t, numbers);
UAT_CHANNEL(struct big, blocks);

/* Channels: several senders and receivers. The numbers that a receiver gets from one sender must ascend. */
enum { SENDERS = 3, RECEIVERS = 3, MESSAGES = 20 };

UAT_TASK(int, sender, blocks_channel, c, uint64_t, self)
{
    int errors = 0;
    for (uint64_t i = 0; i < MESSAGES; i++) {
        if (i % 5 == self)
            work();
        errors += WRONG(blocks_send(c, make_big(self * MESSAGES + i)) == 0);
    }
    return errors;
}

/* Returns errors * 2^32 + sum of the values received. */
UAT_TASK(uint64_t, receiver, blocks_channel, c)
{
    uint64_t last[SENDERS] = {0}, sum = 0, errors = 0;
    struct big b;
    while (blocks_receive(c, &b) == 0) {
        uint64_t number = b.words[0] / 1000, from = number / MESSAGES;
        errors += (uint64_t)WRONG(is_big(&b, number) && from < SENDERS);
        if (from < SENDERS) {
            errors += (uint64_t)WRONG(number % MESSAGES + 1 > last[from]);
            last[from] = number % MESSAGES + 1;
        }
        sum += number + 1;
    }
    return errors << 32 | sum;
}

UAT_TASK(int, channel_of, int, capacity)
{
    blocks_channel c = blocks_create((size_t)capacity);
    sender_task senders[SENDERS];
    receiver_task receivers[RECEIVERS];
    uint64_t sum = 0, all = SENDERS * MESSAGES;
    struct big b;
    int errors = 0;
    for (int i = 0; i < RECEIVERS; i++)
        receiver_spawn(&receivers[i], c);
    for (uint64_t i = 0; i < SENDERS; i++)
        sender_spawn(&senders[i], c, i);
    for (int i = 0; i < SENDERS; i++)
        errors += sender_join(&senders[i]);
    blocks_close(c);
    for (int i = 0; i < RECEIVERS; i++)
        sum += receiver_join(&receivers[i]);
    errors += WRONG(sum == all * (all + 1) / 2);
    errors += WRONG(blocks_send(c, make_big(1)) == -EPIPE) + WRONG(blocks_try_receive(c, &b) == -EPIPE);
    blocks_close(c);
    blocks_destroy(c);
    return errors;
}

/* A sender that is waiting for room when the channel gets closed. */
UAT_TASK(int, blocked_sender, numbers_channel, c)
{
    return numbers_send(c, 2);
}

UAT_TASK(int, channels, int, unused)
{
    numbers_channel c = numbers_create(1);
    blocked_sender_task t;
    uint64_t value = 0;
    int errors = unused;
    errors += channel_of(0) + channel_of(1) + channel_of(7);
    errors += WRONG(numbers_try_receive(c, &value) == -EAGAIN) + WRONG(numbers_try_send(c, 1) == 0);
    errors += WRONG(numbers_try_send(c, 2) == -EAGAIN);
    blocked_sender_spawn(&t, c);
    uat_yield();
    numbers_close(c);
    errors += WRONG(blocked_sender_join(&t) == -EPIPE);
    errors += WRONG(numbers_receive(c, &value) == 0 && value == 1) + WRONG(numbers_receive(c, &value) == -EPIPE);
    numbers_destroy(c);
    return errors;
}

/* A pipeline of five stages. The stages' tasks wait while their spawners' continuations are private. */
enum { STAGES = 5, ITEMS = 40 };

UAT_TASK(int, stage, numbers_channel, in, numbers_channel, out)
{
    uint64_t value;
    int errors = 0;
    while (numbers_receive(in, &value) == 0)
        errors += WRONG(numbers_send(out, value * 3 + 1) == 0);
    numbers_close(out);
    return errors;
}

UAT_TASK(int, feed, numbers_channel, out)
{
    int errors = 0;
    for (uint64_t i = 0; i < ITEMS; i++)
        errors += WRONG(numbers_send(out, i) == 0);
    numbers_close(out);
    return errors;
}

UAT_TASK(int, pipeline, int, unused)
{
    numbers_channel c[STAGES + 1];
    stage_task stages[STAGES];
    feed_task feeder;
    uint64_t got;
    int errors = unused;
    for (int i = 0; i <= STAGES; i++)
        c[i] = numbers_create((size_t)i);
    for (int i = 0; i < STAGES; i++)
        stage_spawn(&stages[i], c[i], c[i + 1]);
    feed_spawn(&feeder, c[0]);
    for (uint64_t i = 0; i < ITEMS; i++) {
        uint64_t value = i;
        for (int s = 0; s < STAGES; s++)
            value = value * 3 + 1;
        errors += WRONG(numbers_receive(c[STAGES], &got) == 0 && got == value);
    }
    errors += WRONG(numbers_receive(c[STAGES], &got) == -EPIPE);
    errors += feed_join(&feeder);
    for (int i = STAGES; i-- > 0;)
        errors += stage_join(&stages[i]);
    for (int i = 0; i <= STAGES; i++)
        numbers_destroy(c[i]);
    return errors;
}

/* Named channels: every party sends to every name at the same time. No value may be lost to a second channel of the
 * same name. Later rounds find the channels of the first round. */
enum { NAMES = 12, PARTIES = 8 };

static numbers_channel named(uint64_t i)
{
    char name[] = "number ?";
    name[7] = (char)('a' + i);
    return numbers_named(name, PARTIES);
}

UAT_TASK(int, party, uint64_t, self)
{
    int errors = 0;
    for (uint64_t i = 0; i < NAMES; i++)
        errors += WRONG(numbers_send(named((self + i) % NAMES), self) == 0);
    return errors;
}

UAT_TASK(int, names, int, unused)
{
    party_task parties[PARTIES];
    int errors = unused;
    for (uint64_t i = 0; i < PARTIES; i++)
        party_spawn(&parties[i], i);
    for (int i = PARTIES; i-- > 0;)
        errors += party_join(&parties[i]);
    for (uint64_t i = 0; i < NAMES; i++) {
        uint64_t value, count = 0, sum = 0;
        for (; numbers_try_receive(named(i), &value) == 0; count++)
            sum += value;
        errors += WRONG(count == PARTIES && sum == PARTIES * (PARTIES - 1) / 2);
    }
    return errors;
}

int sync_names(int *errors, int unused)
{
    return names_run(errors, unused);
}

int sync_channels(int *errors, int unused)
{
    return channels_run(errors, unused);
}

int sync_pipeline(int *errors, int unused)
{
    return pipeline_run(errors, unused);
}
