/* SPDX-License-Identifier: MIT */
/*
 * Description: the runtime's tables of settings. Each row fits its field and has a meaning. The defaults are within
 * their bounds. The list for --help shows names, defaults and words.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "runtime/rooms.h"
#include "tests/test.h"

static void check_row(const struct uat_setting *s)
{
    char allowed[UAT_SETTING_TEXT_MAX];
    bool is_text = s->type.kind >= UAT_SETTING_NAME && s->type.kind <= UAT_SETTING_LIST;
    if (strlen(s->name) > UAT_NAME_MAX || (s->meaning && !s->meaning[0])) /* without a list: meaning is NULL */
        fail_msg("%s: its name is too long, or its meaning is empty", s->name);
    if (s->type.parts ? s->size != 0 : !is_text && s->size != 4 && s->size != 8)
        fail_msg("%s: a field of %zu bytes", s->name, s->size);
    if (!s->type.parts && s->type.kind != UAT_SETTING_CHOICE && !is_text &&
        (s->type.low > s->type.high || s->type.step == 0 || (s->size == 4 && s->type.high / s->type.step > INT32_MAX)))
        fail_msg("%s: its bounds do not fit the field", s->name);
    /* Rounding up stays within the bounds. */
    if (s->type.kind == UAT_SETTING_SIZE && s->type.high % s->type.step)
        fail_msg("%s: its upper bound is no multiple", s->name);
    if (s->equal == UAT_EQUAL_IF_SET && !s->type.words)
        fail_msg("%s: has no word for not set", s->name);
    if (!s->type.parts)
        assert_true(uat_setting_allowed(s, allowed)[0] != '\0');
    for (const struct uat_setting *p = s->type.parts; p && p->name; p++)
        check_row(p);
}

TEST(tables)
{
    int count = 0;
    char *env[] = {NULL}, message[512], text[UAT_SETTING_TEXT_MAX];
    assert_int_equal(uat_settings_read(uat_settings, env, message, sizeof(message)), 0);
    for (const struct uat_settings *all = uat_settings; all->title; all++)
        for (const struct uat_setting *s = all->rows; s->name; s++) {
            check_row(s);
            count += s->meaning != NULL;
            assert_string_equal(uat_settings_text(uat_settings, s->name, text), uat_setting_initial(s));
        }
    if (count > 34)
        fail_msg("%d listed settings; 34 are allowed: merge settings that belong together", count);
}

TEST(help)
{
    char *help = NULL;
    size_t size;
    FILE *f = open_memstream(&help, &size);
    assert_non_null(f);
    uat_settings_print_help(uat_settings, f);
    fclose(f);
    const char *expected[] = {"UAT_SEGMENT_ADDRESS   0x7ea000000000  ",
                              "UAT_STACK_SIZE        16M ",
                              "UAT_RESULT_MAX        1k ",
                              "UAT_GID_INDEX         auto ",
                              "auto, shm, ibv or sim",
                              "UAT_TORTURE           none ",
                              "  rtt ",
                              "UAT_STALL_TIMEOUT     5s "};
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        if (!strstr(help, expected[i]))
            fail_msg("the list lacks '%s':\n%s", expected[i], help);
    free(help);
}
