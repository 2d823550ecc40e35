/* SPDX-License-Identifier: MIT */
/*
 * Each test is collective and returns this worker's verdict; the verdicts are counted at rank 0. The tests work on
 * words at the end of the evacuation heap, which nothing else uses between the tests' runs. In most tests of the
 * transport, a worker operates on the words of its partner: rank r on those of rank r + 1, the last rank on those of
 * rank 0.
 */
#include "runtime/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "include/uat.h"
#include "runtime/job/aslr.h"
#include "runtime/job/collective.h"
#include "runtime/job/self.h"
#include "runtime/job/settings.h"
#include "runtime/meeting.h"
#include "runtime/segment/segment.h"

enum { ROUNDS = 2000, BLOCK = 512, TREE = 22, TREE_ANSWER = 17711, RUNS_MAX = 50, BOARD = 16384 };

struct board {
    uint64_t sum, swapped; /* words that the atomics of all workers change, at rank 0 */
    uint64_t between;      /* word for the atomic that orders the previous rank's WRITE before its READ */
    uint64_t data, count;  /* the previous rank WRITEs data, then adds to count */
    uint64_t whole;        /* the previous rank WRITEs either all ones or all zeros */
    uint64_t failed;       /* number of workers that failed, at rank 0 */
    uint64_t old, word;    /* sources and targets of this worker's operations */
    uint64_t sent[BLOCK], arrived[BLOCK], returned[BLOCK];
};

_Static_assert(sizeof(struct board) <= BOARD, "the board must fit into its room");

static struct board *board(void)
{
    /* The board lies inside the heap, at an address that is the same for all colours. */
    char *heap = uat_coloured(uat_segment.heap, -uat_segment.colour);
    return (struct board *)(void *)(heap + uat_segment.heap_size - BOARD);
}

static int partner(void)
{
    return (uat_self.rank + 1) % uat_self.size;
}

static bool act(int rank, const struct uat_op *ops, int count)
{
    return uat_transport_do(uat_self.transport, rank, ops, count) == 0;
}

static bool test_copies(void)
{
    struct board *b = board();
    for (uint64_t i = 0; i < BLOCK; i++)
        b->sent[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)uat_self.rank;
    /* The atomic orders the WRITE before the READ (O1). */
    struct uat_op ops[] = {uat_op_write(b->sent, b->arrived, sizeof(b->sent)),
                           uat_op_fetch_add(&b->old, &b->between, 1),
                           uat_op_read(b->returned, b->arrived, sizeof(b->sent))};
    return act(partner(), ops, 3) && memcmp(b->sent, b->returned, sizeof(b->sent)) == 0;
}

/* All workers increment two words of rank 0. No increment may be lost. */
static bool test_atomics(void)
{
    struct board *b = board();
    bool good = true;
    uint64_t seen = 0;
    for (int i = 0; i < ROUNDS && good; i++) {
        struct uat_op add = uat_op_fetch_add(&b->old, &b->sum, 1);
        good = act(0, &add, 1);
        for (bool swapped = false; good && !swapped;) {
            struct uat_op swap = uat_op_cmp_swap(&b->old, &b->swapped, seen, seen + 1);
            good = act(0, &swap, 1);
            swapped = b->old == seen;
            seen = swapped ? seen + 1 : b->old;
        }
    }
    if (uat_collective_barrier())
        return false;
    uint64_t expected = (uint64_t)ROUNDS * (uint64_t)uat_self.size;
    struct uat_op look[] = {uat_op_read(&b->returned[0], &b->sum, 8), uat_op_read(&b->returned[1], &b->swapped, 8)};
    return good && act(0, look, 2) && b->returned[0] == expected && b->returned[1] == expected;
}

/* A litmus test: data is written before count is incremented. A CPU that sees the count therefore sees the data
 * (acquire; pairs with the chain). */
static bool test_order(void)
{
    struct board *b = board();
    bool good = true;
    for (uint64_t i = 1; i <= ROUNDS && good; i++) {
        b->word = i;
        struct uat_op chain[] = {uat_op_write(&b->word, &b->data, 8), uat_op_fetch_add(&b->old, &b->count, 1)};
        good = act(partner(), chain, 2);
        uint64_t count = uat_cpu_load_acquire(&b->count);
        good = good && __atomic_load_n(&b->data, __ATOMIC_RELAXED) >= count;
    }
    return good;
}

