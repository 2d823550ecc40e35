/* SPDX-License-Identifier: MIT */
/*
 * Description: futures, mutexes, conditions, semaphores, latches, task barriers and channels between tasks on any
 * workers. Every value arrives once and in order. At most one task holds a mutex. No task is woken too early, and none
 * sleeps forever. A wait with a limit takes what it waits for, or nothing. A function is called once. Tasks return how
 * many errors they saw. Usage: sync [ROUNDS [CASE]]
 */
#include <errno.h>

#include "uat/channel.h"
#include "uat/semaphore.h"
#include "tests/programs/sync_cases.h"

UAT_FUTURE(uint64_t, number);
UAT_FUTURE(struct big, bigs);
UAT_CHANNEL(uint64_t, numbers);

/* Futures: several tasks get each future, before and after it is set. */
enum { FUTURES = 12, GETTERS = 3 };

UAT_TASK(int, get_both, number_future, n, bigs_future, b, uint64_t, expected)
{
    int errors = WRONG(number_get(n) == expected);
    struct big got = bigs_get(b);
    return errors + WRONG(is_big(&got, expected)) + WRONG(number_get(n) == expected);
}

UAT_TASK(int, set_both, number_future, n, bigs_future, b, uint64_t, value)
{
    work();
    bigs_set(b, make_big(value));
    uat_yield();
    number_set(n, value);
    return 0;
}

UAT_TASK(int, futures, int, unused)
{
    number_future n[FUTURES];
    bigs_future b[FUTURES];
    get_both_task getters[FUTURES][GETTERS];
    set_both_task setters[FUTURES];
    uint64_t value;
    int errors = unused;
    for (uint64_t i = 0; i < FUTURES; i++) {
        n[i] = number_create();
        b[i] = bigs_create();
        errors += WRONG(number_try_get(n[i], &value) == -EAGAIN);
        for (int g = 0; g < GETTERS; g++)
            get_both_spawn(&getters[i][g], n[i], b[i], i + 7);
    }
    for (uint64_t i = FUTURES; i-- > 0;)
        set_both_spawn(&setters[i], n[i], b[i], i + 7);
    for (uint64_t i = 0; i < FUTURES; i++) {
        for (int g = 0; g < GETTERS; g++)
            errors += get_both_join(&getters[i][g]);
        errors += set_both_join(&setters[i]);
        errors += WRONG(number_try_get(n[i], &value) == 0 && value == i + 7);
        number_destroy(n[i]);
        bigs_destroy(b[i]);
    }
    return errors;
}

/* Mutexes: the cell is empty while a task holds the mutex. */
enum { LOCKERS = 8, LOCKS = 6 };

UAT_TASK(int, locker, uat_mutex_t, m, numbers_channel, cell, int, times)
{
    int errors = 0;
    for (int i = 0; i < times; i++) {
        uint64_t value = 0;
        if (i % 3 == 2) {
            while (uat_mutex_try_lock(m))
                uat_yield();
        } else
            uat_mutex_lock(m);
        errors += WRONG(numbers_try_receive(cell, &value) == 0);
        if (i % 2)
            uat_yield(); /* lets other tasks run while the mutex is held */
        else
            work();
        errors += WRONG(numbers_try_send(cell, value + 1) == 0);
        uat_mutex_unlock(m);
    }
    return errors;
}

UAT_TASK(int, mutexes, int, unused)
{
    uat_mutex_t m = uat_mutex_create();
    numbers_channel cell = numbers_create(1);
    locker_task all[LOCKERS];
    uint64_t value = 0;
    int errors = unused + WRONG(numbers_send(cell, 0) == 0);
    for (int i = 0; i < LOCKERS; i++)
        locker_spawn(&all[i], m, cell, LOCKS);
    for (int i = 0; i < LOCKERS; i++)
        errors += locker_join(&all[i]);
    errors += WRONG(numbers_try_receive(cell, &value) == 0 && value == LOCKERS * LOCKS);
    uat_mutex_destroy(m);
    numbers_destroy(cell);
    return errors;
}

