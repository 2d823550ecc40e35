/* SPDX-License-Identifier: MIT */
/* Settings as text: values, allowed values, and the lists for --help, docs/settings.md and the manual page. */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/settings.h"

/* A suffix of numbers such as 16M or 5s, and its factor relative to the previous suffix in the list. A factor of 0 ends
 * a list. */
struct suffix {
    const char *text;
    uint64_t factor;
};

static const char *scaled(uint64_t value, const struct suffix *scale, char text[UAT_SETTING_TEXT_MAX])
{
    while (scale[1].factor && value > 0 && value % scale[1].factor == 0) {
        value /= scale[1].factor;
        scale++;
    }
    snprintf(text, UAT_SETTING_TEXT_MAX, "%" PRIu64 "%s", value, value > 0 ? scale->text : "");
    return text;
}

/* A bound as text. `value` is in the unit of the type's bounds, so a time is in ns. */
static const char *bound_text(const struct uat_setting *s, uint64_t value, char text[UAT_SETTING_TEXT_MAX])
{
    static const struct suffix sizes[] = {{"", 1}, {"k", 1024}, {"M", 1024}, {"G", 1024}, {NULL, 0}};
    static const struct suffix times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000}, {"s", 1000}, {NULL, 0}};
    if (s->type.kind == UAT_SETTING_SIZE)
        return scaled(value, sizes, text);
    if (s->type.kind == UAT_SETTING_TIME)
        return scaled(value, times, text);
    snprintf(text, UAT_SETTING_TEXT_MAX, s->type.kind == UAT_SETTING_ADDRESS ? "0x%" PRIx64 : "%" PRIu64, value);
    return text;
}

static const char *word_of(const struct uat_setting_word *w, uint64_t value)
{
    for (; w && w->word; w++)
        if (w->value == value)
            return w->word;
    return NULL;
}

const char *uat_setting_value_text(const struct uat_setting *s, uint64_t value, char text[UAT_SETTING_TEXT_MAX])
{
    const char *listed = word_of(s->type.words, value), *word = listed ? listed : word_of(s->type.unlisted, value);
    if (word) {
        snprintf(text, UAT_SETTING_TEXT_MAX, "%s", word);
        return text;
    }
    return bound_text(s, s->type.kind == UAT_SETTING_TIME ? value * s->type.step : value, text);
}

const char *uat_setting_equal_text(const struct uat_setting *s, uint64_t compared, char text[UAT_SETTING_TEXT_MAX])
{
    if (s->equal == UAT_EQUAL)
        return uat_setting_value_text(s, compared, text);
    return compared ? "set" : "not set";
}

static const char *numbers_text(const struct uat_setting *s, char text[UAT_SETTING_TEXT_MAX])
{
    char low[UAT_SETTING_TEXT_MAX], high[UAT_SETTING_TEXT_MAX], step[UAT_SETTING_TEXT_MAX];
    const char *what = s->type.kind == UAT_SETTING_SIZE      ? "a size"
                       : s->type.kind == UAT_SETTING_TIME    ? "a time"
                       : s->type.kind == UAT_SETTING_ADDRESS ? "an address"
                                                             : "a number";
    bool whole = s->type.kind == UAT_SETTING_ADDRESS || (s->type.kind == UAT_SETTING_TIME && s->type.step > 1);
    if (s->type.low == 0 && s->type.high >= UINT64_MAX - 1)
        snprintf(text, UAT_SETTING_TEXT_MAX, "%s", what);
    else
        snprintf(text, UAT_SETTING_TEXT_MAX, "%.20s from %.40s to %.40s%s%.40s", what, bound_text(s, s->type.low, low),
                 bound_text(s, s->type.high, high), whole ? ", a multiple of " : "",
                 whole ? bound_text(s, s->type.step, step) : "");
    return text;
}

