/* SPDX-License-Identifier: MIT */
/* Description: C programs that use memory of one process, or another task's frame, or join wrongly, with one fault
 * each; the race detector reports each once. */
#include "tests/races/faults.h"

#include <pthread.h>
#include <stdlib.h>

#include <uat/reducer.h>
#include <uat/sync.h>

static APART long *make(void)
{
    return calloc(4, sizeof(long));
}
static APART void drop(void *p)
{
    free(p);
}

UAT_TASK(long, nothing, long, v)
{
    return v;
}
static void spawn_and_join(void)
{
    nothing_task a;
    nothing_spawn(&a, 1);
    nothing_join(&a);
}

/* Variables of one process. */
static long counter;
UAT_TASK_VOID(count, int, g)
{
    if (!g)
        put(&counter, 1);
}
UAT_TASK_VOID(carried_root, int, g)
{
    count_task a;
    count_spawn(&a, g);
    count_join(&a);
    look(&counter);
}
static void carried(void)
{
    carried_root_run(good);
}

UAT_TASK_VOID(kept_root, int, g)
{
    put(&counter, 1);
    if (g)
        look(&counter); /* in the same part of the task */
    spawn_and_join();
    if (!g)
        look(&counter);
}
static void kept(void)
{
    kept_root_run(good);
}

static void after(void)
{
    count_run(0);
    if (good)
        UAT_RACES_IGNORE(&counter, sizeof(counter));
    look(&counter);
}

/* Another thread of the process is no task. */
static long progress;
static void *helper(void *unused)
{
    (void)unused;
    put(&progress, look(&progress) + 1);
    return NULL;
}
static void start_helper(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, helper, NULL) || pthread_join(thread, NULL))
        abort();
}
UAT_TASK_VOID(beside_root, int, g)
{
    start_helper();
    spawn_and_join();
    start_helper();
    if (!g)
        other_put(&counter, 1);
    spawn_and_join();
    other_look(&counter);
}
static void beside(void)
{
    beside_root_run(good);
}

/* Scratch memory: written before it is read. */
static char scratch[64];
static APART void use_scratch(int reads_first)
{
    volatile char *s = scratch;
    char first = reads_first ? s[3] : 0;
    memset(scratch, 0, sizeof(scratch));
    for (int i = 0; i < 64; i++)
        s[i] = (char)(s[i] + i + first);
}
UAT_TASK_VOID(scratch_root, int, g)
{
    use_scratch(0);
    spawn_and_join();
    use_scratch(!g);
}
static void scratched(void)
{
    scratch_root_run(good);
}

static _Thread_local long cached;
UAT_TASK_VOID(thread_local_root, int, g)
{
    long *p = &cached;
    put(p, 1);
    spawn_and_join();
    if (g)
        put(p, 2);
    look(p);
}
static void cached_pointer(void)
{
    thread_local_root_run(good);
}

/* Heap. */
UAT_TASK_VOID(heap_root, int, g)
{
    long *p = make();
    if (g)
        drop(p);
    spawn_and_join();
    if (!g) {
        put(p, 1);
        drop(p);
    }
}
static void heap(void)
{
    heap_root_run(good);
}

UAT_TASK_VOID(freed_root, int, g)
{
    long *p = make();
    if (g)
        drop(p);
    spawn_and_join();
    if (!g)
        drop(p);
}
static void freed(void)
{
    freed_root_run(good);
}

struct list {
    long *values;
};
UAT_TASK(long, sum, struct list, l)
{
    return look(l.values);
}
UAT_TASK_VOID(passed_root, int, g)
{
    struct list l = {g ? word : make()};
    sum_task a;
    sum_spawn(&a, l);
    sum_join(&a);
}
static void passed(void)
{
    passed_root_run(good);
}

UAT_TASK_VOID(sets, uat_future_t, f)
{
    long v = 1;
    uat_future_set(f, &v);
}
UAT_TASK_VOID(over_wait_root, int, g)
{
    long v, *p;
    uat_future_t f = uat_future_create(sizeof(long));
    sets_task a;
    sets_spawn(&a, f);
    p = make();
    if (g)
        drop(p);
    uat_future_get(f, &v);
    if (!g)
        drop(p);
    sets_join(&a);
    uat_future_destroy(f);
}
static void over_wait(void)
{
    over_wait_root_run(good);
}

/* A call that cannot move the task. */
UAT_TASK_VOID(over_set_root, int, g)
{
    long v = 1, *p = make();
    uat_future_t f = uat_future_create(sizeof(long));
    uat_future_set(f, &v);
    put(p, 1);
    if (g)
        drop(p);
    uat_future_get(f, &v);
    if (!g)
        drop(p);
    uat_future_destroy(f);
}
static void over_set(void)
{
    over_set_root_run(good);
}

