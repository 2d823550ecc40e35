/* SPDX-License-Identifier: MIT */
/*
 * Description: the unroller's side of a flow, on the test's own transport. No worker runs: the test takes the ready
 * tasks and ends them in random order. Each task becomes ready once, as soon as the earlier tasks that it conflicts
 * with have ended, and not before. This holds for near and far words, for each number of entries and lines at which the
 * state moves, and if a task ends just before another one is registered with it. A block that is freed is set to 0 at
 * once, so a use after that shows.
 */
#include <string.h>

#include "base/random.h"
#include "include/uat/sync.h"
#include "runtime/flow/ring.h"
#include "runtime/flow/unroll.h"
#include "runtime/sched/alone.h"
#include "tests/unit/flow_alone.h"
#include "tests/unit/one_process.h"

enum { TASKS = 200, DATA = 64, GUARDS = 3 };

/* What the test knows about each task, by the task's number. */
static struct task {
    uint64_t name, guard[GUARDS];
    size_t guards, n;
    uat_flow_access_t access[GUARDS];
    bool begun, ended;
} tasks[TASKS];
static unsigned spawned, ended_tasks;

static uat_flow_t flow;
static char data[DATA][64], dead[64]; /* dead: data without tasks */
static struct uat_random dice;
static bool interrupts; /* tasks end just before FETCH_ADDs of the unroller or of other tasks' ends */

static unsigned below(unsigned n)
{
    return (unsigned)(uat_random_next(&dice) % n);
}

/* End a task that has begun, if there is one. */
static bool end_one(void)
{
    unsigned first = below(spawned + 1);
    for (unsigned i = 0; i < spawned; i++) {
        struct task *t = &tasks[(first + i) % spawned];
        if (!t->begun || t->ended)
            continue;
        t->ended = true;
        ended_tasks++;
        uat_flow_work.ended(t->name);
        return true;
    }
    return false;
}

/* As another worker does, so that the staging area stays as it was. */
static void end_meanwhile(void)
{
    static struct uat_flow_staging before;
    before = *uat_flow_staging();
    interrupts = false;
    end_one();
    interrupts = true;
    *uat_flow_staging() = before;
}

static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    if (interrupts && ops[count - 1].code == UAT_OP_FETCH_ADD && below(4) == 0)
        end_meanwhile();
    return execute_chain(ops, count, p);
}

static struct uat_transport transport = {
    .class_ = &(struct uat_transport_class){.name = "wire", .post = post, .progress = no_progress}, .size = 2};

/* The linker puts these functions before those of the library. */
void __real_uat_heap_release(struct uat_heap *heap, uint32_t unit);
void __wrap_uat_heap_release(struct uat_heap *heap, uint32_t unit);
void __wrap_uat_heap_release(struct uat_heap *heap, uint32_t unit)
{
    memset(uat_heap_block(heap, unit), 0, (size_t)UAT_HEAP_UNIT << heap->used_order[unit]);
    __real_uat_heap_release(heap, unit);
}

static uint64_t mutexes; /* number of mutexes so far; each has a new name */

uat_mutex_t __wrap_uat_mutex_create(void);
uat_mutex_t __wrap_uat_mutex_create(void)
{
    return (uat_mutex_t){.object = ++mutexes};
}

void __wrap_uat_mutex_destroy(uat_mutex_t mutex);
void __wrap_uat_mutex_destroy(uat_mutex_t mutex)
{
    for (unsigned i = 0; i < spawned; i++)
        for (size_t k = 0; k < tasks[i].guards && !tasks[i].ended; k++)
            assert_int_not_equal(tasks[i].guard[k], mutex.object);
}

static int open_all(void **state)
{
    return open_flow(&transport);
}

static void begin(void)
{
    spawned = ended_tasks = 0;
    memset(tasks, 0, sizeof(tasks));
    flow = (uat_flow_t){.self = &flow, .window = UAT_FLOW_WINDOW};
    uat_flow_state_begin(&flow);
}

static struct uat_flow_state *state_now(void)
{
    return uat_flow_state_of(&flow);
}

static uat_flow_access_t use(unsigned datum, enum uat_flow_mode mode)
{
    return (uat_flow_access_t){.p = data[datum], .bytes = sizeof(data[0]), .mode = mode};
}

static void body(void *arg, void *result)
{
}

/* As uat_flow_enter(), except that the task never runs in place, and there is always room in the window. A third access
 * changes datum 3. */
