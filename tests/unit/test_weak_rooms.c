/* SPDX-License-Identifier: MIT */
/*
 * Description: some words tell a worker what another worker has done. All accesses to these words are correct on a
 * processor with weak memory order. The words are marks of lent objects, stops, ends of runs, barriers, names of
 * channels, adaptive requests and marks of flows. Their sources run on the simulated memory of weak.h. If a release or
 * an acquire of these words is removed, a test must fail. The functions at the end of this file replace those of other
 * parts.
 */
#include <stdlib.h>

#include "include/uat/sync.h"
#include "runtime/adaptive/context.h"
#include "runtime/flow/access.h"
#include "runtime/job/collective.h"
#include "runtime/job/members.h"
#include "runtime/sched/stop.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/segment.h"
#include "runtime/sync/waitobj.h"
#include "tests/test.h"
#include "tests/unit/weak_rooms.h"
#include "uat/channel.h"

enum { NAME_AT = 32 /* offset of the name in a node */ };

struct weak_rooms shared;
static size_t used;            /* of shared.area */
static uint64_t *stops, *ends; /* the words of stop.c and collective.c */
int met, torn;

void work(void)
{
    __atomic_store_n(&shared.x, 1, __ATOMIC_RELAXED);
}

void learned(void)
{
    met++;
    torn += __atomic_load_n(&shared.x, __ATOMIC_RELAXED) != 1;
}

static _Alignas(64) struct uat_sync_staging private;

static void *place(void)
{
    return shared.area + used;
}

/* A transport that does nothing. */
static int progress(struct uat_transport *t)
{
    return 0;
}

static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *pending)
{
    return 0;
}

static struct uat_transport transport = {
    .class_ = &(struct uat_transport_class){.post = post, .progress = progress, .flush = progress},
    .rank = 1,
    .size = 2};

static void open_rooms(void)
{
    static uint8_t colours[2];
    if (stops)
        return;
    uat_segment.colours = colours;
    uat_segment.result_max = 8;
    uat_self = (struct uat_self){.rank = 1,
                                 .size = 2,
                                 .transport = &transport,
                                 .near_first = UINT64_C(1) << 48 | (uintptr_t)&shared,
                                 .near_size = sizeof(shared)};
    stops = place();
    uat_stop_reserve();
    ends = place();
    uat_collective_reserve();
    uat_collective_open(&transport);
    uat_cells_reserve();
    uat_flow_access_reserve();
    uat_sync_reserve_names();
    uat_sync_area.at = &private;
}

void check(void (*reset)(void), void (*first)(void), void (*second)(void))
{
    open_rooms();
    met = torn = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memset(&shared, 0, sizeof(shared));
        if (reset)
            reset();
        weak_run(seed, &shared, &shared + 1, first, second);
    }
    assert_int_equal(torn, 0);
    assert_in_range(met, SEEDS / 10, SEEDS * LOOKS);
}

static void tells_by_y(void)
{
    work();
    uat_cpu_store_release(&shared.y, 1);
}

/* The mark of a lent object. */
static struct uat_lent lent;

static void lend(void)
{
    uat_lent_close(&lent);
    assert_int_equal(uat_lent_open(&lent, 1), 0);
    uat_lent_add(&lent, 0);
}

static const uint64_t *returned(void *context, uint32_t item)
{
    return &shared.y;
}

static void take_back(void *context, uint32_t item)
{
    learned();
}

static void collects(void)
{
    for (int i = 0; i < LOOKS; i++)
        uat_lent_collect(&lent, 1, returned, take_back, NULL);
}

TEST(lent)
{
    check(lend, tells_by_y, collects);
}

/* A stop. The words of stop.c are on three cache lines. */
enum { ORDER, VERDICT = 8, STILL = 16 };
#define THIS_ORDER (UINT64_C(1) << 32 | 2)

static bool stopped(struct uat_chain *chain, bool end)
{
    learned();
    return false;
}

static void stop_begin(void)
{
    uat_stop_close();
    assert_int_equal(uat_stop_open(&(struct uat_stop_user){stopped}), 0);
    uat_stop_run();
    stops[ORDER] = THIS_ORDER;
}

static void works_and_is_still(void)
{
    work();
    uat_stop_refuse();
}

LOOKS_FOR(sees_it_still, uat_cpu_load_acquire(&stops[STILL]))

static void gives_verdict(void)
{
    work();
    uat_cpu_store_release(&stops[VERDICT], THIS_ORDER);
}

static void stops_and_goes_on(void)
{
    uat_stop_worker(0, NULL);
}

TEST(stop)
{
    check(stop_begin, works_and_is_still, sees_it_still);
    check(stop_begin, gives_verdict, stops_and_goes_on);
}

/* The end of a run, and a barrier. */
static void tells_end(void)
{
    work();
    uat_cpu_store_release(ends, 1);
}

LOOKS_FOR(sees_end, uat_collective_announced())

static void awaits(void)
{
    assert_int_equal(uat_members_await(&shared.y, 1, 0), 0);
    learned();
}

