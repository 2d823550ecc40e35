/* SPDX-License-Identifier: MIT */
/*
 * Description: sizes and times as text. Good texts are accepted. Bad texts are refused, and leave the value unchanged.
 */
#include <errno.h>

#include "base/settings.h"
#include "tests/test.h"

enum { UNCHANGED = 4711 };

typedef int parse_fn(const char *text, uint64_t *value);

struct good {
    const char *text;
    uint64_t value;
};

/* Each text of `good` must be accepted, and each of `bad` refused. The last text of both lists is NULL. */
static void check(parse_fn *parse, const struct good *good, const char *const *bad)
{
    uint64_t value;
    for (; good->text; good++)
        if (parse(good->text, &value) != 0 || value != good->value)
            fail_msg("'%s' was not understood", good->text);
    for (; *bad; bad++) {
        value = UNCHANGED;
        if (parse(*bad, &value) != -EINVAL || value != UNCHANGED)
            fail_msg("'%s' was accepted", *bad);
    }
}

TEST(sizes)
{
    /* clang-format off */
    static const struct good good[] = {
        {"0", 0}, {"1", 1}, {"4k", 4096}, {"4K", 4096}, {"3m", 3 << 20}, {"3M", 3 << 20}, {"2g", 2ull << 30},
        {"2G", 2ull << 30}, {"0x10", 16}, {"0xfk", 15 << 10}, {"010", 10}, {"18446744073709551615", UINT64_MAX},
        {"0xffffffffffffffff", UINT64_MAX}, {"17179869183G", 17179869183ull << 30}, {NULL, 0}};
    static const char *const bad[] = {
        "", " 1", "1 ", "-1", "+1", "k", "1kk", "1kB", "1T", "0x", "0xg", "1.5M", "1e6", "18446744073709551616",
        "17179869184G", "0x10000000000000000", "one", NULL};
    /* clang-format on */
    check(uat_parse_size, good, bad);
}

/* Here a number without a unit is in microseconds. */
static int parse_time(const char *text, uint64_t *ns)
{
    return uat_parse_time(text, 1000, ns);
}

TEST(times)
{
    /* clang-format off */
    static const struct good good[] = {
        {"0", 0}, {"7", 7000}, {"7ns", 7}, {"3us", 3000}, {"2ms", 2000000}, {"1s", 1000000000},
        {"2min", 120000000000}, {"0x10us", 16000}, {NULL, 0}};
    static const char *const bad[] = {
        "", "s", "-1s", "1 s", "1h", "1.5s", "1sec", "1S", "1k", "18446744073709551615s", NULL};
    /* clang-format on */
    check(parse_time, good, bad);
}
