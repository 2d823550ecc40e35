/* SPDX-License-Identifier: MIT */
/*
 * Description: words that peers write are overwritten while a job runs, as if by a faulty peer; `pokes` starts this for
 * each word and value, and judges how the job ends. A thread of one rank repeatedly writes the value into that rank's
 * own segment.
 * Usage: poke RANK WORD VALUE; a word that does not exist pokes nothing. poke list: prints the words
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "deque/mailbox.h"
#include "deque/ready.h"
#include "runtime/global/global.h"
#include "runtime/sched/park.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"
#include "runtime/sync/waitobj.h"
#include "uat.h"
#include "uat/sync.h"

UAT_CHANNEL(uint64_t, numbers);

enum { ROUNDS = 20, DEPTH = 12, USERS = 8, TIMES = 4, OBJECTS = 6, INSTANCES = 512, PAUSE_NS = 20000 };

/* Every worker creates some; the runs use those of rank 0, where their root starts. */
struct objects {
    numbers_channel channel, back, plain;
    uat_mutex_t mutex;
    uat_task_barrier_t group;
    uat_semaphore_t semaphore;
};
static struct objects objects;

/* --- Where the words are. Each finder fills at[] with the addresses of all current instances, and returns their
 * number. */

struct word {
    const char *name;
    int (*find)(const struct word *w, uint64_t **at);
    const char *area;
    size_t offset, stride;
    int count;
};

static int find_in_area(const struct word *w, uint64_t **at)
{
    for (int i = 0; i < w->count; i++)
        at[i] = (uint64_t *)(void *)((char *)uat_segment_find(w->area)->at + w->offset + (size_t)i * w->stride);
    return w->count;
}

/* Join records lie at the start of their area. */
static int find_in_records(const struct word *w, uint64_t **at)
{
    for (int i = 0; i < w->count; i++)
        at[i] = (uint64_t *)(void *)(uat_segment.records + (size_t)i * uat_segment.record_stride + w->offset);
    return w->count;
}

/* The headers of blocks with waiting tasks. The list changes meanwhile; each of its items is a block, or was one. */
static int find_in_waiters(const struct word *w, uint64_t **at)
{
    int n = 0;
    for (size_t i = 0; i < uat_heap.lent.count && n < INSTANCES; i++) {
        uint32_t unit = uat_heap.lent.items[i];
        if (unit >= uat_heap.units)
            continue;
        struct uat_parked *p = (struct uat_parked *)(void *)(uat_heap.memory + (size_t)unit * UAT_HEAP_UNIT);
        if (p->kind > UAT_PARK_JOIN && p->kind < UAT_PARK_OBJECT)
            at[n++] = (uint64_t *)(void *)((char *)p + w->offset);
    }
    return n;
}

static int find_in_objects(const struct word *w, uint64_t **at)
{
    const uint64_t names[OBJECTS] = {objects.channel.channel.object, objects.back.channel.object,
                                     objects.plain.channel.object,   objects.mutex.object,
                                     objects.group.object,           objects.semaphore.object};
    for (int i = 0; i < w->count; i++)
        at[i] = (uint64_t *)(void *)((char *)uat_waitobj_address(names[(int)w->stride + i]) + w->offset);
    return w->count;
}

#define IN_AREA(name, area, type, field, stride, count)                                                                \
    {                                                                                                                  \
        name, find_in_area, area, offsetof(type, field), stride, count                                                 \
    }
#define IN_OBJECTS(name, first, count, field)                                                                          \
    {                                                                                                                  \
        name, find_in_objects, NULL, offsetof(struct uat_waitobj, field), first, count                                 \
    }