static void spawn(size_t n, uat_flow_access_t a, uat_flow_access_t b)
{
    uint64_t number = spawned;
    struct task *t = &tasks[spawned];
    *t = (struct task){.n = n, .access = {a, b, use(3, UAT_FLOW_INOUT)}};
    struct uat_flow_use uses[GUARDS];
    const struct uat_flow_note note = *uat_flow_entry_begin(&flow);
    bool guarded = uat_flow_uses(&flow, t->access, n, uses);
    if (guarded)
        uat_flow_write_guarded(&flow, note.id, body, &number, sizeof(number), t->access, uses, n);
    else
        uat_flow_write_entry(&flow, &note, body, &number, sizeof(number));
    t->name = uat_flow_name(&note);
    const uint64_t *head = note.entry->body.arg; /* function, number of mutexes, mutexes */
    t->guards = guarded ? head[1] : 0;
    for (size_t i = 0; i < t->guards; i++)
        t->guard[i] = head[2 + i];
    spawned++;
    if (uat_flow_order(&flow, note.id, t->name, uses, n))
        uat_flow_ring_push(t->name);
}

static bool conflict(const struct task *s, const struct task *t)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < t->n; k++)
            if (s->access[i].p == t->access[k].p &&
                (s->access[i].mode != t->access[k].mode || s->access[i].mode == UAT_FLOW_INOUT))
                return true;
    return false;
}

/* Must the task wait for an earlier one? */
static bool must_wait(const struct task *t)
{
    for (const struct task *s = t - 1; s >= tasks; s--)
        if (!s->ended && conflict(s, t))
            return true;
    return false;
}

/* Take all ready tasks. */
static void take_all(void)
{
    struct uat_alone task;
    while (uat_flow_work.take_own(&task)) {
        uint64_t number;
        assert_in_range(task.arg_size, sizeof(number), sizeof(((struct uat_flow_body *)0)->arg));
        memcpy(&number, (const char *)task.arg + task.arg_size - sizeof(number), sizeof(number));
        assert_in_range(number, 0, spawned - 1);
        struct task *t = &tasks[number];
        assert_int_equal(t->name, task.name);
        assert_true(t->guards > 0 || task.fn == body);
        assert_false(t->begun);
        t->begun = true;
        assert_false(must_wait(t));
    }
    for (unsigned i = 0; i < spawned; i++)
        assert_true(tasks[i].begun || must_wait(&tasks[i]));
}

/* Take and end all tasks. Afterwards nothing is left in the heap. */
static void finish(void)
{
    do
        take_all();
    while (end_one());
    assert_int_equal(ended_tasks, spawned);
    assert_int_equal(uat_flow_ended_count(state_now(), true), state_now()->begun);
    assert_false(uat_flow_ring_any());
    uat_flow_state_end(&flow);
    assert_int_equal(uat_heap_settle(&uat_heap), 0);
}

/* Dead lines and entries under way, so that the state moves at another place in each run. */
static void fill(unsigned entries, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++)
        uat_flow_line_of(&flow, &(struct uat_flow_use){.datum = (uintptr_t)&dead[i] + 1, .bytes = 1});
    for (unsigned i = 0; i < entries; i++)
        spawn(0, use(0, UAT_FLOW_IN), use(0, UAT_FLOW_IN));
}

/* A writer with more readers than it has room for, then another writer. */
static void many_successors(unsigned readers, unsigned entries)
{
    begin();
    fill(entries, 0);
    spawn(1, use(1, UAT_FLOW_INOUT), use(1, UAT_FLOW_IN));
    for (unsigned i = 0; i < readers; i++)
        spawn(1, use(1, UAT_FLOW_IN), use(1, UAT_FLOW_IN));
    take_all();
    spawn(1, use(1, UAT_FLOW_INOUT), use(1, UAT_FLOW_IN));
    finish();
}

TEST_WITH(successors, open_all, close_flow)
{
    for (int near = 0; near < 2; near++) {
        set_near(near);
        for (unsigned readers = 1; readers < 3 * UAT_FLOW_NEXT; readers++)
            many_successors(readers, 0);
        for (unsigned entries = 0; entries <= 4 * UAT_FLOW_CHUNK; entries++)
            many_successors(2 * UAT_FLOW_NEXT, entries);
    }
}

/* Readers of one datum. The first one has only one place left, because others wait for it. So an entry that follows
 * all readers needs a relay, and the state may move while the entry is registered. Then a task follows with `mode`. */
