/* SPDX-License-Identifier: MIT */
/*
 * Description: bodies of loops, reductions, scans and parallel calls wait. They wait for futures that other tasks set,
 * for earlier iterations, for mutexes and for channels. Some wait with a mutex held. Sums must be right, at most one
 * task may hold a mutex, and no task may hang.
 * Usage: test-waits [ROUNDS [CASE]]
 */
#include "tests/programs/rounds.h"
#include "uat/channel.h"
#include "uat/pattern.h"
#include "uat/sync.h"

UAT_FUTURE(int64_t, number);
UAT_CHANNEL(int64_t, numbers);

enum { FUTURES = 24, LONG = 96 };

static void work(void)
{
    for (volatile int i = 0; i < 2000; i++)
        ;
}

struct all {
    number_future future[FUTURES];
    uat_mutex_t mutex;
    numbers_channel cell; /* holds one number, which only the mutex's holder takes out */
    numbers_channel stream, errors;
};

static struct all make(void)
{
    struct all a = {.mutex = uat_mutex_create(),
                    .cell = numbers_create(1),
                    .stream = numbers_create(3),
                    .errors = numbers_create(LONG)};
    for (int i = 0; i < FUTURES; i++)
        a.future[i] = number_create();
    numbers_send(a.cell, 0);
    return a;
}

/* Destroy all objects. Returns the number of errors. The cell must hold `sum`. */
static int end(const struct all *a, int64_t sum)
{
    int64_t value = 0;
    int errors = WRONG(numbers_try_receive(a->cell, &value) == 0 && value == sum);
    while (numbers_try_receive(a->errors, &value) == 0)
        errors++;
    for (int i = 0; i < FUTURES; i++)
        number_destroy(a->future[i]);
    uat_mutex_destroy(a->mutex);
    numbers_destroy(a->cell);
    numbers_destroy(a->stream);
    numbers_destroy(a->errors);
    return errors;
}

/* Add to the cell with the mutex held. Other tasks must not change the cell, even if this one waits meanwhile. */
static void add_locked(const struct all *a, int64_t value, int wait)
{
    int64_t sum = 0;
    uat_mutex_lock(a->mutex);
    if (WRONG(numbers_try_receive(a->cell, &sum) == 0))
        numbers_try_send(a->errors, 1);
    if (wait)
        uat_yield();
    numbers_try_send(a->cell, sum + value);
    uat_mutex_unlock(a->mutex);
}

/* Each iteration waits for a future that another task sets. */
UAT_TASK(int, set_all, struct all, a)
{
    for (int64_t i = FUTURES; i-- > 0;) {
        work();
        number_set(a.future[i], 10 * i);
    }
    return 0;
}

static void await(int64_t begin, int64_t end, const void *arg)
{
    const struct all *a = arg;
    for (int64_t i = begin; i < end; i++)
        add_locked(a, number_get(a->future[i]), i % 3 == 0);
}

UAT_TASK(int, futures, int, unused)
{
    struct all a = make();
    set_all_task setter;
    set_all_spawn(&setter, a);
    uat_for(0, FUTURES, 0, await, &a, sizeof(a));
    return unused + set_all_join(&setter) + end(&a, 10 * (FUTURES - 1) * FUTURES / 2);
}

/* The loop and the setter are two parallel calls. The setter is the last call, so uat_invoke() does not spawn it. */
static void await_all(void *arg, void *result)
{
    (void)result;
    uat_for(0, FUTURES, 5, await, arg, sizeof(struct all));
}

static void set_beside(void *arg, void *result)
{
    (void)result;
    struct all *a = arg;
    for (int64_t i = 0; i < FUTURES; i++)
        number_set(a->future[i], 10 * i);
}

UAT_TASK(int, calls, int, unused)
{
    struct all a = make();
    const uat_call_t both[] = {{await_all, &a, sizeof(a), NULL, 0}, {set_beside, &a, sizeof(a), NULL, 0}};
    uat_invoke(both, 2);
    return unused + end(&a, 10 * (FUTURES - 1) * FUTURES / 2);
}

/* Each iteration waits for the one before it, so the waits form a chain through all parts of the loop. */
static void follow(int64_t begin, int64_t end, const void *arg)
{
    const struct all *a = arg;
    for (int64_t i = begin; i < end; i++) {
        int64_t before = i > 0 ? number_get(a->future[i - 1]) : 0;
        work();
        number_set(a->future[i], before + i);
    }
}

UAT_TASK(int, chain, int, unused)
{
    struct all a = make();
    uat_for(0, FUTURES, 0, follow, &a, sizeof(a));
    int errors = WRONG(number_get(a.future[FUTURES - 1]) == FUTURES * (FUTURES - 1) / 2);
    return unused + errors + end(&a, 0);
}

