/* SPDX-License-Identifier: MIT */
/*
 * Description: the steps of an adaptive interval, of its thieves and of requests, in their order, on the test's own
 * transport. Between two steps the test acts as another worker. An owner waits for both words that a thief WRITEs. It
 * looks at a part's word before it asks for the part's result, so it stops no later interval. A cell is free only after
 * the result of its part is set. A cancelled request leaves no mark in the slot.
 */
#include <string.h>

#include "include/uat/sync.h"
#include "runtime/adaptive/context.h"
#include "runtime/job/self.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"
#include "runtime/task/worker.h"
#include "tests/test.h"
#include "tests/unit/one_process.h"

enum { HEAP = 1 << 16, UNITS = 100, HEADER = 256 * 64 };

static uint64_t future;                         /* a name that a result can have */
static bool is_set;                             /* the result is set */
static void (*at_look)(void);                   /* called when the owner asks for the result, if not NULL */
static void (*before)(const struct uat_op *op); /* called before each chain, if not NULL */

static int post(struct uat_transport *t, int peer, const struct uat_op *ops, int count, struct uat_pending *p)
{
    if (before)
        before(ops);
    return execute_chain(ops, count, p);
}

static struct uat_transport transport = {
    .class_ = &(struct uat_transport_class){.name = "wire", .post = post, .progress = no_progress}, .size = 2};

/* The linker puts these functions before those of the library. */
int __wrap_uat_future_try_get(uat_future_t f, void *value);
int __wrap_uat_future_try_get(uat_future_t f, void *value)
{
    if (at_look)
        at_look();
    return is_set ? 0 : -1;
}

void __wrap_uat_future_get(uat_future_t f, void *value);
void __wrap_uat_future_get(uat_future_t f, void *value)
{
    memset(value, 0, f.size);
}

void __wrap_uat_future_destroy(uat_future_t f);
void __wrap_uat_future_destroy(uat_future_t f)
{
}

uat_future_t __wrap_uat_future_create(size_t size);
uat_future_t __wrap_uat_future_create(size_t size)
{
    return (uat_future_t){future, size};
}

void __wrap_uat_future_set(uat_future_t f, const void *value);
void __wrap_uat_future_set(uat_future_t f, const void *value)
{
    assert_true(uat_cells()->word[0] & UAT_WORD_USED); /* the part's cell is not free yet */
    is_set = true;
}

static int setup(void **state)
{
    static uint8_t colours[2];
    uat_segment_settings = (struct uat_segment_settings){.address = UAT_SEGMENT_ADDRESS_DEFAULT,
                                                         .stack_size = 1 << 16,
                                                         .heap_size = HEAP,
                                                         .records = 16,
                                                         .result_max = UAT_RESULT_MAX_MIN};
    uat_self = (struct uat_self){.size = 2, .near_size = 1, .transport = &transport};
    uat_segment_begin();
    uat_cells_reserve();
    uat_segment_lay_out();
    if (uat_segment_open(0))
        return -1;
    uat_segment.colours = colours;
    future = (uintptr_t)uat_segment.heap + HEADER;
    is_set = false;
    at_look = NULL;
    before = NULL;
    return 0;
}

static int teardown(void **state)
{
    uat_segment.colours = NULL;
    uat_segment_close();
    return 0;
}

static const struct uat_part whole = {.last = UNITS, .unit = 1, .result_size = 8, .own = 0};

/* The context of an interval from whose end a thief has taken part 0, which is all that is left. */
static uat_context_t one_part_left(int home)
{
    const uint64_t word = uat_word_with(UAT_WORD_USED, 10, 10, 1);
    uat_cells()->word[0] = word;
    return (uat_context_t){.part = &whole, .seen = word, .home = home, .cell = 0, .parts = 1, .counted = 1};
}

static int reads;

static void range_arrives(const struct uat_op *op)
{
    if (op->code == UAT_OP_READ && ++reads == 8)
        uat_cells()->taken[0][0].range = UAT_WORD_USED | UINT64_C(10) << UAT_WORD_UNITS | UNITS;
}

