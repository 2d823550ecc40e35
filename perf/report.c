/* SPDX-License-Identifier: MIT */
#include "perf/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "perf/bench.h"

enum { DEPTH_MAX = 8 };

static struct {
    bool json, more;      /* more: the innermost object or list is not empty */
    int depth, width;     /* width: columns of a label */
    char ends[DEPTH_MAX]; /* the character that closes each open object or list */
} report;

static void quote(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

/* Write the text in front of a member's value. Returns whether the report is JSON. */
static bool member(const char *key)
{
    if (!report.json)
        return false;
    if (report.more)
        putchar(',');
    report.more = true;
    if (key) {
        quote(key);
        putchar(':');
    }
    return true;
}

static void open_group(const char *key, char begin, char end)
{
    if (!member(key))
        return;
    putchar(begin);
    report.ends[report.depth++] = end;
    report.more = false;
}

void uat_report_object(const char *key)
{
    open_group(key, '{', '}');
}

void uat_report_list(const char *key)
{
    open_group(key, '[', ']');
}

void uat_report_close(void)
{
    if (!report.json)
        return;
    putchar(report.ends[--report.depth]);
    report.more = true;
}

void uat_report_text(const char *key, const char *value)
{
    if (member(key))
        quote(value);
}

void uat_report_count(const char *key, uint64_t value)
{
    if (member(key))
        printf("%" PRIu64, value);
}

void uat_report_real(const char *key, double value)
{
    if (member(key))
        isfinite(value) ? printf("%.17g", value) : printf("null");
}

void uat_report_truth(const char *key, const bool *value)
{
    if (member(key))
        printf("%s", !value ? "null" : *value ? "true" : "false");
}

void uat_report_line(const char *label, const char *format, ...)
{
    va_list arguments;

    if (report.json)
        return;
    va_start(arguments, format);
    printf("  %-*s ", report.width, label);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

void uat_report_heads(const struct uat_report_column *columns)
{
    for (const struct uat_report_column *c = columns; c->key && !report.json; c++)
        printf("%s%*s%s", c == columns ? "  " : " ", c->width, c->title, c[1].key ? "" : "\n");
}

void uat_report_row(const struct uat_report_column *columns, const struct uat_report_value *values)
{
    uat_report_object(NULL);
    for (const struct uat_report_column *c = columns; c->key; c++, values++) {
        if (values->text)
            uat_report_text(c->key, values->text);
        else
            uat_report_real(c->key, values->number);
        if (report.json)
            continue;
        printf(c == columns ? "  " : " ");
        values->text ? printf("%*s", c->width, values->text) : printf("%*.*f", c->width, c->digits, values->number);
        printf(c[1].key ? "" : "\n");
    }
    uat_report_close();
}

static const char *setting(const char *name)
{
    const char *text = uat_setting(name);

    return text ? text : "";
}

void uat_report_begin(const struct uat_bench *bench, const struct uat_bench_settings *settings)
{
    static const char *const names[] = {"transport", "transport_reason", "deque", "torture", "time", "launcher"};

    report.json = settings->json;
    report.width = bench->measure ? 20 : 12;
    uat_report_object(NULL);
    uat_report_text("program", bench->program);
    uat_report_text("args", settings->args);
    uat_report_count("workers", (uint64_t)uat_size());
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        uat_report_text(names[i], setting(names[i]));
    if (!report.json)
        printf("%s %s\n", bench->program, settings->args);
    uat_report_line("workers", "%d", uat_size());
    uat_report_line("transport", "%s (%s)", setting("transport"), setting("transport_reason"));
    uat_report_line("deque", "%s", setting("deque"));
}

void uat_report_end(void)
{
    uat_report_close();
    if (report.json)
        putchar('\n');
}