/* A word is seen as it was before a WRITE or after it, never as a mix of both. */
static bool test_whole_words(void)
{
    struct board *b = board();
    bool good = true;
    for (int i = 0; i < ROUNDS && good; i++) {
        b->word = i % 2 ? 0 : UINT64_MAX;
        struct uat_op op = uat_op_write(&b->word, &b->whole, 8);
        good = act(partner(), &op, 1);
        uint64_t seen =
            __atomic_load_n(&b->whole, __ATOMIC_RELAXED); /* relaxed: only wholeness counts; pairs with the WRITE */
        good = good && (seen == 0 || seen == UINT64_MAX);
    }
    return good;
}

/* A tree whose tasks compare the canary. If this file is compiled with stack protection, the tasks' frames also have
 * canaries. A result of 0 leaves means that a canary differs. */
UAT_TASK(uint64_t, tree, int64_t, depth)
{
    tree_task child;
    if (UAT_CPU_CANARY_MAY_CHANGE && uat_cpu_canary() != uat_run_canary())
        return 0;
    if (depth < 2)
        return 1;
    tree_spawn(&child, depth - 1);
    uint64_t right = tree(depth - 2);
    uint64_t left = tree_join(&child);
    return left && right ? left + right : 0;
}

/* Run up to RUNS_MAX trees, until a task has been stolen and a stack evacuated. Returns false if a result is wrong, or
 * if nothing was stolen in a job of several workers. */
static bool test_steals(void)
{
    uat_stats_t stats = {0};
    uint64_t answer = 0;
    for (int i = 0; i < RUNS_MAX; i++) {
        if (tree_run(&answer, TREE - 1) || answer != TREE_ANSWER || uat_stats_total(&stats))
            return false;
        if (stats.steals > 0 && stats.evacuations > 0)
            return true;
    }
    return stats.steals > 0 || uat_self.size == 1;
}

static bool test_aslr(void)
{
    return uat_self.size == 1 || uat_aslr_is_off(); /* in a job of one it may be on */
}

static const struct test {
    const char *name;
    bool (*run)(void);
    const char *advice;
} tests[] = {
    {"address-space randomisation is off", test_aslr,
     "personality(2) is forbidden here; in Docker: --security-opt seccomp=unconfined"},
    {"WRITE and READ transfer what was sent", test_copies, "the network or its driver damages data"},
    {"atomics lose nothing", test_atomics, "the device's atomics do not work: choose another with UAT_NET_DEVICES"},
    {"an atomic comes after the WRITE before it", test_order, "the device does not keep the order of operations"},
    {"words of 8 bytes arrive whole", test_whole_words, "the device tears words"},
    {"stacks move, with canaries, and come back", test_steals, "see the lines above; are all hosts of one kind?"},
};

/* Run one test on all workers. Returns, on every rank, whether the test passed on all ranks. */
static bool examine(const struct test *test)
{
    struct board *b = board();
    memset(b, 0, sizeof(*b));
    if (uat_collective_barrier())
        return false;
    uint64_t failed = !test->run();
    struct uat_op add = uat_op_fetch_add(&b->old, &b->failed, failed),
                  look = uat_op_read(&b->returned[0], &b->failed, 8);
    if (uat_collective_barrier() || !act(0, &add, 1) || uat_collective_barrier() || !act(0, &look, 1) ||
        uat_collective_barrier())
        return false;
    return b->returned[0] == 0;
}

bool uat_doctor_wanted(void)
{
    return getenv(UAT_DOCTOR_VARIABLE) != NULL;
}

bool uat_doctor_examine(const char *reason)
{
    int failed = 0;
    bool speaks = uat_self.rank == 0;
    if (speaks)
        printf("%d workers, uat %s, transport %s (%s)\n", uat_self.size, UAT_VERSION, uat_self.transport->class_->name,
               reason);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        bool good = examine(&tests[i]);
        failed += !good;
        if (speaks)
            printf("  %-4s  %s%s%s\n", good ? "pass" : "FAIL", tests[i].name, good ? "" : ": ",
                   good ? "" : tests[i].advice);
    }
    memset(board(), 0, sizeof(struct board)); /* zero, as the heap was before the tests */
    if (speaks)
        printf("%d of %zu tests failed\n", failed, sizeof(tests) / sizeof(tests[0]));
    fflush(stdout);
    return !failed;
}