UAT_REDUCER(long, total, 0, UAT_PLUS)
UAT_TASK_VOID(view_root, int, g)
{
    long *own;
    own = total_view();
    put(own, 1);
    spawn_and_join();
    if (g)
        own = total_view();
    look(own);
    total_take();
}
static void view(void)
{
    view_root_run(good);
}

/* Stacks. */
UAT_TASK_VOID(put_there, long *, p)
{
    put(p, 1);
}
UAT_TASK_VOID(frame_root, int, g)
{
    long v = 0;
    put_there_task a;
    put_there_spawn(&a, g ? word : &v);
    put_there_join(&a);
}
static void frame(void)
{
    frame_root_run(good);
}

static void main_frame(void)
{
    long v = 0;
    put_there_run(good ? word : &v);
}

static void doubles(void *arg, void *result)
{
    *(long *)result = *(long *)arg * 2;
}
static APART void early(int g, int writes)
{
    uat_task_t t;
    long r, v = 21;
    uat_spawn(&t, doubles, &v, sizeof(v), &r, sizeof(r));
    if (g)
        uat_join(&t);
    if (writes)
        put(&r, 1);
    else
        look(&r);
    if (!g)
        uat_join(&t);
}
UAT_TASK_VOID(early_root, int, g, int, writes)
{
    early(g, writes);
}
static void early_read(void)
{
    early_root_run(good, 0);
}
static void early_write(void)
{
    early_root_run(good, 1);
}

/* Joins. */
static void no_result(void *arg, void *result)
{
    (void)arg, (void)result;
}
static APART void spawn_nothing(uat_task_t *t)
{
    uat_spawn(t, no_result, NULL, 0, NULL, 0);
}
static APART void joins(uat_task_t *t)
{
    uat_join(t);
}

UAT_TASK_VOID(left_task_root, int, g)
{
    uat_task_t t;
    spawn_nothing(&t);
    if (g)
        joins(&t);
}
static APART void start_left(void)
{
    left_task_root_run(good);
}
static void left_child(void)
{
    start_left();
}

UAT_TASK_VOID(left_group_root, int, g)
{
    uat_group_t group;
    uat_group_begin(&group);
    nothing_group_spawn(&group, 1);
    if (g)
        uat_group_wait(&group);
}
static void left_group(void)
{
    left_group_root_run(good);
}

UAT_TASK_VOID(twice_root, int, g)
{
    uat_task_t t;
    spawn_nothing(&t);
    joins(&t);
    if (!g)
        joins(&t);
}
static void twice(void)
{
    twice_root_run(good);
}

UAT_TASK_VOID(reused_root, int, g)
{
    uat_task_t t;
    spawn_nothing(&t);
    if (g)
        joins(&t);
    spawn_nothing(&t);
    joins(&t);
    if (!g)
        joins(&t);
}
static void reused(void)
{
    reused_root_run(good);
}

static const struct fault table[] = {
    {"carried", carried, "PRIVATE", "look", "put"},
    {"kept", kept, "PRIVATE", "look", "put"},
    {"after", after, "PRIVATE", "look", "put"},
    {"beside", beside, "PRIVATE", "other_look", "other_put"},
    {"scratch", scratched, "PRIVATE", "use_scratch", "use_scratch"},
    {"thread_local", cached_pointer, "PRIVATE", "look", "put"},
    {"heap", heap, "PRIVATE", "put", "make"},
    {"freed", freed, "PRIVATE", "drop", "make"},
    {"passed", passed, "PRIVATE", "look", "make"},
    {"over_wait", over_wait, "PRIVATE", "drop", "make"},
    {"over_set", over_set, "PRIVATE", "drop", "put"},
    {"view", view, "PRIVATE", "look", "put"},
    {"frame", frame, "STACK", "put", "frame"},
    {"main_frame", main_frame, "STACK", "put", "main_frame"},
    {"early_read", early_read, "STACK", "look", "early"},
    {"early_write", early_write, "STACK", "put", "early"},
    {"left_child", left_child, "JOIN", "start_left", "spawn_nothing"},
    {"left_group", left_group, "JOIN", "left_group", "left_group_root"},
    {"twice", twice, "JOIN", "joins", "twice"},
    {"reused", reused, "JOIN", "spawn_nothing", "spawn_nothing"},
};

int main(int argc, char **argv)
{
    return faults_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}
