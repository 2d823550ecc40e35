/* SPDX-License-Identifier: MIT */
#include "perf/bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct uat_bench_option *find_option(const struct uat_bench *bench, const char *argument)
{
    for (const struct uat_bench_option *o = bench->options; o->meaning; o++)
        if (o->flag ? strcmp(o->flag, argument) == 0 : argument[0] != '-')
            return o;
    return NULL;
}

/* Parse text as one number in the option's range. Returns whether the text is such a number. */
static bool read_number(const struct uat_bench_option *option, const char *text, double *value)
{
    char *end = NULL;

    if (option->integer && text[strspn(text, "+-0123456789")] != '\0')
        return false;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && isfinite(*value) && *value >= option->least &&
           *value <= option->most;
}

/* Complain that the option lacks its value. Returns -EINVAL. */
static int want_value(const struct uat_bench *bench, const char *label, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s: %s needs a value; see %s --help", bench->program, label, bench->program);
    return -EINVAL;
}

static int set_option(const struct uat_bench *bench, const struct uat_bench_option *option, const char *text,
                      char *error, size_t error_size)
{
    const char *label = option->flag ? option->flag : option->name;
    double value;

    if (!text)
        return want_value(bench, label, error, error_size);
    if (!read_number(option, text, &value)) {
        snprintf(error, error_size, "%s: %s cannot be '%.40s'; give %s from %.15g to %.15g", bench->program, label,
                 text, option->integer ? "an integer" : "a number", option->least, option->most);
        return -EINVAL;
    }
    if (option->integer)
        *option->integer = (int64_t)value;
    else
        *option->real = value;
    return 0;
}

static bool set_switch(const struct uat_bench *bench, struct uat_bench_settings *settings, const char *argument)
{
    if (strcmp(argument, "--json") == 0)
        settings->json = true;
    else if (!bench->measure && (strcmp(argument, "--seq") == 0 || strcmp(argument, "--sequential") == 0))
        settings->sequential = true;
    else if (!bench->measure && strcmp(argument, "--no-progress") == 0)
        settings->quiet = true;
    else
        return false;
    return true;
}

/* Keep the arguments that define the computation, because the report must name these. Numbers are short, so they
 * fit. */
static void note_argument(struct uat_bench_settings *settings, const char *argument)
{
    size_t used = strlen(settings->args);

    snprintf(settings->args + used, sizeof(settings->args) - used, "%s%s", used ? " " : "", argument);
}

/* Check that all required arguments are present and that the values fit together. */
static int check_whole(const struct uat_bench *bench, bool positional, char *error, size_t error_size)
{
    const char *refusal = bench->refuse ? bench->refuse() : NULL;

    for (const struct uat_bench_option *o = bench->options; o->meaning; o++) {
        if (!o->flag && !positional) {
            snprintf(error, error_size, "%s: %s is missing; see %s --help", bench->program, o->name, bench->program);
            return -EINVAL;
        }
    }
    if (refusal) {
        snprintf(error, error_size, "%s: %s", bench->program, refusal);
        return -EINVAL;
    }
    return 0;
}

int uat_bench_parse(const struct uat_bench *bench, int argc, char **argv, struct uat_bench_settings *settings,
                    char *error, size_t error_size)
{
    const struct uat_bench_option repeat = {"--repeat", "R", "", &settings->repeat, NULL, 1, UAT_BENCH_REPEAT_MAX};
    bool positional = false;

    *settings = (struct uat_bench_settings){.repeat = 1};
    /* Handle --help first. It shows the defaults, but the other arguments overwrite these. */
    for (int i = 1; i < argc; i++)
        settings->help |= strcmp(argv[i], "--help") == 0;
    for (int i = 1; i < argc && !settings->help; i++) {
        const struct uat_bench_option *option = find_option(bench, argv[i]);
        bool is_repeat = !bench->measure && strcmp(argv[i], "--repeat") == 0;
        int status;

        if (set_switch(bench, settings, argv[i]))
            continue;
        if (bench->text.flag && strcmp(bench->text.flag, argv[i]) == 0) {
            if (++i == argc)
                return want_value(bench, bench->text.flag, error, error_size);
            *bench->text.value = argv[i];
            continue;
        }
        if (is_repeat)
            option = &repeat;
        if (!option || (!option->flag && positional)) {
            snprintf(error, error_size, "%s: unknown argument '%.40s'; see %s --help", bench->program, argv[i],
                     bench->program);
            return -EINVAL;
        }
        if (!is_repeat)
            note_argument(settings, argv[i]);
        positional |= !option->flag;
        i += option->flag != NULL;
        status = set_option(bench, option, i < argc ? argv[i] : NULL, error, error_size);
        if (status < 0)
            return status;
        if (option->flag && !is_repeat)
            note_argument(settings, argv[i]);
    }
    return settings->help ? 0 : check_whole(bench, positional, error, error_size);
}

static void help_line(const char *flag, const char *name, const char *meaning, FILE *out)
{
    char left[32];

    snprintf(left, sizeof(left), "%s%s%s", flag ? flag : "", flag && name[0] ? " " : "", name);
    fprintf(out, "  %-14s %s", left, meaning);
}

void uat_bench_help(const struct uat_bench *bench, FILE *out)
{
    const struct uat_bench_option *o = bench->options;

    fprintf(out, "usage: [uatrun -n WORKERS] %s", bench->program);
    for (; o->meaning; o++)
        fprintf(out, o->flag ? " [%s %s]" : "%s %s", o->flag ? o->flag : "", o->name);
    if (bench->text.flag)
        fprintf(out, " [%s %s]", bench->text.flag, bench->text.name);
    fprintf(out, "%s [--json]\n%s\n\n", bench->measure ? "" : " [--seq] [--repeat R] [--no-progress]", bench->purpose);
    for (o = bench->options; o->meaning; o++) {
        help_line(o->flag, o->name, o->meaning, out);
        fprintf(out, ", %.15g to %.15g", o->least, o->most);
        if (o->flag)
            fprintf(out, "; %.15g if not given", o->integer ? (double)*o->integer : *o->real);
        fprintf(out, "\n");
    }
    if (bench->text.flag) {
        help_line(bench->text.flag, bench->text.name, bench->text.meaning, out);
        fprintf(out, "\n");
    }
    if (!bench->measure) {
        help_line("--seq", "", "first solve it on one core without the runtime, and compare\n", out);
        help_line("--repeat", "R", "run R times; report the run of median time\n", out);
        help_line("--no-progress", "", "show no progress, also if the standard error is a terminal\n", out);
    }
    help_line("--json", "", "print one JSON object instead of the table\n", out);
}
