/* SPDX-License-Identifier: MIT */
/*
 * Measures the time to pass 10^6 nodes through one queue. The queue is in shared memory, and all workers use it. Figure
 * 4 of Dolan, Muralidharan and Gregg (TACO 9(4), 2013) shows this time. Each worker repeatedly enqueues the node that
 * it has, and dequeues a node. The program compares four queues: the paper's (perf/lowlock.h); the lock-free queue and
 * the two-lock queue of Michael and Scott ("Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue
 * Algorithms", PODC 1996); and a queue of intrusive nodes under one guard, like the queues of near objects of
 * uat/sync.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/bench.h"
#include "perf/gather.h"
#include "perf/lowlock.h"
#include "perf/report.h"
#include "uat/global.h"

enum { WORKERS_MAX = 256, ROUNDS_MAX = 101 };

static int64_t passes = 1000000, rounds = 5;

/* The words of all queues. Where the authors say so, a word that several workers change has its own cache line. */
struct queue {
    struct lowlock low;
    _Alignas(64) uint64_t head;
    _Alignas(64) uint64_t tail;
    _Alignas(64) uint64_t head_lock;
    _Alignas(64) uint64_t tail_lock;
    struct lowlock_node node[WORKERS_MAX + 1]; /* one node per worker; the last one is Michael and Scott's dummy node */
};

static struct queue *queue;

/* Acquire: pairs with the swaps and release stores of other workers to the same word. */
static uint64_t load(const uint64_t *word)
{
    return lowlock_load(word);
}

static void lock(uint64_t *word)
{
    for (struct uat_relax relax = {0}; load(word) || !lowlock_swap(word, 0, 1);)
        uat_relax(&relax);
}

static void unlock(uint64_t *word)
{
    __atomic_store_n(word, 0, __ATOMIC_RELEASE); /* pairs with the swap in lock() */
}

static void low_enqueue(struct lowlock_node **held)
{
    lowlock_enqueue(&queue->low, *held);
}

static bool low_dequeue(struct lowlock_node **held)
{
    return (*held = lowlock_dequeue(&queue->low)) != NULL;
}

/* One guard, taken and released by a swap. The accesses to head and tail are plain. */
static void guarded_enqueue(struct lowlock_node **held)
{
    uint64_t name = (uintptr_t)*held;
    (*held)->next = 0;
    lock(&queue->head_lock);
    if (queue->head)
        lowlock_node(queue->tail)->next = name;
    else
        queue->head = name;
    queue->tail = name;
    lowlock_swap(&queue->head_lock, 1, 0);
}

static bool guarded_dequeue(struct lowlock_node **held)
{
    lock(&queue->head_lock);
    struct lowlock_node *first = lowlock_node(queue->head);
    if (first)
        queue->head = first->next;
    lowlock_swap(&queue->head_lock, 1, 0);
    *held = first;
    return first != NULL;
}

/* Michael and Scott's queues start with a dummy node. A dequeue makes the first node the new dummy. The dequeuing
 * process gets the old dummy, and copies the first node's number into the old dummy. */
static void free_enqueue(struct lowlock_node **held)
{
    struct lowlock_node *node = *held;
    uint64_t name = (uintptr_t)node, tail, next;
    node->next = lowlock_after(node->next, 0);
    for (;;) {
        tail = load(&queue->tail);
        next = load(&lowlock_node(tail)->next);
        if (tail != load(&queue->tail))
            continue;
        if (lowlock_address(next) != 0)
            lowlock_swap(&queue->tail, tail, lowlock_after(tail, lowlock_address(next)));
        else if (lowlock_swap(&lowlock_node(tail)->next, next, lowlock_after(next, name)))
            break;
    }
    lowlock_swap(&queue->tail, tail, lowlock_after(tail, name));
}

static bool free_dequeue(struct lowlock_node **held)
{
    for (;;) {
        uint64_t head = load(&queue->head), tail = load(&queue->tail), next = load(&lowlock_node(head)->next);
        if (head != load(&queue->head))
            continue;
        if (lowlock_address(head) == lowlock_address(tail)) {
            if (lowlock_address(next) == 0)
                return false;
            lowlock_swap(&queue->tail, tail, lowlock_after(tail, lowlock_address(next)));
            continue;
        }
        /* Relaxed: if the node was reused, the number may be wrong. But then the swap fails. Pairs with the store
         * below, in another worker. */
        uint64_t number = __atomic_load_n(&lowlock_node(next)->number, __ATOMIC_RELAXED);
        if (!lowlock_swap(&queue->head, head, lowlock_after(head, lowlock_address(next))))
            continue;
        *held = lowlock_node(head);
        __atomic_store_n(&(*held)->number, number, __ATOMIC_RELAXED); /* pairs with the load above, in another worker */
        return true;
    }
}

static void two_enqueue(struct lowlock_node **held)
{
    struct lowlock_node *node = *held;
    node->next = 0;
    lock(&queue->tail_lock);
    /* Release: orders the node's words before its address. Pairs with the load in two_dequeue(). */
    __atomic_store_n(&lowlock_node(queue->tail)->next, (uintptr_t)node, __ATOMIC_RELEASE);
    queue->tail = (uintptr_t)node;
    unlock(&queue->tail_lock);
}