/* Sends into a channel whose receiver is slower. */
static void send_out(int64_t begin, int64_t end, const void *arg)
{
    const struct all *a = arg;
    for (int64_t i = begin; i < end; i++)
        if (WRONG(numbers_send(a->stream, i) == 0))
            numbers_try_send(a->errors, 1);
}

UAT_TASK(int64_t, receive_all, struct all, a)
{
    int64_t sum = 0, value;
    while (numbers_receive(a.stream, &value) == 0) {
        sum += value;
        if (value % 7 == 0)
            work();
    }
    return sum;
}

UAT_TASK(int, channels, int, unused)
{
    struct all a = make();
    receive_all_task receiver;
    receive_all_spawn(&receiver, a);
    uat_for(0, LONG, 0, send_out, &a, sizeof(a));
    numbers_close(a.stream);
    return unused + WRONG(receive_all_join(&receiver) == LONG * (LONG - 1) / 2) + end(&a, 0);
}

/* Reductions and scans. The partial results stay with their tasks while the tasks wait. */
static void add_up(int64_t begin, int64_t end, void *partial, const void *arg)
{
    for (int64_t i = begin; i < end; i++) {
        add_locked(arg, i, i % 4 == 1);
        *(int64_t *)partial += i;
    }
}

static void combine(void *left, const void *right, const void *arg)
{
    (void)arg;
    *(int64_t *)left += *(const int64_t *)right;
}

static const int64_t zero;

UAT_TASK(int, reductions, int, unused)
{
    struct all a = make();
    const uat_reduction_t sum = {add_up, combine, &zero, sizeof(zero)};
    int64_t result = -1;
    uat_reduce(0, LONG, 0, &sum, &a, sizeof(a), &result);
    return unused + WRONG(result == LONG * (LONG - 1) / 2) + end(&a, LONG * (LONG - 1) / 2);
}

static void add_plain(int64_t begin, int64_t end, void *partial, const void *arg)
{
    (void)arg;
    for (int64_t i = begin; i < end; i++) {
        if (i % 5 == 0)
            uat_yield();
        *(int64_t *)partial += i;
    }
}

/* Adds the prefix of each iteration to a sum, under the mutex. */
static void write_prefix(int64_t begin, int64_t end, void *prefix, const void *arg)
{
    for (int64_t i = begin; i < end; i++) {
        *(int64_t *)prefix += i;
        add_locked(arg, *(int64_t *)prefix, i % 4 == 2);
    }
}

UAT_TASK(int, scans, int, unused)
{
    struct all a = make();
    const uat_reduction_t sum = {add_plain, combine, &zero, sizeof(zero)};
    int64_t total = -1, prefixes = 0;
    for (int64_t i = 0; i < LONG; i++)
        prefixes += i * (i + 1) / 2;
    uat_scan(0, LONG, 0, &sum, write_prefix, &a, sizeof(a), &total);
    return unused + WRONG(total == LONG * (LONG - 1) / 2) + end(&a, prefixes);
}

/* A loop in a body. The outer iteration holds the mutex during the inner loop, whose parts do not hold it. */
static void inner(int64_t begin, int64_t end, const void *arg)
{
    const struct all *a = arg;
    for (int64_t i = begin; i < end; i++)
        if (i % 3 == 0 ? numbers_send(a->errors, 0) : (uat_yield(), numbers_send(a->errors, 0)))
            abort();
}

static void outer(int64_t begin, int64_t end, const void *arg)
{
    const struct all *a = arg;
    for (int64_t i = begin; i < end; i++) {
        int64_t sum = 0, zeros = 0, none;
        uat_mutex_lock(a->mutex);
        numbers_receive(a->cell, &sum);
        uat_for(0, 6, 0, inner, a, sizeof(*a));
        while (numbers_try_receive(a->errors, &none) == 0) /* no other task holds the mutex */
            zeros++;
        numbers_send(a->cell, sum + zeros);
        uat_mutex_unlock(a->mutex);
    }
}

UAT_TASK(int, nested, int, unused)
{
    struct all a = make();
    uat_for(0, 8, 0, outer, &a, sizeof(a));
    return unused + end(&a, 8 * 6);
}

int main(int argc, char **argv)
{
    const struct round_case cases[] = {{"futures", futures_run},   {"calls", calls_run},           {"chain", chain_run},
                                       {"channels", channels_run}, {"reductions", reductions_run}, {"scans", scans_run},
                                       {"nested", nested_run}};
    return run_rounds(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
