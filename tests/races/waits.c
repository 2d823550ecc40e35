/* SPDX-License-Identifier: MIT */
/* Description: C programs whose tasks wait, or use data-flow tasks, with one fault each; the race detector reports each
 * once. */
#include "tests/races/faults.h"

#include <uat/channel.h>
#include <uat/dataflow.h>
#include <uat/semaphore.h>
#include <uat/sync.h>

UAT_TASK_VOID(setter, uat_future_t, f, int, g)
{
    long v = 1;
    if (g)
        put(word, 1);
    uat_future_set(f, &v);
    if (!g)
        put(word, 1);
}
UAT_TASK_VOID(future_root, int, g)
{
    long v;
    uat_future_t f = uat_future_create(sizeof(long));
    setter_task a;
    setter_spawn(&a, f, g);
    uat_future_get(f, &v);
    look(word);
    setter_join(&a);
    uat_future_destroy(f);
}
static void future(void)
{
    future_root_run(good);
}

/* The child waits, so its spawner runs on before it. */
UAT_TASK_VOID(waiter, uat_future_t, f)
{
    long v;
    uat_future_get(f, &v);
    put(word, v);
}
UAT_TASK_VOID(waits_root, int, g)
{
    long v = 3;
    uat_future_t f = uat_future_create(sizeof(long));
    waiter_task a;
    waiter_spawn(&a, f);
    if (g)
        other_put(word, 1);
    uat_future_set(f, &v);
    if (!g)
        other_put(word, 1);
    waiter_join(&a);
    uat_future_destroy(f);
}
static void waits(void)
{
    waits_root_run(good);
}

UAT_TASK_VOID(locked, uat_mutex_t, m, int, locks)
{
    if (locks)
        uat_mutex_lock(m);
    put(word, 1);
    if (locks)
        uat_mutex_unlock(m);
}
UAT_TASK_VOID(other_locked, uat_mutex_t, m)
{
    uat_mutex_lock(m);
    other_put(word, 2);
    uat_mutex_unlock(m);
}
UAT_TASK_VOID(mutex_root, int, g)
{
    uat_mutex_t m = uat_mutex_create();
    locked_task a;
    other_locked_task b;
    locked_spawn(&a, m, g);
    other_locked_spawn(&b, m);
    other_locked_join(&b);
    locked_join(&a);
    uat_mutex_destroy(m);
}
static void mutex(void)
{
    mutex_root_run(good);
}

/* Each of many earlier mutexes has been at the address of one of these. */
UAT_TASK_VOID(mutexes_root, int, g)
{
    for (int i = 0; i < 20000; i++) {
        uat_mutex_t earlier = uat_mutex_create();
        uat_mutex_lock(earlier);
        uat_mutex_unlock(earlier);
        uat_mutex_destroy(earlier);
    }
    uat_mutex_t m = uat_mutex_create(), other = uat_mutex_create();
    locked_task a;
    other_locked_task b;
    locked_spawn(&a, m, 1);
    other_locked_spawn(&b, g ? m : other);
    other_locked_join(&b);
    locked_join(&a);
    uat_mutex_destroy(m);
    uat_mutex_destroy(other);
}
static void mutexes(void)
{
    mutexes_root_run(good);
}

/* Two writers under a mutex; the reader joins only the newer one. */
UAT_TASK_VOID(older_root, int, g)
{
    uat_mutex_t m = uat_mutex_create();
    locked_task a;
    other_locked_task b;
    locked_spawn(&a, m, 1);
    other_locked_spawn(&b, m);
    other_locked_join(&b);
    if (g)
        locked_join(&a);
    look(word);
    if (!g)
        locked_join(&a);
    uat_mutex_destroy(m);
}
static void older(void)
{
    older_root_run(good);
}

UAT_TASK_VOID(counts_down, uat_latch_t, l, int, g)
{
    if (g)
        put(word, 1);
    uat_latch_count_down(l, 1);
    if (!g)
        put(word, 1);
}
UAT_TASK_VOID(latch_root, int, g)
{
    uat_latch_t l = uat_latch_create(1);
    counts_down_task a;
    counts_down_spawn(&a, l, g);
    uat_latch_wait(l);
    look(word);
    counts_down_join(&a);
    uat_latch_destroy(l);
}
static void latch(void)
{
    latch_root_run(good);
}

/* Of six parallel readers three count down. A list of readers that is shortened must keep another one. */
UAT_TASK_VOID(reads, uat_latch_t, l, int, counts)
{
    look(word);
    if (counts)
        uat_latch_count_down(l, 1);
}
UAT_TASK_VOID(readers_root, int, g)
{
    uat_latch_t l = uat_latch_create(3);
    uat_group_t group;
    uat_group_begin(&group);
    for (int i = 0; i < 6; i++)
        reads_group_spawn(&group, l, i >= 3);
    uat_latch_wait(l);
    if (g)
        uat_group_wait(&group);
    other_put(word, 1);
    if (!g)
        uat_group_wait(&group);
    uat_latch_destroy(l);
}
static void readers(void)
{
    readers_root_run(good);
}