TEST_WITH(second_word_arrives_later, setup, teardown)
{
    uat_context_t c = one_part_left(1);
    int64_t taken_to = 0, result;
    uat_cells()->taken[0][0] = (struct uat_taken){.name = future};
    before = range_arrives;
    assert_int_equal(uat_context_take_back(&c, &result, &taken_to), 1);
    assert_int_equal(taken_to, UNITS);
    assert_true(reads >= 8);
}

#define PART_WORD uat_word_with(UAT_WORD_USED, 20, 40, 0)
#define NEXT_WORD uat_word_with(UAT_WORD_USED | UINT64_C(1) << UAT_WORD_GENERATION_AT, 5, 9, 0)

/* The part ends just after the owner has asked for its result, and its cell gets another interval. */
static void part_ends(void)
{
    is_set = uat_cells()->word[1] == NEXT_WORD;
    uat_cells()->word[1] = NEXT_WORD;
}

TEST_WITH(next_interval_is_not_stopped, setup, teardown)
{
    uat_context_t c = one_part_left(0);
    int64_t taken_to = 0, result;
    uat_cells()->taken[0][0] =
        (struct uat_taken){.name = future | 2, .range = UAT_WORD_USED | UINT64_C(10) << UAT_WORD_UNITS | 40};
    uat_cells()->word[1] = PART_WORD;
    at_look = part_ends;
    assert_int_equal(uat_context_take_back(&c, &result, &taken_to), 1);
    assert_int_equal(uat_cells()->word[1], NEXT_WORD);
    assert_int_equal(taken_to, 40);
}

/* When the word of a cell changes, all that a thief reads after this change is in place. */
static void check_cell(const struct uat_op *op)
{
    if (op->code != UAT_OP_CMP_SWAP || op->remote != (void *)&uat_cells()->word[0])
        return;
    reads++;
    for (int i = 0; i <= UAT_CONTEXT_PARTS; i++)
        assert_true(uat_cells()->taken[0][i].name == 0 && uat_cells()->taken[0][i].range == 0);
    if (op->compare != 0)
        assert_int_equal(uat_cells()->part[0].last, UNITS);
}

TEST_WITH(cell_is_opened_last, setup, teardown)
{
    struct uat_part part = whole;
    uat_context_t c;
    uat_self.near_size = 0;
    reads = 0;
    for (int i = 0; i <= UAT_CONTEXT_PARTS; i++)
        uat_cells()->taken[0][i] = (struct uat_taken){1, 1};
    before = check_cell;
    assert_int_equal(uat_cell_get(&part.own_word), 0);
    uat_context_open(&c, &part, 0, UNITS);
    assert_int_equal(reads, 2);
}

static void nothing(uat_context_t *c, const void *arg, void *result)
{
}

TEST_WITH(cell_is_freed_last, setup, teardown)
{
    uat_worker.running = true;
    assert_int_equal(uat_request_post(1, NULL, 0), 0);
    uat_cells()->given = whole;
    uat_cells()->given.fn = nothing;
    uat_cells()->given.end = UNITS;
    uat_cells()->given.home = 1;
    uat_cells()->given.cell = 3;
    uat_cells()->answers += UAT_ANSWERED_GIVEN;
    uat_request_run();
    assert_true(is_set);
    assert_int_equal(uat_cells()->word[0], 0);
    uat_worker.running = false;
}

TEST_WITH(cancelled_request_leaves_no_mark, setup, teardown)
{
    uat_context_t c = {.part = &whole, .cell = -1};
    uat_cells()->slot[1] = UINT64_C(1) << UAT_REQUEST_RANK_BITS | 2 | UAT_REQUEST_CANCELLED;
    uat_cells()->asked = 2;
    uat_request_answer(&c);
    assert_int_equal(uat_cells()->slot[1], 0);
    assert_int_equal(uat_cells()->asked, 0);
    assert_int_equal(uat_cells()->answers, 0); /* nobody waits for an answer */
}