static const struct word words[] = {
    IN_AREA("deque.claims", "deque", struct uat_ring, claims, 0, 1),
    IN_AREA("deque.lock", "deque", struct uat_ring, lock, 0, 1),
    IN_AREA("deque.slot.state", "deque", struct uat_ring, slot[0].state, sizeof(struct uat_slot), UAT_RING_SLOTS),
    IN_AREA("deque.slot.place", "deque", struct uat_ring, slot[0].place, sizeof(struct uat_slot), UAT_RING_SLOTS),
    IN_AREA("deque.ack", "deque", struct uat_ring, ack, 8, UAT_RING_SLOTS),
    IN_AREA("mailbox.ask", "mailbox", struct uat_mailbox, front.ask, 0, 1),
    IN_AREA("mailbox.taken", "mailbox", struct uat_mailbox, front.taken, 0, 1),
    IN_AREA("mailbox.offer", "mailbox", struct uat_mailbox, front.offer, 0, 1),
    IN_AREA("mailbox.answers", "mailbox", struct uat_mailbox, answers, 0, 1),
    IN_AREA("mailbox.given", "mailbox", struct uat_mailbox, given, 0, 1),
    IN_AREA("ready.claims", "ready tasks", struct uat_ready_ring, claims, 0, 1),
    IN_AREA("ready.slot.state", "ready tasks", struct uat_ready_ring, slot[0].state, sizeof(struct uat_ready_slot),
            UAT_READY_SLOTS),
    IN_AREA("ready.slot.place", "ready tasks", struct uat_ready_ring, slot[0].place, sizeof(struct uat_ready_slot),
            UAT_READY_SLOTS),
    IN_AREA("ready.slot.where", "ready tasks", struct uat_ready_ring, slot[0].where, sizeof(struct uat_ready_slot),
            UAT_READY_SLOTS),
    IN_AREA("ready.ack", "ready tasks", struct uat_ready_ring, ack, 8, UAT_READY_SLOTS),
    {"record.returned", find_in_records, NULL, offsetof(struct uat_record, returned), 0, 64},
    {"record.waiter.rank", find_in_records, NULL, offsetof(struct uat_record, waiter.rank), 0, 64},
    {"record.waiter.block", find_in_records, NULL, offsetof(struct uat_record, waiter.block), 0, 64},
    {"record.waiter.sp", find_in_records, NULL, offsetof(struct uat_record, waiter.sp), 0, 64},
    {"record.waiter.base", find_in_records, NULL, offsetof(struct uat_record, waiter.base), 0, 64},
    {"waiter.next", find_in_waiters, NULL, offsetof(struct uat_parked, next), 0, 0},
    {"waiter.sp", find_in_waiters, NULL, offsetof(struct uat_parked, sp), 0, 0},
    {"waiter.base", find_in_waiters, NULL, offsetof(struct uat_parked, base), 0, 0},
    {"waiter.reply", find_in_waiters, NULL, offsetof(struct uat_parked, reply), 0, 0},
    {"waiter.object", find_in_waiters, NULL, offsetof(struct uat_parked, object), 0, 0},
    {"waiter.returned", find_in_waiters, NULL, offsetof(struct uat_parked, returned), 0, 0},
    IN_OBJECTS("object.guard", 0, OBJECTS, guard),
    IN_OBJECTS("object.kind", 0, OBJECTS, kind),
    IN_OBJECTS("object.head", 0, OBJECTS, head),
    IN_OBJECTS("object.tail", 0, OBJECTS, tail),
    IN_OBJECTS("channel.first", 0, 3, word[0]),
    IN_OBJECTS("channel.count", 0, 3, word[1]),
    IN_OBJECTS("channel.capacity", 0, 3, word[2]),
    IN_OBJECTS("channel.flags", 0, 3, word[3]),
    IN_OBJECTS("mutex.locked", 3, 1, word[0]),
    IN_OBJECTS("group.count", 4, 1, word[0]),
    /* The words of runtime/job/collective.c and tree.c start: runs_ended, a line; barrier[24]; run_result; told[2][24]
     * of 24 bytes each. up[24], down, to a line; share[24], which starts with what is told. */
    {"run.ended", find_in_area, "barriers and ends of runs", 0, 0, 1},
    {"barrier.count", find_in_area, "barriers and ends of runs", 64, 8, 2},
    {"run.origin", find_in_area, "barriers and ends of runs", 256, 0, 1},
    {"run.size", find_in_area, "barriers and ends of runs", 264, 0, 1},
    {"told.call", find_in_area, "barriers and ends of runs", 272, 24, 48},
    {"told.status", find_in_area, "barriers and ends of runs", 280, 24, 48},
    {"tree.up", find_in_area, "trees", 0, 8, 2},
    {"tree.down", find_in_area, "trees", 192, 0, 1},
    {"tree.share.call", find_in_area, "trees", 256, 0, 1},
    {"tree.share.status", find_in_area, "trees", 264, 0, 1},
};

/* --- The value to write. `old`: the current one. */
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
    *value = !strcmp(kind, "misaligned")     ? old | 4
             : !strcmp(kind, "another-rank") ? old ^ (uint64_t)9 << 48
                                             : old + 0x1000000;
    return old != 0 && old != *value && old < (UINT64_C(4) << 48); /* a name or an address that was not poked yet */
}

static const struct word *poked;
static const char *poked_value;

static bool over;

static void *poke(void *unused)
{
    static uint64_t *at[INSTANCES];
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    (void)unused;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) { /* Relaxed: orders no other data; set by main() */
        int n = poked->find(poked, at);
        for (int i = 0; i < n; i++) {
            uint64_t value, old = __atomic_load_n(at[i], __ATOMIC_RELAXED);
            if (value_of(poked_value, old, &value)) /* Relaxed: replaces no protocol's store */
                __atomic_store_n(at[i], value, __ATOMIC_RELAXED);
        }
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
    for (uint64_t i = 0; i < TIMES; i++) {
        uat_mutex_lock(o.mutex);
        uat_yield();
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
    }
    return (int)errors;
}

UAT_TASK(uint64_t, all, struct objects, o)
{
    user_task users[USERS];
    tree_task large;
    uint64_t errors = 0;
    for (uint64_t i = 0; i < USERS; i++)
        user_spawn(&users[i], o, i);
    tree_spawn(&large, DEPTH);
    errors += tree_join(&large) != UINT64_C(1) << DEPTH;
    for (int i = USERS; i-- > 0;)
        errors += (uint64_t)user_join(&users[i]);
    return errors;
}

/* Answers arguments that do not start a job: prints the words, or the usage. */
static int help(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
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
    if (argc != 4)
        return help(argc, argv);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!strcmp(argv[2], words[i].name))
            poked = &words[i];
    poked_value = argv[3];
    if (uat_init())
        return 2;
    objects = (struct objects){.channel = numbers_create(1),
                               .back = numbers_create(1),
                               .plain = numbers_create(1),
                               .mutex = uat_mutex_create(),
                               .group = uat_task_barrier_create(USERS),
                               .semaphore = uat_semaphore_create(2)};
    bool pokes = poked && atoi(argv[1]) == uat_rank();
    if (pokes && pthread_create(&thread, NULL, poke, NULL))
        return 2;
    for (int i = 0; i < ROUNDS && !errors; i++) {
        uint64_t wrong;
        uat_stats_t stats;
        if (all_run(&wrong, objects) || uat_barrier() || uat_stats_total(&stats))
            return 1;
        errors += wrong;
    }
    if (pokes) {
        __atomic_store_n(&over, true,
                         __ATOMIC_RELAXED); /* Relaxed: orders no other data; the segment outlives the thread */
        pthread_join(thread, NULL);
    }
    if (uat_finalize())
        return 1;
    if (errors)
        printf("wrong\n");
    return errors ? 3 : 0;
}