static void full_reader(unsigned readers, unsigned entries, enum uat_flow_mode mode)
{
    begin();
    fill(entries, 0);
    spawn(2, use(1, UAT_FLOW_IN), use(2, UAT_FLOW_INOUT));
    for (int i = 0; i < UAT_FLOW_NEXT - 1; i++)
        spawn(1, use(2, UAT_FLOW_IN), use(2, UAT_FLOW_IN));
    for (unsigned i = 1; i < readers; i++)
        spawn(1, use(1, UAT_FLOW_IN), use(1, UAT_FLOW_IN));
    spawn(1, use(1, mode), use(1, mode));
    spawn(1, use(1, UAT_FLOW_INOUT), use(1, UAT_FLOW_IN));
    finish();
}

TEST_WITH(relay_of_a_reader, open_all, close_flow)
{
    for (int near = 0; near < 2; near++) {
        set_near(near);
        for (unsigned entries = 0; entries <= 4 * UAT_FLOW_CHUNK; entries++) {
            full_reader(UAT_FLOW_SHARERS / 2, entries, UAT_FLOW_INOUT);
            full_reader(UAT_FLOW_SHARERS / 2, entries, UAT_FLOW_ANY);
            full_reader(UAT_FLOW_SHARERS, entries, UAT_FLOW_IN);
        }
    }
}

/* A writer of three data waits for more tasks than a batch of chains has room for, or for just as many. */
TEST_WITH(predecessors, open_all, close_flow)
{
    for (int near = 0; near < 2; near++) {
        set_near(near);
        for (unsigned readers = 1; readers <= UAT_FLOW_SHARERS; readers++) {
            begin();
            for (unsigned i = 0; i < 3 * readers; i++)
                spawn(1, use(1 + i % 3, UAT_FLOW_IN), use(1, UAT_FLOW_IN));
            spawn(3, use(1, UAT_FLOW_INOUT), use(2, UAT_FLOW_INOUT));
            finish();
        }
    }
}

/* The mutex of a datum lasts while the task that has its name is not in the map yet. */
TEST_WITH(mutex_of_a_new_task, open_all, close_flow)
{
    for (int near = 0; near < 2; near++) {
        set_near(near);
        for (unsigned lines = 0; lines < 40; lines++) {
            begin();
            fill(0, lines);
            spawn(2, use(1, UAT_FLOW_ANY), use(2, UAT_FLOW_ANY));
            spawn(1, use(1, UAT_FLOW_ANY), use(1, UAT_FLOW_ANY));
            spawn(1, use(2, UAT_FLOW_ANY), use(1, UAT_FLOW_ANY));
            assert_int_equal(tasks[0].guards, 2);
            assert_true(tasks[1].guard[0] == tasks[0].guard[0] || tasks[1].guard[0] == tasks[0].guard[1]);
            assert_true(tasks[2].guard[0] == tasks[0].guard[0] || tasks[2].guard[0] == tasks[0].guard[1]);
            assert_int_not_equal(tasks[1].guard[0], tasks[2].guard[0]);
            finish();
        }
    }
}

static void random_tasks(uint64_t seed)
{
    static const enum uat_flow_mode modes[] = {UAT_FLOW_INOUT, UAT_FLOW_ANY, UAT_FLOW_ANY, UAT_FLOW_IN};
    dice = uat_random_seed(seed, 1);
    set_near(seed % 2);
    begin();
    fill(below(4 * UAT_FLOW_CHUNK + 1), below(33));
    unsigned used = 2 + below(seed % 3 ? 4 : DATA - 2), calm = 1 + below(40);
    unsigned kinds = seed % 5 ? 6 : 40; /* 40: almost all tasks only read */
    interrupts = seed % 4 == 0;
    while (spawned < TASKS) {
        unsigned first = below(used), second = (first + 1 + below(used - 1)) % used;
        unsigned one = below(kinds), two = below(kinds);
        spawn(1 + below(2), use(first, modes[one < 3 ? one : 3]), use(second, modes[two < 3 ? two : 3]));
        if (below(calm) == 0)
            take_all();
        for (unsigned i = below(calm) == 0 ? below(30) : 0; i > 0; i--)
            end_one();
        if (below(20) == 0)
            uat_flow_retire(state_now());
    }
    finish();
    interrupts = false;
}

TEST_WITH(random, open_all, close_flow)
{
    for (uint64_t seed = 1; seed <= 200; seed++)
        random_tasks(seed);
}
