/* SPDX-License-Identifier: MIT */
/*
 * Description: a job in which one rank overwrites a word of its own segment, as a faulty peer would. `pokes` starts
 * this program for each word and value, and checks how the job ends. A thread writes the value again and again; only
 * into a flow's ledger, a task writes it once.
 * Usage: poke RANK WORD VALUE (an unknown word overwrites nothing). "poke list" prints the words.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "uat.h"
#include "uat/adaptive.h"
#include "uat/channel.h"
#include "uat/dataflow.h"
#include "uat/global.h"
#include "uat/object.h"
#include "uat/semaphore.h"
#include "uat/sync.h"
#include "tests/security/words.h"

UAT_CHANNEL(uint64_t, numbers);

enum {
    ROUNDS = 20,
    DEPTH = 12,
    USERS = 8,
    TIMES = 4,
    GROUP = 20,
    BYTES = 5000,
    PAUSE_NS = 20000,
    DATA = 16,
    STEPS = 300,
    ITERATIONS = 2000
};

/* Every worker creates objects. The runs use only rank 0's objects, because a run's root starts on rank 0. */
struct objects {
    numbers_channel channel, back, plain;
    uat_mutex_t mutex;
    uat_task_barrier_t group;
    uat_semaphore_t semaphore;
    bool global;    /* whether objects of global memory are used */
    uint64_t *data; /* the data of the flow, or NULL */
    int ledger;     /* the rank whose ledger is corrupted, or -1 */
    bool adaptive;  /* whether adaptive requests are made */
};

/* --- The value to write in place of `old`. Returns false if `old` must stay. */
static bool value_of(const char *kind, uint64_t old, uint64_t *value)
{
    static const struct {
        const char *name;
        uint64_t value;
    } fixed[] = {
        {"0", 0}, {"-1", UINT64_MAX}, {"2^63", UINT64_C(1) << 63}, {"2000000", 2000000}, {"2^50", UINT64_C(1) << 50}};
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (!strcmp(kind, fixed[i].name)) {
            *value = fixed[i].value;
            return true;
        }
    if (!strcmp(kind, "lost")) { /* once: undo a peer's last addition of 1 */
        static bool done;
        *value = old - 1;
        return old > 2 && !done && (done = true);
    }
    *value = !strcmp(kind, "misaligned")     ? old | 4
             : !strcmp(kind, "another-rank") ? old ^ (uint64_t)9 << 48
                                             : old + 0x1000000;
    /* Change only addresses, and names of ranks below 4: not 0, and no rank that was changed already. */
    return old != 0 && old != *value && old < (UINT64_C(4) << 48);
}

static const struct word *poked;
static const char *poked_value;

static bool over;

/*
 * Overwrite all instances of the word. A worker may meanwhile give back the block that an instance lies in, and use it
 * for a stack. So an instance is overwritten only if it is still one after its value was read, and by a
 * compare-and-swap with this value.
 */