TEST(collective)
{
    check(NULL, tells_end, sees_end);
    check(NULL, tells_by_y, awaits);
}

/* The name of a channel. One side adds its node, and the other looks for the name or adds a node of its own. If the
 * second side's node is in front of the first side's node, the second side did not find the name in that node. */
static const char name[] = "channel1"; /* one word */
enum { FIRST = 64, SECOND = 128 };

static void names_begin(void)
{
    uat_self = (struct uat_self){.size = 1, .near_size = 1, .transport = &transport};
    uat_heap_close(&uat_heap);
    assert_int_equal(uat_heap_open(&uat_heap, shared.heap, sizeof(shared.heap)), 0);
    *(uint64_t *)(void *)(shared.node + UAT_HEAP_HEADER + 8) = FIRST;
    *(uint64_t *)(void *)(shared.node + UAT_HEAP_HEADER + 16) = 8; /* bytes of a value */
}

static void adds_name(void)
{
    memcpy(shared.node + UAT_HEAP_HEADER + NAME_AT, name, 8);
    uat_sync_add_name(0, (uintptr_t)shared.node, shared.node);
}

static void names(void)
{
    if (uat_channel_named(name, 8, 0).object == FIRST) {
        met++;
        return;
    }
    const uint64_t *next = (const uint64_t *)(const void *)(shared.heap + UAT_HEAP_HEADER);
    torn += *next == (uintptr_t)(shared.node + UAT_HEAP_HEADER);
}

TEST(named)
{
    open_rooms();
    const struct uat_self before = uat_self;
    check(names_begin, adds_name, names);
    uat_self = before;
}

/* Words of adaptive requests. */
static void tells_by_swap(void)
{
    work();
    uat_cell_swap(1, &uat_cells()->word[0], 0, 1);
}

LOOKS_FOR(learns_by_swap, uat_cell_swap(1, &uat_cells()->word[0], 1, 2) == 1)

static void tells_by_add(void)
{
    work();
    uat_cell_add(1, &uat_cells()->word[0], 1);
}

LOOKS_FOR(learns_by_add, uat_cell_add(1, &uat_cells()->word[0], 0) == 1)

LOOKS_FOR(learns_by_load, uat_cell_load(1, &uat_cells()->word[0]) == 1)

/* A request of rank 0 in slot 0, as post() in request.c makes it. */
static int answered;

static void asks(void)
{
    struct uat_cells *c = uat_cells();
    __atomic_store_n(&c->slot[0], 1, __ATOMIC_RELAXED);
    work();
    for (int i = 0; i < UAT_REQUEST_DATA; i += 8)
        __atomic_store_n((uint64_t *)(void *)(c->data[0].data + i), 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&c->asked, 1, __ATOMIC_SEQ_CST);
}

static void split(uat_context_t *c, const uat_request_t *requests, int count)
{
    answered++;
    for (int i = 0; i < UAT_REQUEST_DATA; i += 8)
        torn += *(const uint64_t *)(const void *)(requests[0].data + i) != 1;
}

static void answers(void)
{
    static const struct uat_part part = {.splitter = split, .mode = UAT_COOPERATIVE};
    uat_context_t c = {.part = &part};
    for (int i = 0; i < LOOKS; i++)
        if (__atomic_load_n(&uat_cells()->asked, __ATOMIC_RELAXED)) { /* as uat_context_poll() */
            answered = 0;
            uat_request_answer(&c);
            met++;
            torn += answered != 1;
        }
}

TEST(adaptive)
{
    check(NULL, tells_by_swap, learns_by_swap);
    check(NULL, tells_by_add, learns_by_add);
    check(NULL, tells_by_swap, learns_by_load);
    check(NULL, asks, answers);
}

/* What the sources need of other parts. These functions take the place of the library's, and order nothing. */
void uat_segment_reserve(struct uat_area *area)
{
    area->at = place();
    used += (area->size + 63) & ~(size_t)63;
    assert_true(used <= sizeof(shared.area));
}

uat_channel_t uat_channel_create(size_t size, size_t capacity)
{
    return (uat_channel_t){SECOND, size};
}

int uat_context_left(uat_context_t *c, int64_t *begin, int64_t *end)
{
    return true;
}

int uat_chain_take(struct uat_chain *chain, struct uat_deque *d)
{
    return 0;
}

bool uat_park_is_block(uint64_t where, size_t bytes)
{
    return true;
}

size_t uat_park_heap_offset(uint64_t at)
{
    return (uintptr_t)(at & ((UINT64_C(1) << 48) - 1)) - (uintptr_t)shared.chunk;
}

void uat_waitobj_read(uint64_t at, void *to, const void *address, size_t size)
{
    memcpy(to, address, size);
}

void uat_channel_destroy(uat_channel_t channel)
{
}

_Noreturn void uat_word_refuse(int rank, const char *what, uint64_t value)
{
    print_error("%s has the value %llu\n", what, (unsigned long long)value);
    exit(1);
}
