/* SPDX-License-Identifier: MIT */
/*
 * Description: tasks on several workers use one object of each kind. Each worker records the operations that it posts.
 * At the end it writes each recorded operation once to the file FOLDER/RANK. The line is "A rank address" for a word
 * that an atomic changes, "W rank address" for a WRITTEN word, "O rank address" for an object, and "H address" for the
 * end of the evacuation heap. run-words compares the files of all workers. Usage: words FOLDER
 */
#include <stdio.h>
#include <stdlib.h>

#include "inspect/inspect.h"
#include "tests/programs/rounds.h"
#include "uat/channel.h"
#include "uat/semaphore.h"
#include "uat/sync.h"

UAT_FUTURE(uint64_t, number);
UAT_CHANNEL(uint64_t, numbers);

enum { NOTED_MAX = 1 << 16, TASKS = 9, TIMES = 5, HEAP_SPARE = 64 };

struct objects {
    number_future future;
    uat_mutex_t mutex;
    uat_condition_t condition;
    uat_semaphore_t semaphore;
    uat_latch_t latch;
    uat_task_barrier_t group;
    numbers_channel channel, other;
};

/* The recorded operations, in a hash table. An entry combines kind, rank and address; 0: free. */
static uint64_t noted[NOTED_MAX];
static unsigned full;
static struct uat_transport_class hooked;
static const struct uat_transport_class *plain;

static void note(uint64_t kind, int peer, uint64_t address)
{
    uint64_t word = kind << 62 | (uint64_t)peer << 48 | address;
    unsigned at = (unsigned)(word * UINT64_C(0x9e3779b97f4a7c15) >> 48);
    while (noted[at] && noted[at] != word)
        at = (at + 1) % NOTED_MAX;
    if (noted[at])
        return;
    noted[at] = word;
    if (++full > NOTED_MAX / 2) {
        fprintf(stderr, "too many words\n");
        abort();
    }
}

/* Words of the uni-address region are not recorded. They are parts of stacks, which victims WRITE under the message
 * protocol. */
static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    for (int i = 0; i < count; i++) {
        uint64_t at = (uintptr_t)ops[i].remote;
        if (ops[i].code == UAT_OP_FETCH_ADD || ops[i].code == UAT_OP_CMP_SWAP)
            note(1, peer, at);
        else if (ops[i].code == UAT_OP_WRITE && at >= uat_inspect_region_base())
            for (uint64_t byte = 0; byte < ops[i].size; byte += 8)
                note(2, peer, at + byte);
    }
    return plain->post(t, peer, ops, count, p);
}

UAT_TASK(int, user, struct objects, o, uint64_t, self)
{
    uint64_t value;
    int errors = WRONG(number_get(o.future) == 42);
    for (uint64_t i = 0; i < TIMES; i++) {
        uat_mutex_lock(o.mutex);
        uat_yield();
        uat_mutex_unlock(o.mutex);
        uat_semaphore_acquire(o.semaphore);
        uat_semaphore_release(o.semaphore, 1);
        errors += WRONG(numbers_send(o.channel, self) == 0) + WRONG(numbers_send(o.other, self) == 0);
        uat_task_barrier_wait(o.group);
        for (int k = 0; k < 2; k++) {
            uat_case_t cases[2] = {numbers_receives(o.channel, &value), numbers_receives(o.other, &value)};
            uat_select(cases, 2);
        }
    }
    uat_mutex_lock(o.mutex);
    uat_condition_broadcast(o.condition);
    uat_mutex_unlock(o.mutex);
    uat_latch_count_down(o.latch, 1);
    return errors;
}

UAT_TASK(int, all, struct objects, o)
{
    user_task users[TASKS];
    int errors = 0;
    for (uint64_t i = 0; i < TASKS; i++)
        user_spawn(&users[i], o, i);
    number_set(o.future, 42);
    uat_latch_wait(o.latch);
    for (int i = 0; i < TASKS; i++)
        errors += user_join(&users[i]);
    return errors;
}

static void print_object(FILE *file, uint64_t name)
{
    fprintf(file, "O %d %llx\n", (int)(name >> 48), (unsigned long long)(name & ((UINT64_C(1) << 48) - 1)));
}

static int print(const char *folder, const struct objects *o)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%d", folder, uat_rank());
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    for (unsigned i = 0; i < NOTED_MAX; i++)
        if (noted[i])
            fprintf(file, "%c %d %llx\n", noted[i] >> 62 == 1 ? 'A' : 'W', (int)(noted[i] >> 48 & 0x3fff),
                    (unsigned long long)(noted[i] & ((UINT64_C(1) << 48) - 1)));
    const uint64_t names[] = {o->future.future.object,   o->mutex.object,        o->condition.object,
                              o->semaphore.object,       o->latch.object,        o->group.object,
                              o->channel.channel.object, o->other.channel.object};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        print_object(file, names[i]);
    fprintf(file, "H %llx\n", (unsigned long long)((uintptr_t)uat_inspect_spare(HEAP_SPARE) + HEAP_SPARE));
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    int errors = 0;
    if (argc != 2 || uat_init())
        return 2;
    struct uat_transport *t = uat_inspect_transport();
    plain = t->class_;
    hooked = *plain;
    hooked.post = post;
    t->class_ = &hooked;
    /* Every worker creates objects. The run uses only rank 0's objects, because its root starts there. */
    struct objects own = {.future = number_create(),
                          .mutex = uat_mutex_create(),
                          .condition = uat_condition_create(),
                          .semaphore = uat_semaphore_create(2),
                          .latch = uat_latch_create(TASKS),
                          .group = uat_task_barrier_create(TASKS),
                          .channel = numbers_create(2 * TASKS),
                          .other = numbers_create(2 * TASKS)};
    int failed = all_run(&errors, own) != 0 || errors != 0;
    failed |= uat_barrier() != 0;
    t->class_ = plain;
    failed |= print(argv[1], &own);
    return uat_finalize() || failed;
}
