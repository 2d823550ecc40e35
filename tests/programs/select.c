/* SPDX-License-Identifier: MIT */
/*
 * Description: uat_select() over channels of any capacity, used by senders, receivers and both. Every message arrives
 * once and in order. A closed channel is reported. A task that was woken no longer waits in the other channels.
 * Tasks return how many errors they saw. Usage: select [ROUNDS [CASE]]
 */
#include <errno.h>
#include <stdio.h>

#include "tests/programs/rounds.h"
#include "uat/channel.h"
#include "uat/sync.h"

UAT_CHANNEL(uint64_t, numbers);
struct big {
    uint64_t words[20];
};
UAT_CHANNEL(struct big, blocks);

enum { CHANNELS = 3, SENDERS = 4, RECEIVERS = 3, MESSAGES = 15 };

struct all {
    numbers_channel c[CHANNELS];
};

static void work(uint64_t n)
{
    for (volatile uint64_t i = 0; i < n; i++)
        ;
}

/* Send MESSAGES numbers, each through any channel that is ready. */
UAT_TASK(int, any_sender, struct all, a, uint64_t, self)
{
    int errors = 0;
    for (uint64_t i = 0; i < MESSAGES; i++) {
        uint64_t number = self * MESSAGES + i;
        uat_case_t cases[CHANNELS];
        for (int k = 0; k < CHANNELS; k++)
            cases[k] = numbers_sends(a.c[k], &number);
        int taken = uat_select(cases, CHANNELS);
        errors += WRONG(taken >= 0 && taken < CHANNELS && cases[taken].status == 0);
        work(i % 4 * 100);
    }
    return errors;
}

/* Send MESSAGES numbers through one channel, without a select. */
UAT_TASK(int, plain_sender, struct all, a, uint64_t, self)
{
    int errors = 0;
    for (uint64_t i = 0; i < MESSAGES; i++)
        errors += WRONG(numbers_send(a.c[self % CHANNELS], self * MESSAGES + i) == 0);
    return errors;
}

/* Receive from all channels until all are closed. The numbers that one sender sends through one channel must arrive in
 * ascending order. Returns errors * 2^32 + sum of the numbers received. */
UAT_TASK(uint64_t, any_receiver, struct all, a)
{
    uint64_t last[SENDERS][CHANNELS] = {{0}}, sum = 0, errors = 0, number = 0;
    int left = CHANNELS, where[CHANNELS];
    for (int k = 0; k < CHANNELS; k++)
        where[k] = k;
    while (left > 0) {
        uat_case_t cases[CHANNELS];
        for (int k = 0; k < left; k++)
            cases[k] = numbers_receives(a.c[where[k]], &number);
        int taken = uat_select(cases, left);
        if (cases[taken].status == -EPIPE) {
            where[taken] = where[--left];
            continue;
        }
        uint64_t from = number / MESSAGES;
        errors += (uint64_t)WRONG(cases[taken].status == 0 && from < SENDERS);
        if (from < SENDERS) {
            errors += (uint64_t)WRONG(number % MESSAGES + 1 > last[from][where[taken]]);
            last[from][where[taken]] = number % MESSAGES + 1;
        }
        sum += number + 1;
    }
    return errors << 32 | sum;
}

/* Another receiver of one of the channels, without a select. */
UAT_TASK(uint64_t, plain_receiver, numbers_channel, c)
{
    uint64_t number, sum = 0;
    while (numbers_receive(c, &number) == 0)
        sum += number + 1;
    return sum;
}

UAT_TASK(int, exchange, uint64_t, capacity)
{
    struct all a;
    any_sender_task any[SENDERS];
    plain_sender_task plain[SENDERS];
    any_receiver_task receivers[RECEIVERS];
    plain_receiver_task beside;
    uint64_t sum = 0, n = SENDERS * MESSAGES;
    int errors = 0;
    for (int i = 0; i < CHANNELS; i++)
        a.c[i] = numbers_create(capacity * (size_t)(i + 1) / 2);
    for (int i = 0; i < RECEIVERS; i++)
        any_receiver_spawn(&receivers[i], a);
    plain_receiver_spawn(&beside, a.c[1]);
    for (uint64_t i = 0; i < SENDERS; i++)
        if (i % 2)
            plain_sender_spawn(&plain[i], a, i);
        else
            any_sender_spawn(&any[i], a, i);
    for (uint64_t i = SENDERS; i-- > 0;)
        errors += i % 2 ? plain_sender_join(&plain[i]) : any_sender_join(&any[i]);
    for (int i = 0; i < CHANNELS; i++)
        numbers_close(a.c[i]);
    for (int i = RECEIVERS; i-- > 0;)
        sum += any_receiver_join(&receivers[i]);
    sum += plain_receiver_join(&beside);
    errors += WRONG(sum == n * (n + 1) / 2);
    for (int i = 0; i < CHANNELS; i++)
        numbers_destroy(a.c[i]);
    return errors;
}

