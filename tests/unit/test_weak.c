/* SPDX-License-Identifier: MIT */
/*
 * Description: some parts are correct on a processor with weak memory order. The parts are owner and thieves of the
 * deque, ready entries of flows, chains over shared memory, and links to global memory. Their sources run on the
 * simulated memory of weak.h. If a fence that docs/protocol.md names is removed, a test must fail.
 */
#include <stdlib.h>

#include "deque/owner.h"
#include "deque/thief.h"
#include "runtime/flow/access.h"
#include "runtime/flow/ring.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/job/stall.h"
#include "runtime/sched/steal.h"
#include "runtime/segment/segment.h"
#include "tests/test.h"
#include "transport_shm/delayed.h"
#include "transport_shm/shm.c" /* the test makes a transport that no peer attaches to */

enum { SEEDS = 20000, ROUNDS = 2, STACK_WORDS = 4, WORK = 40 };

/* The segments of the thief and its victim; the victim's segment is shared. An address in `mine` stands for the same
 * place in `theirs`. */
struct segment {
    struct uat_ring ring;
    struct uat_landing landing;
    struct uat_notice notice;
    _Alignas(64) uint64_t stack[STACK_WORDS], x, y, z;
    struct uat_flow_ring flow;
    struct uat_flow_staging staging;
};
static struct segment mine, theirs;
static struct uat_transport *transport;
static uint64_t saw_first, saw_second;

static void transport_make(void)
{
    static struct shm t;
    static struct shm_peer peers[2];
    struct shm_flight *flights = t.flights ? t.flights : malloc(FLIGHTS_START * sizeof(*flights));
    t = (struct shm){.head = {.class_ = &uat_transport_shm, .size = 2},
                     .bounds = {.segment = (char *)&mine, .size = sizeof(mine)},
                     .peers = peers,
                     .flights = flights,
                     .flight_room = FLIGHTS_START};
    peers[0].base = (char *)&mine;
    peers[1].base = (char *)&theirs;
    transport = &t.head;
}

/* Run both sides with many seeds. Return the number of seeds with a wrong result. */
static int count_wrong(void (*reset)(void), void (*first)(void), void (*second)(void), bool (*is_wrong)(void))
{
    int wrong = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memset(&mine, 0, sizeof(mine));
        memset(&theirs, 0, sizeof(theirs));
        saw_first = saw_second = 0;
        transport_make();
        if (reset)
            reset();
        weak_run(seed, &theirs, &theirs + 1, first, second);
        wrong += is_wrong();
    }
    return wrong;
}

/* The deque: in each round there is one entry, whose stack holds the round's number. Owner or thief must take it,
 * exactly once. */
static struct uat_deque deque;
static struct uat_thief thief;
static uat_steal_fn *how;
static int taken[ROUNDS + 1], torn, steals;
static bool owner_ended;

static bool part(void *context, uintptr_t sp)
{
    return true;
}

/* The deque is opened once: system calls for each seed would take most of the test's time. */
static void deque_open_again(void)
{
    static const struct uat_deque_user user = {.part = part};
    if (!deque.entries) {
        assert_int_equal(uat_deque_open(&deque, &theirs.ring, 16, &user), 0);
        return;
    }
    uat_deque_reset(&deque);
}

static void deque_reset(void)
{
    deque_open_again();
    uat_thief_close(&thief);
    assert_int_equal(uat_thief_open(&thief, transport, &mine.ring, &mine.landing, &mine.notice), 0);
    thief.low = (uintptr_t)mine.stack;
    thief.high = (uintptr_t)(mine.stack + STACK_WORDS);
    memset(taken, 0, sizeof(taken));
    torn = 0;
    owner_ended = false;
}

static void deque_owner(void)
{
    uat_deque_push_gone(&deque, (uintptr_t)(mine.stack + STACK_WORDS));
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < STACK_WORDS; i++) /* the task's own stores */
            __atomic_store_n(&theirs.stack[i], round, __ATOMIC_RELAXED);
        uat_deque_push(&deque, (uintptr_t)mine.stack);
        for (int i = 0; i < WORK; i++) /* the task: long enough for a thief to take the entry often */
            (void)__atomic_load_n(&theirs.z, __ATOMIC_RELAXED);
        uintptr_t sp;
        if (uat_deque_pop(&deque, &sp) != UAT_POP_GONE)
            taken[round]++;
    }
    owner_ended = true;
}

