/* SPDX-License-Identifier: MIT */
/* Description: rooms open in the table's order and close in reverse order. If one fails to open, those before it are
 * closed, and the one that failed is not. Rooms of other libraries follow the table. */
#include "runtime/segment/room.h"

#include <errno.h>
#include <string.h>

#include "tests/test.h"

static char log_of_calls[16];
static int result; /* of open_c() */

static void note(char c)
{
    size_t n = strlen(log_of_calls);
    assert_true(n + 1 < sizeof(log_of_calls));
    log_of_calls[n] = c;
}

static const struct uat_room_job job = {.host = "here"};

static int open_a(const struct uat_room_job *given)
{
    assert_ptr_equal(given, &job);
    note('a');
    return 0;
}
static int open_c(const struct uat_room_job *given)
{
    (void)given;
    note('c');
    return result;
}
static void close_a(void)
{
    note('A');
}
static void close_b(void)
{
    note('B');
}
static void close_c(void)
{
    note('C');
}

static const struct uat_room a = {.name = "a", .open = open_a, .close = close_a};
static const struct uat_room b = {.name = "b", .close = close_b};
static const struct uat_room c = {.name = "c", .open = open_c, .close = close_c};
static const struct uat_room *const table[] = {&a, &b, &c, NULL};

TEST(no_rooms)
{
    assert_int_equal(uat_rooms_open(&job), 0);
    uat_rooms_close();
    assert_string_equal(log_of_calls, "");
}

TEST(opens_and_closes)
{
    uat_rooms_give(table);
    assert_int_equal(uat_rooms_open(&job), 0);
    assert_string_equal(log_of_calls, "ac");
    uat_rooms_close();
    assert_string_equal(log_of_calls, "acCBA");
}

TEST(one_fails)
{
    memset(log_of_calls, 0, sizeof(log_of_calls));
    result = -ENOMEM;
    assert_int_equal(uat_rooms_open(&job), -ENOMEM);
    assert_string_equal(log_of_calls, "acBA");
}

TEST(loop_skips_rooms_without_the_member)
{
    int opens = 0, closes = 0;
    UAT_EACH_ROOM(room, open)
    opens++;
    UAT_EACH_ROOM(room, close)
    closes++;
    assert_int_equal(opens, 2);
    assert_int_equal(closes, 3);
}

/* The constructor of another library has added a room before the table is known. */
TEST(added_room_comes_last)
{
    memset(log_of_calls, 0, sizeof(log_of_calls));
    result = 0;
    uat_rooms_add(&a);
    uat_rooms_give(table);
    assert_int_equal(uat_rooms_open(&job), 0);
    assert_string_equal(log_of_calls, "aca");
    uat_rooms_close();
    assert_string_equal(log_of_calls, "acaACBA");
}
