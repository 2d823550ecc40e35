/* SPDX-License-Identifier: MIT */
/* Description: C programs as they are ported from threads, with one fault each: objects of uat/sync.h that are not
 * shared, or are used beside their rule, counters, sums and boards. The race detector reports each once. */
#include "tests/races/faults.h"

#include <stdatomic.h>

#include <uat/lock.h>
#include <uat/pattern.h>
#include <uat/semaphore.h>
#include <uat/sync.h>

/* Each task makes a mutex for itself. The second mutex has the address of the first one. */
static uat_mutex_t own_or(uat_mutex_t shared)
{
    return good ? shared : uat_mutex_create();
}
static void destroy_own(uat_mutex_t m)
{
    if (!good)
        uat_mutex_destroy(m);
}
UAT_TASK_VOID(guards, uat_mutex_t, shared)
{
    uat_mutex_t m = own_or(shared);
    uat_mutex_lock(m);
    put(word, 1);
    uat_mutex_unlock(m);
    destroy_own(m);
}
UAT_TASK_VOID(other_guards, uat_mutex_t, shared)
{
    uat_mutex_t m = own_or(shared);
    uat_mutex_lock(m);
    other_put(word, 2);
    uat_mutex_unlock(m);
    destroy_own(m);
}
UAT_TASK_VOID(own_mutex_root, int, unused)
{
    uat_mutex_t shared = uat_mutex_create();
    guards_task a;
    other_guards_task b;
    (void)unused;
    guards_spawn(&a, shared);
    other_guards_spawn(&b, shared);
    other_guards_join(&b);
    guards_join(&a);
    uat_mutex_destroy(shared);
}
static void own_mutex(void)
{
    own_mutex_root_run(0);
}

/* The second future has the address of the first one, but not its past. */
static void use_future(void)
{
    long v = 1;
    uat_future_t f = uat_future_create(sizeof(v));
    uat_future_set(f, &v);
    uat_future_get(f, &v);
    uat_future_destroy(f);
}
UAT_TASK_VOID(own_future_first, int, unused)
{
    (void)unused;
    put(word, 1);
    use_future();
}
UAT_TASK_VOID(own_future_root, int, g)
{
    own_future_first_task a;
    own_future_first_spawn(&a, 0);
    if (g)
        own_future_first_join(&a);
    use_future();
    look(word);
    if (!g)
        own_future_first_join(&a);
}
static void own_future(void)
{
    own_future_root_run(good);
}

UAT_TASK_VOID(waits_at, uat_task_barrier_t, b, int, g)
{
    if (g)
        put(word, 1);
    uat_task_barrier_wait(b);
    if (!g)
        put(word, 1);
}
UAT_TASK_VOID(barrier_root, int, g)
{
    uat_task_barrier_t b = uat_task_barrier_create(2);
    waits_at_task a;
    waits_at_spawn(&a, b, g);
    uat_task_barrier_wait(b);
    look(word);
    waits_at_join(&a);
    uat_task_barrier_destroy(b);
}
static void barrier(void)
{
    barrier_root_run(good);
}

/* A writer that holds a shared mutex for reading. */
static void hold(uat_shared_mutex_t m, int writes)
{
    if (writes)
        uat_shared_mutex_lock(m);
    else
        uat_shared_mutex_lock_shared(m);
}
static void let_go(uat_shared_mutex_t m, int writes)
{
    if (writes)
        uat_shared_mutex_unlock(m);
    else
        uat_shared_mutex_unlock_shared(m);
}
UAT_TASK_VOID(reads_shared, uat_shared_mutex_t, m)
{
    hold(m, 0);
    look(word);
    let_go(m, 0);
}
UAT_TASK_VOID(shared_root, int, g)
{
    uat_shared_mutex_t m = uat_shared_mutex_create();
    reads_shared_task a;
    reads_shared_spawn(&a, m);
    hold(m, g);
    put(word, 1);
    let_go(m, g);
    reads_shared_join(&a);
    uat_shared_mutex_destroy(m);
}
static void shared_mutex(void)
{
    shared_root_run(good);
}

/* Another section than that of the other task. */
UAT_TASK_VOID(in_section, int, unused)
{
    (void)unused;
    UAT_CRITICAL(of_word)
    put(word, 1);
}
UAT_TASK_VOID(critical_root, int, g)
{
    in_section_task a;
    in_section_spawn(&a, 0);
    if (g) {
        UAT_CRITICAL(of_word)
        other_put(word, 2);
    } else {
        UAT_CRITICAL(of_another)
        other_put(word, 2);
    }
    in_section_join(&a);
}
static void critical(void)
{
    critical_root_run(good);
}