/* Conditions: each task waits until the cell contains its number, so the tasks pass one after the other. */
enum { TURNS = 10 };

UAT_TASK(int, take_turn, uat_mutex_t, m, uat_condition_t, c, numbers_channel, cell, uint64_t, turn)
{
    uint64_t value = 0;
    int errors = 0;
    uat_mutex_lock(m);
    for (;;) {
        errors += WRONG(numbers_try_receive(cell, &value) == 0);
        if (value == turn)
            break;
        errors += WRONG(numbers_try_send(cell, value) == 0);
        uat_condition_wait(c, m);
    }
    errors += WRONG(numbers_try_send(cell, value + 1) == 0);
    if (turn % 2)
        uat_condition_broadcast(c);
    uat_mutex_unlock(m);
    if (turn % 2 == 0)
        uat_condition_broadcast(c); /* also allowed without the mutex */
    return errors;
}

UAT_TASK(int, one_signal, uat_mutex_t, m, uat_condition_t, c, uat_latch_t, inside)
{
    uat_mutex_lock(m);
    uat_latch_count_down(inside, 1);
    uat_condition_wait(c, m);
    uat_mutex_unlock(m);
    return 0;
}

UAT_TASK(int, conditions, int, unused)
{
    uat_mutex_t m = uat_mutex_create();
    uat_condition_t c = uat_condition_create();
    numbers_channel cell = numbers_create(1);
    uat_latch_t inside = uat_latch_create(3);
    take_turn_task all[TURNS];
    one_signal_task waiters[3];
    int errors = unused + WRONG(numbers_send(cell, 0) == 0);
    for (uint64_t i = 0; i < TURNS; i++)
        take_turn_spawn(&all[i], m, c, cell, TURNS - 1 - i);
    for (int i = 0; i < TURNS; i++)
        errors += take_turn_join(&all[i]);
    for (int i = 0; i < 3; i++)
        one_signal_spawn(&waiters[i], m, c, inside);
    uat_latch_wait(inside);
    for (int i = 0; i < 3; i++) { /* each signal, sent with the mutex held, wakes exactly one task */
        uat_mutex_lock(m);
        uat_condition_signal(c);
        uat_mutex_unlock(m);
    }
    for (int i = 0; i < 3; i++)
        errors += one_signal_join(&waiters[i]);
    uat_latch_destroy(inside);
    uat_condition_destroy(c);
    uat_mutex_destroy(m);
    numbers_destroy(cell);
    return errors;
}

/* Semaphores: a channel holds two tokens; at most two tasks hold a token at a time. */
UAT_TASK(int, guest, uat_semaphore_t, s, numbers_channel, tokens)
{
    int errors = 0;
    for (int i = 0; i < 5; i++) {
        uint64_t token = 0;
        uat_semaphore_acquire(s);
        errors += WRONG(numbers_try_receive(tokens, &token) == 0 && (token == 11 || token == 22));
        uat_yield();
        errors += WRONG(numbers_try_send(tokens, token) == 0);
        uat_semaphore_release(s, 1);
    }
    return errors;
}

UAT_TASK(int, semaphores, int, unused)
{
    uat_semaphore_t s = uat_semaphore_create(0);
    numbers_channel tokens = numbers_create(2);
    guest_task all[7];
    int errors = unused + WRONG(uat_semaphore_try_acquire(s) == -EAGAIN) + WRONG(numbers_send(tokens, 11) == 0);
    uat_semaphore_release(s, 3); /* no task waits, so all units are stored */
    for (int i = 0; i < 4; i++)
        errors += WRONG(uat_semaphore_try_acquire(s) == (i < 3 ? 0 : -EAGAIN));
    errors += WRONG(numbers_send(tokens, 22) == 0);
    for (int i = 0; i < 7; i++)
        guest_spawn(&all[i], s, tokens);
    uat_semaphore_release(s, 2);
    for (int i = 0; i < 7; i++)
        errors += guest_join(&all[i]);
    errors += WRONG(uat_semaphore_try_acquire(s) == 0) + WRONG(uat_semaphore_try_acquire(s) == 0);
    errors += WRONG(uat_semaphore_try_acquire(s) == -EAGAIN);
    uat_semaphore_destroy(s);
    numbers_destroy(tokens);
    return errors;
}