const char *uat_setting_allowed(const struct uat_setting *s, char text[UAT_SETTING_TEXT_MAX])
{
    size_t used;
    text[0] = '\0';
    if (s->type.kind == UAT_SETTING_NAME)
        snprintf(text, UAT_SETTING_TEXT_MAX, "a name of at most %zu letters, digits, '_', '-' and '.'", s->size - 1);
    else if (s->type.kind == UAT_SETTING_PATH)
        snprintf(text, UAT_SETTING_TEXT_MAX, "the name of a file, of at most %zu characters", s->size - 1);
    else if (s->type.kind == UAT_SETTING_LIST)
        snprintf(text, UAT_SETTING_TEXT_MAX, "names with colons between them, of at most %zu characters", s->size - 1);
    else if (s->type.kind != UAT_SETTING_CHOICE)
        numbers_text(s, text);
    for (const struct uat_setting_word *w = s->type.words; w && w->word; w++) {
        used = strlen(text);
        snprintf(text + used, UAT_SETTING_TEXT_MAX - used, "%s%s", used == 0 ? "" : w[1].word ? ", " : " or ", w->word);
    }
    return text;
}

const char *uat_setting_initial(const struct uat_setting *s)
{
    return s->initial ? s->initial : s->type.parts->initial;
}

/* The words of a choice, in parentheses. The setting's meaning does not list them. */
static const char *choices(const struct uat_setting *s, char text[UAT_SETTING_TEXT_MAX])
{
    char allowed[UAT_SETTING_TEXT_MAX];
    text[0] = '\0';
    if (s->type.kind == UAT_SETTING_CHOICE)
        snprintf(text, UAT_SETTING_TEXT_MAX, " (%.600s)", uat_setting_allowed(s, allowed));
    return text;
}

/* The first row from s on that the lists for users show, or the row that ends the table. */
static const struct uat_setting *listed(const struct uat_setting *s)
{
    while (s && s->name && !s->meaning)
        s++;
    return s;
}

void uat_settings_print_help(const struct uat_settings *all, FILE *out)
{
    char text[UAT_SETTING_TEXT_MAX];
    for (; all->title; all++)
        for (const struct uat_setting *s = listed(all->rows); s->name; s = listed(s + 1)) {
            fprintf(out, "  %-20s  %-14s  %s%s\n", s->name, uat_setting_initial(s), s->meaning, choices(s, text));
            for (const struct uat_setting *p = listed(s->type.parts); p && p->name; p = listed(p + 1))
                fprintf(out, "    %-18s  %-14s  %s%s\n", p->name, p->initial, p->meaning, choices(p, text));
        }
}

static const char *equal_text(const struct uat_setting *s)
{
    return s->equal == UAT_EQUAL          ? "; equal on all workers"
           : s->equal == UAT_EQUAL_IF_SET ? "; set on all workers or on none"
                                          : "";
}

/* For a setting with parts: "UAT_NAME=" and the form of its value. */
static const char *form(const struct uat_setting *s, char text[UAT_SETTING_TEXT_MAX])
{
    const struct uat_setting *parts = s->type.parts;
    if (!parts)
        return uat_setting_allowed(s, text);
    if (s->type.kind == UAT_SETTING_PAIR)
        snprintf(text, UAT_SETTING_TEXT_MAX, "%s or %s:%s", parts[0].name, parts[0].name, parts[1].name);
    else
        snprintf(text, UAT_SETTING_TEXT_MAX, "%s, and parts", parts[0].name);
    return text;
}