/* A value that is made once, and is read without a look whether it is made. */
static void make_once(void *unused)
{
    (void)unused;
    put(word, 1);
}
UAT_TASK_VOID(calls_once, uat_once_t, o)
{
    uat_once_call(o, make_once, NULL);
}
UAT_TASK_VOID(once_root, int, g)
{
    uat_once_t o = uat_once_create();
    calls_once_task a;
    calls_once_spawn(&a, o);
    if (g)
        uat_once_call(o, make_once, NULL);
    look(word);
    calls_once_join(&a);
    uat_once_destroy(o);
}
static void once(void)
{
    once_root_run(good);
}

/* A sum in a loop. */
UAT_FOR(adds, i, int, g)
{
    if (g)
        put(word + i, i);
    else
        put(word, look(word) + i);
}
UAT_TASK_VOID(sum_root, int, g)
{
    adds(0, 32, g);
}
static void sum(void)
{
    sum_root_run(good);
}

/* A loop adds to another element than its own. */
UAT_FOR(shifts, i, int, g)
{
    put(word + i, g ? i : look(word + 40));
    if (!g && i == 31)
        other_put(word + 40, 1);
}
UAT_TASK_VOID(shift_root, int, g)
{
    shifts(0, 32, g);
}
static void shift(void)
{
    shift_root_run(good);
}

/* The halves of a range have an element in common. */
static APART void fill(long *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile long *)p)[i] = 1;
}
UAT_TASK_VOID(half, long *, p, size_t, n)
{
    if (n < 4)
        fill(p, n);
}
UAT_TASK_VOID(halves_root, int, g)
{
    half_task a;
    half_spawn(&a, word, (size_t)(g ? 2 : 3));
    half_task b;
    half_spawn(&b, word + 2, 2);
    half_join(&b);
    half_join(&a);
}
static void halves(void)
{
    halves_root_run(good);
}

/* Counters of a process: of a function, with an atomic, and in a comparison. */
static APART long next_number(int g)
{
    static long last;
    return g ? 0 : ++last;
}
UAT_TASK(long, numbered, int, g)
{
    return next_number(g);
}
UAT_TASK(long, numbered_root, int, g)
{
    numbered_task a;
    numbered_spawn(&a, g);
    long number = next_number(g);
    return numbered_join(&a) + number;
}
static void static_local(void)
{
    long sum;
    numbered_root_run(&sum, good);
}

static atomic_long tickets;
static APART long take_ticket(int g)
{
    return g ? 0 : atomic_fetch_add(&tickets, 1);
}
UAT_TASK(long, draws, int, g)
{
    return take_ticket(g);
}
UAT_TASK_VOID(ticket_root, int, g)
{
    draws_task a;
    draws_spawn(&a, g);
    take_ticket(g);
    draws_join(&a);
}
static void atomic_counter(void)
{
    ticket_root_run(good);
}

static long comparisons;
static APART int compare(const void *a, const void *b, const void *arg)
{
    const long *x = a, *y = b;
    if (!*(const int *)arg)
        comparisons++;
    return (*x > *y) - (*x < *y);
}
UAT_TASK_VOID(sorts, long *, p, int, g)
{
    uat_sort(p, 32, sizeof(*p), compare, &g, sizeof(g));
}
UAT_TASK_VOID(sorts_root, int, g)
{
    sorts_task a;
    sorts_spawn(&a, word, g);
    sorts(word + 32, g);
    sorts_join(&a);
}
static void comparison(void)
{
    sorts_root_run(good);
}

/* A board in the spawner's frame, which its children read. */
struct board {
    const long *row;
};
UAT_TASK(long, searches, struct board, b)
{
    return look(b.row + 3);
}
UAT_TASK_VOID(board_root, int, g)
{
    long row[8] = {0, 1, 2, 3};
    struct board b = {g ? word : row};
    searches_task a;
    searches_spawn(&a, b);
    searches_join(&a);
}
static void board(void)
{
    board_root_run(good);
}

static const struct fault table[] = {
    {"own_mutex", own_mutex, "RACE", "other_put", "put"},
    {"own_future", own_future, "RACE", "look", "put"},
    {"barrier", barrier, "RACE", "put", "look"},
    {"shared_mutex", shared_mutex, "RACE", "put", "look"},
    {"critical", critical, "RACE", "other_put", "put"},
    {"once", once, "RACE", "look", "put"},
    {"sum", sum, "RACE", "look", "put"},
    {"shift", shift, "RACE", "other_put", "look"},
    {"halves", halves, "RACE", "fill", "fill"},
    {"static_local", static_local, "PRIVATE", "next_number", "next_number"},
    {"atomic_counter", atomic_counter, "PRIVATE", "take_ticket", "take_ticket"},
    {"comparison", comparison, "PRIVATE", "compare", "compare"},
    {"board", board, "STACK", "look", "board"},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}