static bool two_dequeue(struct lowlock_node **held)
{
    lock(&queue->head_lock);
    struct lowlock_node *dummy = lowlock_node(queue->head), *next = lowlock_node(load(&dummy->next));
    if (next) {
        dummy->number = next->number;
        queue->head = (uintptr_t)next;
    }
    unlock(&queue->head_lock);
    *held = dummy;
    return next != NULL;
}

static const struct kind {
    const char *key, *title;
    void (*enqueue)(struct lowlock_node **held);
    bool (*dequeue)(struct lowlock_node **held); /* sets *held if it returns true */
    bool dummy;
} kinds[] = {{"low_lock", "low-lock", low_enqueue, low_dequeue, false},
             {"lock_free", "Michael and Scott, lock-free", free_enqueue, free_dequeue, true},
             {"two_locks", "Michael and Scott, two locks", two_enqueue, two_dequeue, true},
             {"guarded", "one guard", guarded_enqueue, guarded_dequeue, false}};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static double ms[KINDS][ROUNDS_MAX];

/* Enqueue and dequeue `times` times. Returns the number of the node that this worker has in the end. */
static uint64_t pass(const struct kind *kind, uint64_t times)
{
    struct lowlock_node *held = &queue->node[uat_rank()];
    held->number = (uint64_t)uat_rank() + 1;
    for (uint64_t i = 0; i < times; i++) {
        kind->enqueue(&held);
        for (struct uat_relax relax = {0}; !kind->dequeue(&held);)
            uat_relax(&relax);
    }
    return held->number;
}

/* Collective. Returns 0 or a negative errno after reporting the error. */
static int run_round(int k, int64_t round)
{
    uint64_t workers = (uint64_t)uat_size(), dummy = (uintptr_t)&queue->node[WORKERS_MAX];
    struct uat_gathered number, first, time;
    if (uat_rank() == 0) {
        memset(queue, 0, sizeof(*queue));
        queue->head = queue->tail = kinds[k].dummy ? dummy : 0;
    }
    int rc = uat_barrier();
    if (rc)
        return rc;
    uint64_t begin = uat_time_ns(), last = pass(&kinds[k], (uint64_t)passes / workers), end = uat_time_ns();
    rc = uat_gather(last, &number);
    if (!rc)
        rc = uat_gather(begin, &first);
    if (!rc)
        rc = uat_gather(end, &time);
    if (rc)
        return rc;
    ms[k][round] = (double)(time.most - first.least) * 1e-6; /* all workers are on one host, so they have one clock */
    if (number.sum == workers * (workers + 1) / 2)
        return 0;
    if (uat_rank() == 0)
        fprintf(stderr, "uat-queue: %s: the nodes at the end are not those at the start\n", kinds[k].title);
    return -EPROTO;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    static const struct uat_report_column columns[] = {{"queue", "queue", -30, 0},
                                                       {"least_ms", "least, ms", 11, 2},
                                                       {"median_ms", "median, ms", 12, 2},
                                                       {"ratio", "by low-lock", 13, 2},
                                                       {0}};
    uat_report_begin(bench, settings);
    uat_report_count("passes", (uint64_t)passes);
    uat_report_line("passes", "%lld nodes through one queue, by all workers together", (long long)passes);
    uat_report_heads(columns);
    uat_report_list("rows");
    for (int k = 0; k < KINDS; k++) {
        qsort(ms[k], (size_t)rounds, sizeof(double), by_value);
        double median = ms[k][rounds / 2];
        uat_report_row(columns,
                       (struct uat_report_value[]){
                           {kinds[k].title, 0}, {NULL, ms[k][0]}, {NULL, median}, {NULL, median / ms[0][rounds / 2]}});
    }
    uat_report_close();
    uat_report_end();
}

static int measure(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    if (uat_size() > WORKERS_MAX) {
        fprintf(stderr, "uat-queue: %d workers; it runs on at most %d\n", uat_size(), WORKERS_MAX);
        return -EINVAL;
    }
    queue = uat_global_alloc(sizeof(*queue), UAT_BLOCKED, 0);
    if (!queue)
        return UAT_BENCH_NO_ARRAY;
    int rc = 0;
    if (uat_global_near(queue, sizeof(*queue)) != sizeof(*queue)) {
        fprintf(stderr, "uat-queue: rank %d: all workers must be on one host\n", uat_rank());
        rc = -EINVAL;
    }
    for (int64_t round = 0; round < rounds && !rc; round++)
        for (int k = 0; k < KINDS && !rc; k++)
            rc = run_round(k, round);
    if (!rc && uat_rank() == 0)
        report(bench, settings);
    uat_global_free(queue);
    return rc;
}

static const struct uat_bench_option options[] = {
    {"--passes", "N", "nodes that pass the queue in a round", &passes, NULL, 1, 1e9},
    {"--rounds", "N", "rounds, in turn; the median is reported", &rounds, NULL, 1, ROUNDS_MAX},
    {0},
};

const struct uat_bench uat_bench = {
    .program = "uat-queue",
    .purpose = "A queue that all workers of a host share: low-lock, Michael and Scott's, guarded.",
    .options = options,
    .measure = measure,
};
