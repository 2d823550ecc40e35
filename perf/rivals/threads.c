/* SPDX-License-Identifier: MIT */
/*
 * The exercises of uat-threads with POSIX threads. With -DUSE_PTH they use GNU Pth instead, whose threads all run in
 * one kernel thread. Prints the shortest and the median time of each exercise, and the resident bytes per thread in the
 * ring.
 * usage: rival-threads [MEMBERS [PASSES [FIB [ITEMS [THREADS [ELEMENTS [ROUNDS]]]]]]]    as of uat-threads
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perf/threads.h"

#ifdef USE_PTH
#include <pth.h>
typedef pth_t thread_id;
typedef pth_mutex_t mutex;
typedef pth_cond_t condition;
static pth_attr_t attributes;
static bool start(thread_id *t, void *(*run)(void *), void *arg)
{
    return (*t = pth_spawn(attributes, run, arg)) != NULL;
}
#define await(t)          pth_join(t, NULL)
#define mutex_make(m)     pth_mutex_init(m)
#define lock(m)           pth_mutex_acquire(m, FALSE, NULL)
#define unlock(m)         pth_mutex_release(m)
#define condition_make(c) pth_cond_init(c)
#define wait_for(c, m)    pth_cond_await(c, m, NULL)
#define signal_one(c)     pth_cond_notify(c, FALSE)
#define let_others_run()  pth_yield(NULL)
static void prepare(void)
{
    pth_init();
    attributes = pth_attr_new();
    pth_attr_set(attributes, PTH_ATTR_STACK_SIZE, 16384);
}
#else
#include <pthread.h>
#include <sched.h>
typedef pthread_t thread_id;
typedef pthread_mutex_t mutex;
typedef pthread_cond_t condition;
static pthread_attr_t attributes;
static bool start(thread_id *t, void *(*run)(void *), void *arg)
{
    return pthread_create(t, &attributes, run, arg) == 0;
}
#define await(t)          pthread_join(t, NULL)
#define mutex_make(m)     pthread_mutex_init(m, NULL)
#define lock(m)           pthread_mutex_lock(m)
#define unlock(m)         pthread_mutex_unlock(m)
#define condition_make(c) pthread_cond_init(c, NULL)
#define wait_for(c, m)    pthread_cond_wait(c, m)
#define signal_one(c)     pthread_cond_signal(c)
#define let_others_run()  sched_yield()
static void prepare(void)
{
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
}
#endif

static int64_t members = 503, passes = 50300, fib_of = 15, items = 20000, threads = 16, elements = 1000000, rounds = 5;

struct figure {
    double ns, bytes;
    bool right;
};

static void *room(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

static void started(thread_id *t, void *(*run)(void *), void *arg, int64_t number)
{
    if (start(t, run, arg))
        return;
    fprintf(stderr, "cannot create thread number %lld\n", (long long)number);
    exit(1);
}

/* A semaphore. */
struct gate {
    mutex m;
    condition c;
    int64_t count;
    thread_id thread;
};
static struct gate *gate;

static void release(struct gate *g)
{
    lock(&g->m);
    g->count++;
    signal_one(&g->c);
    unlock(&g->m);
}

static void acquire(struct gate *g)
{
    lock(&g->m);
    while (g->count == 0)
        wait_for(&g->c, &g->m);
    g->count--;
    unlock(&g->m);
}

static void *ring_member(void *arg)
{
    struct gate *own = arg, *next = own + 1 == gate + members ? gate : own + 1;
    for (int64_t k = 0; k < (passes + members - 1) / members; k++) {
        acquire(own);
        release(next);
    }
    return NULL;
}

static struct figure ring(void)
{
    double before = threads_resident();
    gate = room((size_t)members * sizeof(*gate));
    for (int64_t i = 0; i < members; i++) {
        gate[i].count = 0;
        mutex_make(&gate[i].m);
        condition_make(&gate[i].c);
    }
    for (int64_t i = 0; i < members; i++)
        started(&gate[i].thread, ring_member, &gate[i], i);
    let_others_run();
    double bytes = (threads_resident() - before) / (double)members, begin = threads_now();
    release(&gate[0]);
    for (int64_t i = 0; i < members; i++)
        await(gate[i].thread);
    double ns = (threads_now() - begin) / (double)((passes + members - 1) / members * members);
    bool right = gate[0].count == 1;
    free(gate);
    return (struct figure){ns, bytes, right};
}

struct call {
    int64_t n, calls;
};

static void *fib(void *arg)
{
    struct call *c = arg, part[2] = {{c->n - 1, 0}, {c->n - 2, 0}};
    thread_id t[2];
    c->calls = 1;
    for (int i = 0; i < 2 && c->n >= 2; i++)
        started(&t[i], fib, &part[i], i);
    for (int i = 0; i < 2 && c->n >= 2; i++) {
        await(t[i]);
        c->calls += part[i].calls;
    }
    return NULL;
}

static struct figure fibs(void)
{
    struct call root = {fib_of, 0};
    double begin = threads_now();
    fib(&root);
    return (struct figure){(threads_now() - begin) / (double)root.calls, 0, root.calls == threads_fib_calls(fib_of)};
}