/* Task barriers: no task is a phase ahead of another. In each phase every member sends one message to the phase's
 * channel before the barrier. */
enum { MEMBERS = 6, PHASES = 5 };

struct phases {
    numbers_channel channel[PHASES];
};

UAT_TASK(int, member, uat_task_barrier_t, g, struct phases, p, uint64_t, self)
{
    int errors = 0, last = 0;
    for (int phase = 0; phase < PHASES; phase++) {
        if ((self + (uint64_t)phase) % 3 == 0)
            uat_yield();
        errors += WRONG(numbers_try_send(p.channel[phase], self) == 0);
        last += uat_task_barrier_wait(g);
        /* All members have sent their messages, so each member receives one. */
        uint64_t got;
        errors += WRONG(numbers_try_receive(p.channel[phase], &got) == 0);
    }
    return errors + 1000 * last;
}

UAT_TASK(int, groups, int, unused)
{
    uat_task_barrier_t g = uat_task_barrier_create(MEMBERS);
    struct phases p;
    member_task all[MEMBERS];
    int errors = unused;
    for (int i = 0; i < PHASES; i++)
        p.channel[i] = numbers_create(MEMBERS);
    for (uint64_t i = 0; i < MEMBERS; i++)
        member_spawn(&all[i], g, p, i);
    for (int i = 0; i < MEMBERS; i++)
        errors += member_join(&all[i]);
    for (int i = 0; i < PHASES; i++)
        numbers_destroy(p.channel[i]);
    uat_task_barrier_destroy(g);
    return WRONG(errors == 1000 * PHASES); /* in each phase exactly one task arrived last */
}

/* A wavefront: cell (i, j) waits for two neighbours. Tasks are spawned from the far corner, so every task except that
 * of cell (0, 0) waits at first. */
enum { SIDE = 7 };

struct grid {
    number_future cell[SIDE][SIDE];
};

UAT_TASK(int, cell, struct grid, g, int, i, int, j)
{
    uint64_t up = i > 0 ? number_get(g.cell[i - 1][j]) : 0, left = j > 0 ? number_get(g.cell[i][j - 1]) : 0;
    number_set(g.cell[i][j], i == 0 && j == 0 ? 1 : up + left);
    return 0;
}

UAT_TASK(int, wavefront, int, unused)
{
    struct grid g;
    cell_task tasks[SIDE][SIDE];
    int errors = unused;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            g.cell[i][j] = number_create();
    for (int i = SIDE; i-- > 0;)
        for (int j = SIDE; j-- > 0;)
            cell_spawn(&tasks[i][j], g, i, j);
    errors += WRONG(number_get(g.cell[SIDE - 1][SIDE - 1]) == 924); /* 12 choose 6 */
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            errors += cell_join(&tasks[i][j]);
            number_destroy(g.cell[i][j]);
        }
    return errors;
}

static const struct round_case cases[] = {
    {"futures", futures_run},       {"mutexes", mutexes_run}, {"conditions", conditions_run},
    {"semaphores", semaphores_run}, {"groups", groups_run},   {"channels", sync_channels},
    {"pipeline", sync_pipeline},    {"names", sync_names},    {"wavefront", wavefront_run},
    {"shared", sync_shared},        {"order", sync_order},    {"once", sync_once},
    {"critical", sync_critical},    {"sleeps", sync_sleeps},  {"limits", sync_limits},
    {"tokens", sync_tokens}};

int main(int argc, char **argv)
{
    return run_rounds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