static void deque_thief(void)
{
    struct uat_stolen stolen;
    for (int tries = 0; tries < 6 && !owner_ended; tries++)
        if (how(&thief, &(struct uat_victims){.count = 1, .rank = {1}}, &stolen) == UAT_STEAL_DONE) {
            uint64_t round = mine.stack[0];
            steals++;
            taken[round <= ROUNDS ? round : 0]++;
            for (int i = 1; i < STACK_WORDS; i++)
                torn += mine.stack[i] != round;
        }
}

static bool deque_is_wrong(void)
{
    for (int round = 1; round <= ROUNDS; round++)
        if (taken[round] != 1)
            return true;
    return taken[0] > 0 || torn > 0;
}

TEST(claim)
{
    steals = 0;
    how = uat_claim_steal;
    assert_int_equal(count_wrong(deque_reset, deque_owner, deque_thief, deque_is_wrong), 0);
    assert_in_range(steals, SEEDS / 4, SEEDS * ROUNDS);
}

TEST(lock)
{
    steals = 0;
    how = uat_lock_steal;
    assert_int_equal(count_wrong(deque_reset, deque_owner, deque_thief, deque_is_wrong), 0);
    assert_in_range(steals, SEEDS / 20, SEEDS * ROUNDS);
}

/* Both sides store one word and then load the other's. At least one must see the other's store (O1). */
static bool both_missed(void)
{
    return saw_first == 0 && saw_second == 0;
}

static void owner_stores_y_loads_x(void)
{
    __atomic_store_n(&theirs.y, 1, __ATOMIC_RELAXED);
    uat_cpu_fence(); /* as in withdraw_steps(), owner.c */
    saw_second = __atomic_load_n(&theirs.x, __ATOMIC_RELAXED);
}

static void post(struct uat_op *ops, int count)
{
    assert_int_equal(uat_transport_do(transport, 1, ops, count), 0);
}

static void write_read(void)
{
    mine.z = 1;
    post((struct uat_op[]){uat_op_write(&mine.z, &mine.x, 8), uat_op_read(&mine.landing.old, &mine.y, 8)}, 2);
    saw_first = mine.landing.old;
}

static void write_swap(void)
{
    mine.z = 1;
    post((struct uat_op[]){uat_op_write(&mine.z, &mine.x, 8), uat_op_cmp_swap(&mine.landing.old, &mine.y, 5, 6)}, 2);
    saw_first = mine.landing.old;
}

static void add_read(void)
{
    post((struct uat_op[]){uat_op_fetch_add(&mine.landing.ack, &mine.x, 1), uat_op_read(&mine.landing.old, &mine.y, 8)},
         2);
    saw_first = mine.landing.old;
}

static void link_write_swap(void)
{
    uint64_t one = 1;
    uat_delayed_execute(&(struct uat_bulk_op){.code = UAT_OP_WRITE, .remote = (uintptr_t)&theirs.x, .bytes = 8}, &one);
    uat_delayed_execute(&(struct uat_bulk_op){.code = UAT_OP_CMP_SWAP,
                                              .remote = (uintptr_t)&theirs.y,
                                              .local = &saw_first,
                                              .bytes = 8,
                                              .compare = 5,
                                              .operand = 6},
                        NULL);
}

static void link_add_read(void)
{
    uat_delayed_execute(
        &(struct uat_bulk_op){.code = UAT_OP_FETCH_ADD, .remote = (uintptr_t)&theirs.x, .bytes = 8, .operand = 1},
        NULL);
    uat_delayed_execute(
        &(struct uat_bulk_op){.code = UAT_OP_READ, .remote = (uintptr_t)&theirs.y, .local = &saw_first, .bytes = 8},
        NULL);
}

TEST(store_load)
{
    void (*const chains[])(void) = {write_read, write_swap, add_read, link_write_swap, link_add_read};
    for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++)
        if (count_wrong(NULL, chains[i], owner_stores_y_loads_x, both_missed))
            fail_msg("chain %zu", i);
}

/* One side stores x, then y. The other loads y, then x. If it sees the new y, it must see the new x. */
static bool saw_only_the_later(void)
{
    return saw_first == 1 && saw_second == 0;
}

static void publishes(void)
{
    __atomic_store_n(&theirs.x, 1, __ATOMIC_RELAXED);
    uat_cpu_store_release(&theirs.y, 1);
}