UAT_TASK_VOID(releases, uat_semaphore_t, s, int, g)
{
    if (g)
        put(word, 1);
    uat_semaphore_release(s, 1);
    if (!g)
        put(word, 1);
}
UAT_TASK_VOID(semaphore_root, int, g)
{
    uat_semaphore_t s = uat_semaphore_create(0);
    releases_task a;
    releases_spawn(&a, s, g);
    uat_semaphore_acquire(s);
    look(word);
    releases_join(&a);
    uat_semaphore_destroy(s);
}
static void semaphore(void)
{
    semaphore_root_run(good);
}

UAT_TASK_VOID(sends, uat_channel_t, c, int, g)
{
    long v = 1;
    if (g)
        put(word, 1);
    uat_channel_send(c, &v);
    if (!g)
        put(word, 1);
}
UAT_TASK_VOID(channel_root, int, g)
{
    long v;
    uat_channel_t c = uat_channel_create(sizeof(long), 1);
    sends_task a;
    sends_spawn(&a, c, g);
    uat_channel_receive(c, &v);
    look(word);
    sends_join(&a);
    uat_channel_destroy(c);
}
static void channel(void)
{
    channel_root_run(good);
}

/* Data-flow tasks. */
UAT_FLOW_TASK(makes, out, long, a)
{
    put(a, 1);
}
UAT_FLOW_TASK(uses, in, long, a, out, long, b)
{
    put(b, look(a));
}
UAT_FLOW_TASK(writes_more, inout, long, a, value, int, g)
{
    put(a, 1);
    if (!g)
        other_put(word + 1, 1); /* which it has not named */
}
UAT_FLOW_TASK(cheats, in, long, a, value, int, g)
{
    look(a);
    if (!g)
        other_put((long *)(uintptr_t)a, 2);
}
UAT_TASK_VOID(unnamed_root, int, g)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    uses_flow(&f, word + 2, word + 1);
    writes_more_flow(&f, word, g);
    uat_flow_end(&f);
}
static void unnamed(void)
{
    unnamed_root_run(good);
}

UAT_TASK_VOID(cheat_root, int, g)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    makes_flow(&f, word);
    uses_flow(&f, word, word + 1);
    cheats_flow(&f, word, g);
    uat_flow_end(&f);
}
static void cheat(void)
{
    cheat_root_run(good);
}

UAT_TASK_VOID(unwaited_root, int, g)
{
    uat_flow_t f;
    uat_flow_begin(&f);
    makes_flow(&f, word);
    uses_flow(&f, word, word + 1);
    if (g)
        uat_flow_wait_datum(&f, word + 1, UAT_FLOW_IN);
    look(word + 1);
    uat_flow_end(&f);
}
static void unwaited(void)
{
    unwaited_root_run(good);
}

static void flow_body(void *arg, const uat_flow_place_t *place)
{
    (void)arg;
    put(place[0].at, 1);
}
UAT_TASK_VOID(dynamic_root, int, g)
{
    uat_flow_t f;
    const uat_flow_access_t access = {.p = word, .mode = UAT_FLOW_OUT, .bytes = sizeof(long)};
    uat_flow_begin(&f);
    uat_flow_spawn(&f, flow_body, NULL, 0, &access, 1);
    if (g)
        uat_flow_wait_datum(&f, word, UAT_FLOW_OUT);
    other_put(word, 1);
    uat_flow_end(&f);
}
static void dynamic(void)
{
    dynamic_root_run(good);
}

/* A task finds its argument, but not the spawner's variable to which the argument points. Accesses and argument are as
 * large as they may be, within 16 bytes. */
struct passed {
    long value;
    const long *p;
    char rest[256];
};
static void passed_body(void *arg, const uat_flow_place_t *place)
{
    const struct passed *a = arg;
    put(place[0].at, look(a->p ? a->p : &a->value));
}
UAT_TASK_VOID(argument, int, g)
{
    uat_flow_t f;
    long mine = 1;
    const struct passed a = {mine, g ? NULL : &mine, ""};
    uat_flow_access_t access[UAT_FLOW_ACCESSES];
    for (int i = 0; i < UAT_FLOW_ACCESSES; i++)
        access[i] = (uat_flow_access_t){.p = word + i, .mode = UAT_FLOW_OUT, .bytes = sizeof(long)};
    uat_flow_begin(&f);
    uat_flow_spawn(&f, passed_body, &a, sizeof(a), access, UAT_FLOW_ACCESSES);
    uat_flow_end(&f);
}
static void passes_argument(void)
{
    argument_run(good);
}

static const struct fault table[] = {
    {"future", future, "RACE", "look", "put"},
    {"waits", waits, "RACE", "put", "other_put"},
    {"mutex", mutex, "RACE", "other_put", "put"},
    {"mutexes", mutexes, "RACE", "other_put", "put"},
    {"older", older, "RACE", "look", "put"},
    {"latch", latch, "RACE", "look", "put"},
    {"readers", readers, "RACE", "other_put", "look"},
    {"semaphore", semaphore, "RACE", "look", "put"},
    {"channel", channel, "RACE", "look", "put"},
    {"unnamed", unnamed, "RACE", "other_put", "uses"},
    {"cheat", cheat, "RACE", "other_put", "uses"},
    {"unwaited", unwaited, "RACE", "look", "uses"},
    {"dynamic", dynamic, "RACE", "other_put", "put"},
    {"argument", passes_argument, "STACK", "look", "passes_argument"},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}