UAT_TASK(int, exchanges, int, unused)
{
    return unused + exchange(0) + exchange(1) + exchange(4);
}

/* A channel that says when to stop. It carries no message, but is closed at the end. Until then, waiters must not pile
 * up in its queue. */
enum { ITEMS = 600 };

UAT_TASK(int, worker_until, numbers_channel, in, numbers_channel, quit, blocks_channel, out)
{
    uint64_t number = 0, unused;
    int errors = 0;
    for (;;) {
        uat_case_t cases[2] = {numbers_receives(quit, &unused), numbers_receives(in, &number)};
        int taken = uat_select(cases, 2);
        if (taken == 0) {
            errors += WRONG(cases[0].status == -EPIPE);
            return errors;
        }
        struct big b;
        for (uint64_t i = 0; i < 20; i++)
            b.words[i] = number + i;
        uat_case_t send[2] = {blocks_sends(out, &b), numbers_receives(quit, &unused)};
        errors += WRONG(uat_select(send, 2) == 0 && send[0].status == 0);
    }
}

UAT_TASK(int, feed, numbers_channel, in)
{
    int errors = 0;
    for (uint64_t i = 0; i < ITEMS; i++)
        errors += WRONG(numbers_send(in, i) == 0);
    return errors;
}

UAT_TASK(int, quits, int, unused)
{
    numbers_channel in = numbers_create(2), quit = numbers_create(0);
    blocks_channel out = blocks_create(0);
    worker_until_task workers[2];
    feed_task feeder;
    uint64_t sum = 0;
    int errors = unused;
    for (int i = 0; i < 2; i++)
        worker_until_spawn(&workers[i], in, quit, out);
    feed_spawn(&feeder, in);
    for (int i = 0; i < ITEMS; i++) {
        struct big b;
        errors += WRONG(blocks_receive(out, &b) == 0 && b.words[19] == b.words[0] + 19);
        sum += b.words[0];
    }
    errors += feed_join(&feeder);
    numbers_close(quit);
    for (int i = 2; i-- > 0;)
        errors += worker_until_join(&workers[i]);
    errors += WRONG(sum == (uint64_t)ITEMS * (ITEMS - 1) / 2);
    numbers_destroy(in);
    numbers_destroy(quit);
    blocks_destroy(out);
    return errors;
}

/* Further cases: no waiting; the same channel twice; closed channels; a choice between two channels. */
UAT_TASK(int, singles, int, unused)
{
    numbers_channel c[2] = {numbers_create(1), numbers_create(1)};
    uint64_t one = 0, other = 0;
    int errors = unused, counts[2] = {0, 0};
    uat_case_t cases[3] = {numbers_receives(c[0], &one), numbers_receives(c[1], &other), numbers_receives(c[0], &one)};
    errors += WRONG(uat_try_select(cases, 3) == -EAGAIN);
    errors += WRONG(numbers_send(c[1], 7) == 0);
    errors += WRONG(uat_try_select(cases, 3) == 1 && other == 7 && cases[1].status == 0);
    errors += WRONG(uat_try_select(cases, 3) == -EAGAIN);
    errors += WRONG(numbers_send(c[0], 8) == 0 && uat_select(cases, 3) % 2 == 0 && one == 8);
    for (int i = 0; i < 64; i++) {
        uat_case_t send[2] = {numbers_sends(c[0], &one), numbers_sends(c[1], &other)};
        int taken = uat_select(send, 2);
        counts[taken]++;
        errors += WRONG(numbers_try_receive(c[taken], &one) == 0);
        errors += WRONG(numbers_try_receive(c[1 - taken], &one) == -EAGAIN);
    }
    errors += WRONG(counts[0] > 0 && counts[1] > 0);
    numbers_close(c[1]);
    errors += WRONG(uat_try_select(cases, 3) == 1 && cases[1].status == -EPIPE);
    uat_case_t closed = numbers_sends(c[1], &one);
    errors += WRONG(uat_try_select(&closed, 1) == 0 && closed.status == -EPIPE);
    numbers_destroy(c[0]);
    numbers_destroy(c[1]);
    return errors;
}

static const struct round_case cases[] = {{"exchanges", exchanges_run}, {"quits", quits_run}, {"singles", singles_run}};

int main(int argc, char **argv)
{
    return run_rounds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