static void reads_then_loads(void)
{
    post((struct uat_op[]){uat_op_read(&mine.landing.old, &mine.y, 8)}, 1);
    saw_first = mine.landing.old;
    saw_second = __atomic_load_n(&theirs.x, __ATOMIC_RELAXED); /* O7 */
}

static void link_reads_then_loads(void)
{
    uat_delayed_execute(
        &(struct uat_bulk_op){.code = UAT_OP_READ, .remote = (uintptr_t)&theirs.y, .local = &saw_first, .bytes = 8},
        NULL);
    saw_second = __atomic_load_n(&theirs.x, __ATOMIC_RELAXED); /* B3 */
}

static void stores_then_writes(void)
{
    __atomic_store_n(&theirs.x, 1, __ATOMIC_RELAXED);
    mine.z = 1;
    post((struct uat_op[]){uat_op_write(&mine.z, &mine.y, 8)}, 1);
}

static void writes_then_adds(void)
{
    mine.z = 1;
    post((struct uat_op[]){uat_op_write(&mine.z, &mine.x, 8), uat_op_fetch_add(&mine.landing.ack, &mine.y, 1)}, 2);
}

static void polls(void)
{
    saw_first = uat_cpu_load_acquire(&theirs.y);
    saw_second = __atomic_load_n(&theirs.x, __ATOMIC_RELAXED);
}

TEST(message)
{
    static const struct {
        void (*sender)(void), (*receiver)(void);
    } row[] = {{publishes, reads_then_loads},
               {publishes, link_reads_then_loads},
               {publishes, polls},
               {stores_then_writes, polls},
               {writes_then_adds, polls}};
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
        if (count_wrong(NULL, row[i].sender, row[i].receiver, saw_only_the_later))
            fail_msg("row %zu", i);
}

/* Ready entries of a flow. The source is ring.c; the functions that it calls in other parts are replaced here. Entry i
 * is a word that holds i. Each entry is taken once, and whole. */
struct uat_segment uat_segment;
struct uat_self uat_self = {.size = 2, .near_size = 1};

void uat_segment_reserve(struct uat_area *area)
{
    area->at = &theirs.flow;
}

struct uat_flow_staging *uat_flow_staging(void)
{
    return &mine.staging;
}

void uat_flow_do(int rank, const struct uat_op *ops, int n)
{
    assert_int_equal(n, 1);
    struct uat_op op = *ops;
    op.remote = (char *)op.remote - (char *)&theirs + (char *)&mine;
    post(&op, 1);
}

void uat_flow_post(struct uat_flow_batch *batch, int rank, const struct uat_op *ops, int n)
{
    uat_flow_do(rank, ops, n);
}

void uat_flow_wait(struct uat_flow_batch *batch)
{
}

bool uat_global_is_far(void)
{
    return false;
}

bool uat_flow_home_is_elsewhere(uint64_t name)
{
    abort();
}

void uat_victims_choose(struct uat_victims *victims)
{
    *victims = (struct uat_victims){.count = 1, .rank = {1}};
}

struct uat_notice *uat_stall_notice(void)
{
    return &mine.notice;
}

void uat_fatal(const char *format, ...)
{
    abort();
}

static void flow_reset(void)
{
    uat_flow_ring_close();
    memset(taken, 0, sizeof(taken));
    torn = 0;
}

static void flow_take(uint64_t name)
{
    taken[name <= ROUNDS ? name : 0]++;
    torn += name <= ROUNDS && __atomic_load_n(&theirs.stack[name], __ATOMIC_RELAXED) != name;
}

static void flow_owner(void)
{
    for (uint64_t name = 1; name <= ROUNDS; name++) {
        __atomic_store_n(&theirs.stack[name], name, __ATOMIC_RELAXED);
        uat_flow_ring_push(name);
    }
    uint64_t name;
    while ((name = uat_flow_ring_take()))
        flow_take(name);
}

static void flow_thief(void)
{
    for (int tries = 0; tries < 3; tries++) {
        uint64_t name = uat_flow_ring_steal();
        steals += name != 0;
        if (name)
            flow_take(name);
    }
}

TEST(flow)
{
    static uint8_t colours[2];
    uat_segment.colours = colours;
    uat_flow_ring_reserve();
    steals = 0;
    assert_int_equal(count_wrong(flow_reset, flow_owner, flow_thief, deque_is_wrong), 0);
    assert_in_range(steals, SEEDS / 20, SEEDS * ROUNDS);
}