static struct {
    mutex m;
    condition filled, emptied;
    int64_t buffer[THREADS_ROOM], first, count, sum;
} b;

static void *produce(void *arg)
{
    for (int64_t i = 0; i < items; i++) {
        lock(&b.m);
        while (b.count == THREADS_ROOM)
            wait_for(&b.emptied, &b.m);
        b.buffer[(b.first + b.count++) % THREADS_ROOM] = i;
        signal_one(&b.filled);
        unlock(&b.m);
    }
    return arg;
}

static void *consume(void *arg)
{
    for (int64_t i = 0; i < items; i++) {
        lock(&b.m);
        while (b.count == 0)
            wait_for(&b.filled, &b.m);
        b.sum += b.buffer[b.first++ % THREADS_ROOM];
        b.count--;
        signal_one(&b.emptied);
        unlock(&b.m);
    }
    return arg;
}

static struct figure condvar(void)
{
    thread_id t[2];
    memset(&b, 0, sizeof(b));
    mutex_make(&b.m);
    condition_make(&b.filled);
    condition_make(&b.emptied);
    double begin = threads_now();
    started(&t[0], consume, NULL, 0);
    started(&t[1], produce, NULL, 1);
    await(t[0]);
    await(t[1]);
    return (struct figure){(threads_now() - begin) / (double)items, 0, b.sum == items * (items - 1) / 2};
}

static mutex many[THREADS_MUTEXES];
static int64_t times, mutexes;
static bool yields;

static void *locker(void *arg)
{
    for (int64_t i = 0; i < times; i++) {
        mutex *m = &many[threads_mutex((uint64_t)(uintptr_t)arg, i, mutexes)];
        lock(m);
        if (yields)
            let_others_run();
        unlock(m);
    }
    return NULL;
}

static struct figure sysbench(int64_t each, int64_t of, bool with_yields)
{
    thread_id *t = room((size_t)threads * sizeof(*t));
    times = each;
    mutexes = of;
    yields = with_yields;
    for (int64_t i = 0; i < of; i++)
        mutex_make(&many[i]);
    double begin = threads_now();
    for (int64_t i = 0; i < threads; i++)
        started(&t[i], locker, (void *)(uintptr_t)i, i);
    for (int64_t i = 0; i < threads; i++)
        await(t[i]);
    free(t);
    return (struct figure){(threads_now() - begin) / (double)(threads * each), 0, true};
}

static struct figure sysbench_threads(void)
{
    return sysbench(THREADS_YIELDS, THREADS_LOCKS, true);
}

static struct figure sysbench_mutex(void)
{
    return sysbench(THREADS_LOCKED, THREADS_MUTEXES, false);
}

static int32_t *element;
struct part {
    int64_t from, to;
};

static void *sort(void *arg)
{
    struct part p = *(struct part *)arg;
    if (p.to - p.from <= THREADS_CUT) {
        threads_sort_little(element, p.from, p.to);
        return NULL;
    }
    int64_t middle = threads_partition(element, p.from, p.to);
    struct part left = {p.from, middle}, right = {middle, p.to};
    thread_id t;
    started(&t, sort, &left, 0);
    sort(&right);
    await(t);
    return NULL;
}

static struct figure sorts(void)
{
    struct part all = {0, elements};
    element = room((size_t)elements * sizeof(*element));
    threads_fill(element, elements);
    double begin = threads_now();
    sort(&all);
    double ns = (threads_now() - begin) / (double)elements;
    bool right = threads_sorted(element, elements);
    free(element);
    return (struct figure){ns, 0, right};
}

static int by_time(const void *x, const void *y)
{
    const struct figure *a = x, *c = y;
    return (a->ns > c->ns) - (a->ns < c->ns);
}

int main(int argc, char **argv)
{
    int64_t *sizes[] = {&members, &passes, &fib_of, &items, &threads, &elements, &rounds};
    static const struct {
        const char *name;
        struct figure (*run)(void);
    } all[] = {{"threadring", ring},      {"fib", fibs},  {"condvar", condvar}, {"threads", sysbench_threads},
               {"mutex", sysbench_mutex}, {"sort", sorts}};
    for (int i = 1; i < argc && i <= 7; i++)
        *sizes[i - 1] = atoll(argv[i]);
    prepare();
    for (size_t e = 0; e < sizeof(all) / sizeof(all[0]); e++) {
        struct figure *f = room((size_t)rounds * sizeof(*f));
        for (int64_t i = 0; i < rounds; i++)
            f[i] = all[e].run();
        double bytes = f[0].bytes;
        bool right = true;
        for (int64_t i = 0; i < rounds; i++)
            right = right && f[i].right;
        qsort(f, (size_t)rounds, sizeof(*f), by_time);
        printf("%-12s least %10.1f ns, median %10.1f ns, %8.0f bytes a thread%s\n", all[e].name, f[0].ns,
               f[rounds / 2].ns, bytes, right ? "" : ": WRONG");
        fflush(stdout);
        free(f);
        if (!right)
            return 1;
    }
    return 0;
}