static void poke_once(void)
{
    static uint64_t *at[WORDS_INSTANCES], *again[WORDS_INSTANCES], old[WORDS_INSTANCES];
    int n = poked->find(poked, at);
    for (int i = 0; i < n; i++)
        old[i] = __atomic_load_n(at[i], __ATOMIC_ACQUIRE); /* Acquire: this load comes before those of find() below.
                                                            * No store of the library pairs with it. */
    int still = poked->find(poked, again);
    for (int i = 0; i < n && i < still; i++) {
        uint64_t value;
        if (at[i] == again[i] && value_of(poked_value, old[i], &value)) /* Relaxed: belongs to no protocol */
            __atomic_compare_exchange_n(at[i], &old[i], value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

static void *poke(void *unused)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    (void)unused;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) { /* Relaxed: orders no other data. Pairs with the store in
                                                         * main(). */
        poke_once();
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* --- The job: trees of tasks, objects of several kinds that tasks on all workers wait for, and collective calls. */

UAT_TASK(uint64_t, tree, int, depth)
{
    if (depth == 0)
        return 1;
    tree_task child;
    tree_spawn(&child, depth - 1);
    uint64_t own = tree(depth - 1);
    return own + tree_join(&child);
}

UAT_TASK(int, user, struct objects, o, uint64_t, self)
{
    uint64_t value, errors = 0;
    void *object = o.global ? uat_global_object_alloc(40) : NULL;
    for (uint64_t i = 0; i < TIMES; i++) {
        uat_mutex_lock(o.mutex);
        if ((i + self) % 2)
            uat_yield();
        else
            uat_migrate((int)((i + self) % (uint64_t)uat_size()));
        uat_mutex_unlock(o.mutex);
        uat_semaphore_acquire(o.semaphore);
        uat_semaphore_release(o.semaphore, 1);
        uat_task_barrier_wait(o.group);
        if (self % 2)
            errors += numbers_send(o.channel, self) || numbers_send(o.back, self) || numbers_send(o.plain, self);
        for (int k = 0; k < 2 && self % 2 == 0; k++) {
            uat_case_t cases[2] = {numbers_receives(o.channel, &value), numbers_receives(o.back, &value)};
            uat_select(cases, 2);
            errors += value >= USERS;
        }
        if (self % 2 == 0)
            errors += numbers_receive(o.plain, &value) || value >= USERS;
        errors += tree(6) != 64;
        if (o.global) {
            uat_global_object_free(object);
            object = uat_global_object_alloc(40);
        }
    }
    if (o.global)
        uat_global_object_free(object);
    return (int)errors;
}

UAT_TASK(int, leaf, int, depth)
{
    return (int)tree(depth);
}

UAT_FLOW_TASK(step, in, uint64_t, from, inout, uint64_t, to, value, uint64_t, n)
{
    *to = 3 * *to + *from + n;
}

/* The data of step i. */
static int from_of(int i)
{
    return i * 7 % DATA;
}
static int to_of(int i)
{
    return (i * 5 + 1) % DATA;
}

/* A flow of steps. If a ledger is to be corrupted, the unroller migrates to rank `ledger`, unrolls half of the steps
 * there, corrupts the ledger, and migrates to the next rank, which reads it. Returns the number of wrong values. */
UAT_TASK(uint64_t, steps, uint64_t *, data, int, ledger)
{
    uint64_t expected[DATA] = {0}, errors = 0;
    uat_flow_t flow;
    uat_flow_begin(&flow);
    for (int i = 0; i < DATA; i++)
        uat_global_put(&data[i], &expected[i], sizeof(expected[i]));
    if (ledger >= 0)
        uat_migrate(ledger);
    for (int i = 0; i < STEPS; i++) {
        if (from_of(i) == to_of(i))
            continue;
        if (i == STEPS / 2 && ledger >= 0) {
            poke_once();
            uat_migrate((ledger + 1) % uat_size());
        }
        step_flow(&flow, &data[from_of(i)], &data[to_of(i)], (uint64_t)i);
        expected[to_of(i)] = 3 * expected[to_of(i)] + expected[from_of(i)] + (uint64_t)i;
    }
    uat_flow_end(&flow);
    for (int i = 0; i < DATA; i++) {
        uint64_t value;
        uat_global_get(&value, &data[i], sizeof(value));
        errors += value != expected[i];
    }
    return errors;
}

static void sum(uat_context_t *c, const void *arg, void *result)
{
    uint64_t found = 0, more;
    int64_t begin, end;
    (void)arg;
    while (uat_context_next(c, 4, &begin, &end))
        for (; begin < end; begin++)
            found += (uint64_t)begin + tree(4) - 16;
    while (uat_context_merge(c, &more))
        found += more;
    *(uint64_t *)result = found;
}

/* Computes one sum whose parts thieves take, and one whose parts victims give. Returns how many are wrong. */
static uint64_t sums(void)
{
    uint64_t errors = 0;
    for (int mode = UAT_CONCURRENT; mode <= UAT_COOPERATIVE; mode++) {
        const uat_adaptive_t how = {.fn = sum, .mode = (enum uat_adaptive_mode)mode, .result_size = sizeof(uint64_t)};
        uint64_t found;
        uat_adaptive_run(&how, NULL, 0, ITERATIONS, NULL, &found);
        errors += found != (uint64_t)ITERATIONS * (ITERATIONS - 1) / 2;
    }
    return errors;
}

UAT_TASK(uint64_t, all, struct objects, o)
{
    uat_group_t leaves;
    user_task users[USERS];
    tree_task large;
    uint64_t errors = 0;
    for (uint64_t i = 0; i < USERS; i++)
        user_spawn(&users[i], o, i);
    tree_spawn(&large, DEPTH);
    uat_group_begin(&leaves);
    for (int i = 0; i < GROUP; i++)
        leaf_group_spawn(&leaves, 10);
    uat_group_wait(&leaves);
    errors += tree_join(&large) != UINT64_C(1) << DEPTH;
    if (o.data)
        errors += steps(o.data, o.ledger);
    if (o.adaptive)
        errors += sums();
    for (int i = USERS; i-- > 0;)
        errors += (uint64_t)user_join(&users[i]);
    return errors;
}

/* Make and free an array or a replica, outside of runs. Counts a replica with wrong content in *wrong. Returns 0, or a
 * negative errno that has been reported. */
static int do_part(enum words_part part, uint64_t *wrong)
{
    static char bytes[BYTES];
    if (part == WORDS_GLOBAL) {
        void *array = uat_global_alloc(BYTES, UAT_CYCLIC, 4096);
        return array ? uat_global_free(array) : -errno;
    }
    memset(bytes, 7, sizeof(bytes));
    char *copy = uat_replicate(bytes, sizeof(bytes));
    if (!copy)
        return -errno;
    *wrong += memcmp(copy, bytes, sizeof(bytes)) != 0;
    return uat_replicate_free(copy);
}

/* Handles arguments that do not start a job: prints the words or the usage. */
static int help(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (size_t i = 0; i < words_count; i++)
            puts(words[i].name);
        return 0;
    }
    fprintf(stderr, "usage: poke RANK WORD VALUE\n");
    return 2;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    uint64_t errors = 0;
    int failed = 0;
    if (argc != 4)
        return help(argc, argv);
    for (size_t i = 0; i < words_count; i++)
        if (!strcmp(argv[2], words[i].name))
            poked = &words[i];
    poked_value = argv[3];
    if (uat_init())
        return 2;
    enum words_part part = poked ? poked->part : WORDS_ALL;
    bool flow = part == WORDS_FLOW || part == WORDS_LEDGER;
    if ((part == WORDS_GLOBAL || flow) && uat_global_open())
        return 2;
    uint64_t *data = flow ? uat_global_alloc(DATA * sizeof(*data), UAT_CYCLIC, 64) : NULL;
    if (flow && !data)
        return 2;
    struct objects objects = {.channel = numbers_create(1),
                              .back = numbers_create(1),
                              .plain = numbers_create(1),
                              .mutex = uat_mutex_create(),
                              .group = uat_task_barrier_create(USERS),
                              .semaphore = uat_semaphore_create(2),
                              .global = part == WORDS_GLOBAL,
                              .data = data,
                              .adaptive = part == WORDS_ADAPTIVE,
                              .ledger = part == WORDS_LEDGER ? atoi(argv[1]) : -1};
    memcpy(words_objects,
           (uint64_t[WORDS_OBJECTS]){objects.channel.channel.object, objects.back.channel.object,
                                     objects.plain.channel.object, objects.mutex.object, objects.group.object,
                                     objects.semaphore.object},
           sizeof(words_objects));
    bool pokes = poked && part != WORDS_LEDGER && atoi(argv[1]) == uat_rank();
    if (pokes && pthread_create(&thread, NULL, poke, NULL))
        return 2;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t wrong = 1; /* unless the run returns its result */
        uat_stats_t stats;
        if (all_run(&wrong, objects) || uat_barrier() || uat_stats_total(&stats))
            return 1;
        if ((part == WORDS_GLOBAL || part == WORDS_REPLICA) && (failed = do_part(part, &wrong)))
            break; /* the call fails on all ranks, so all ranks finalize */
        errors += wrong;
    }
    if (pokes) {
        __atomic_store_n(&over, true,
                         __ATOMIC_RELAXED); /* Relaxed: orders no other data; the segment outlives the thread */
        pthread_join(thread, NULL);
    }
    if (uat_finalize() || failed)
        return 1;
    if (errors)
        printf("wrong\n");
    return errors ? 3 : 0;
}