void uat_settings_print_markdown(const struct uat_settings *all, FILE *out)
{
    char text[UAT_SETTING_TEXT_MAX];
    fputs("# Settings\n"
          "\n"
          "This page lists the environment variables that a job reads when it starts. `uatrun --help=md` prints this "
          "page; a test compares it with the program.\n"
          "Give all workers the same values. The workers compare the values of settings that are marked \"equal on all "
          "workers\". If these values differ, the job does not start.\n"
          "An empty value means the default. If an unknown name that begins with `UAT_` is near the name of a setting, "
          "a warning suggests that name; other unknown names are ignored.\n"
          "A program can give a setting another default: all workers call `setenv(NAME, VALUE, 0)` before "
          "`uat_init()`.\n"
          "\n"
          "- A size is in bytes and takes a suffix k, M or G (powers of 1024). A time takes ns, us, ms, s or min; "
          "without a suffix it is in ns, or in the unit that its row names.\n"
          "- A value with parts is written `FIRST,NAME=VALUE,...`. You may leave out any part. Only the first part "
          "needs no name:\n"
          "  `UAT_SIM_NETWORK=qdr,rtt=16us,node=36`, or `UAT_SIM_NETWORK=node=36` alone.\n",
          out);
    for (; all->title; all++) {
        fprintf(out, "\n## %s\n\n| variable | default | values | meaning |\n| --- | --- | --- | --- |\n", all->title);
        for (const struct uat_setting *s = listed(all->rows); s->name; s = listed(s + 1)) {
            fprintf(out, "| `%s` | `%s` | %s | %s%s |\n", s->name, uat_setting_initial(s), form(s, text), s->meaning,
                    equal_text(s));
            for (const struct uat_setting *p = listed(s->type.parts); p && p->name; p = listed(p + 1))
                fprintf(out, "| part `%s` | `%s` | %s | %s%s |\n", p->name, p->initial, uat_setting_allowed(p, text),
                        p->meaning, equal_text(p));
        }
    }
}

static void print_item(const struct uat_setting *s, const char *macro, FILE *out)
{
    char text[UAT_SETTING_TEXT_MAX];
    fprintf(out, ".It %s %s\n%c%s%s.\n", macro, s->name, toupper((unsigned char)s->meaning[0]), s->meaning + 1,
            equal_text(s));
    form(s, text);
    fprintf(out, "Values: %s.\nDefault: %s.\n", text, uat_setting_initial(s));
}

void uat_settings_print_man(const struct uat_settings *all, FILE *out)
{
    fputs(".\\\" SPDX-License-Identifier: MIT\n"
          ".Dd November 1, 2026\n"
          ".Dt UAT_SETTINGS 7\n"
          ".Os uat\n"
          ".Sh NAME\n"
          ".Nm uat_settings\n"
          ".Nd environment variables of uat\n"
          ".Sh DESCRIPTION\n"
          "A job reads these variables when it starts.\n"
          "Give all workers the same values.\n"
          "The workers compare the values of settings that must be equal on all workers.\n"
          "If these values differ, the job does not start.\n"
          "An empty value means the default.\n"
          "If an unknown name that begins with\n"
          ".Ev UAT_\n"
          "is near the name of a setting, a warning suggests that name.\n"
          "Other unknown names are ignored.\n"
          "A program can give a setting another default: all workers call\n"
          ".Fn setenv NAME VALUE 0\n"
          "before\n"
          ".Fn uat_init .\n"
          ".Pp\n"
          "A size is in bytes and takes a suffix k, M or G.\n"
          "A time takes ns, us, ms, s or min; without a suffix it is in ns, or in the unit that its values name.\n"
          "A value with parts is written FIRST,NAME=VALUE,...;\n"
          "each part may be left out, and only the first one needs no name.\n"
          ".Sh ENVIRONMENT\n",
          out);
    for (; all->title; all++) {
        fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n", all->title);
        for (const struct uat_setting *s = listed(all->rows); s->name; s = listed(s + 1)) {
            print_item(s, "Ev", out);
            if (s->type.parts)
                fputs(".Bl -tag -width Ds\n", out);
            for (const struct uat_setting *p = listed(s->type.parts); p && p->name; p = listed(p + 1))
                print_item(p, "Cm", out);
            if (s->type.parts)
                fputs(".El\n", out);
        }
        fputs(".El\n", out);
    }
    fputs(".Sh SEE ALSO\n.Xr uatrun 1 ,\n.Xr uat 7\n", out);
}
