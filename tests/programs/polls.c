/* SPDX-License-Identifier: MIT */
/*
 * Description: a task polls, with each of the try_ functions, for an effect of its spawner's continuation. Another
 * worker must run that continuation. The polling ends under every protocol, because a failed try lets thieves take that
 * continuation. Needs two workers. Usage: polls [ROUNDS [CASE]]
 */
#include <errno.h>

#include "tests/programs/rounds.h"
#include "uat/channel.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

static const uint64_t sent = 42;

UAT_TASK(int, poll_future, uat_future_t, f)
{
    uint64_t value;
    while (uat_future_try_get(f, &value))
        continue;
    return WRONG(value == sent);
}

UAT_TASK(int, by_future, int, unused)
{
    uat_future_t f = uat_future_create(sizeof(sent));
    poll_future_task t;
    poll_future_spawn(&t, f);
    uat_future_set(f, &sent);
    int errors = poll_future_join(&t);
    uat_future_destroy(f);
    return errors;
}

UAT_TASK(int, poll_mutex, uat_mutex_t, m)
{
    while (uat_mutex_try_lock(m))
        continue;
    uat_mutex_unlock(m);
    return 0;
}

UAT_TASK(int, by_mutex, int, unused)
{
    uat_mutex_t m = uat_mutex_create();
    poll_mutex_task t;
    uat_mutex_lock(m);
    poll_mutex_spawn(&t, m);
    uat_mutex_unlock(m);
    int errors = poll_mutex_join(&t);
    uat_mutex_destroy(m);
    return errors;
}

UAT_TASK(int, poll_semaphore, uat_semaphore_t, s)
{
    while (uat_semaphore_try_acquire(s))
        continue;
    return 0;
}

UAT_TASK(int, by_semaphore, int, unused)
{
    uat_semaphore_t s = uat_semaphore_create(0);
    poll_semaphore_task t;
    poll_semaphore_spawn(&t, s);
    uat_semaphore_release(s, 1);
    int errors = poll_semaphore_join(&t);
    uat_semaphore_destroy(s);
    return errors;
}

UAT_TASK(int, poll_receive, uat_channel_t, c)
{
    uint64_t value;
    int rc;
    while ((rc = uat_channel_try_receive(c, &value)) == -EAGAIN)
        continue;
    return WRONG(rc == 0 && value == sent);
}

UAT_TASK(int, by_receive, int, unused)
{
    uat_channel_t c = uat_channel_create(sizeof(sent), 1);
    poll_receive_task t;
    poll_receive_spawn(&t, c);
    int errors = WRONG(uat_channel_send(c, &sent) == 0);
    errors += poll_receive_join(&t);
    uat_channel_destroy(c);
    return errors;
}

UAT_TASK(int, poll_send, uat_channel_t, c)
{
    int rc;
    while ((rc = uat_channel_try_send(c, &sent)) == -EAGAIN)
        continue;
    return WRONG(rc == 0);
}

UAT_TASK(int, by_send, int, unused)
{
    uat_channel_t c = uat_channel_create(sizeof(sent), 0); /* capacity 0, so another task must receive */
    poll_send_task t;
    uint64_t value = 0;
    poll_send_spawn(&t, c);
    int errors = WRONG(uat_channel_receive(c, &value) == 0 && value == sent);
    errors += poll_send_join(&t);
    uat_channel_destroy(c);
    return errors;
}

UAT_TASK(int, poll_select, uat_channel_t, c)
{
    uint64_t value;
    uat_case_t one = {.channel = c, .value = &value};
    int taken;
    while ((taken = uat_try_select(&one, 1)) == -EAGAIN)
        continue;
    return WRONG(taken == 0 && one.status == 0 && value == sent);
}

UAT_TASK(int, by_select, int, unused)
{
    uat_channel_t c = uat_channel_create(sizeof(sent), 1);
    poll_select_task t;
    poll_select_spawn(&t, c);
    int errors = WRONG(uat_channel_send(c, &sent) == 0);
    errors += poll_select_join(&t);
    uat_channel_destroy(c);
    return errors;
}

int main(int argc, char **argv)
{
    static const struct round_case cases[] = {
        {"future", by_future_run},   {"mutex", by_mutex_run}, {"semaphore", by_semaphore_run},
        {"receive", by_receive_run}, {"send", by_send_run},   {"select", by_select_run},
    };
    return run_rounds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
