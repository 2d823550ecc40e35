/* SPDX-License-Identifier: MIT */
/* The figure of uat-steal: one stacked bar of phases for each report, by gnuplot. */
#include "perf/plot.h"
#include "perf/steal.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

enum { REPORTS_MAX = 16, COLUMNS = 6 };

static const char *const columns[COLUMNS] = {"peek", "lock", "claim", "look", "stack", "acknowledge"};

struct bar {
    char label[64];
    double ns[COLUMNS];
};

static json_object *member(json_object *object, const char *key, json_type type)
{
    json_object *value;

    return json_object_object_get_ex(object, key, &value) && json_object_is_type(value, type) ? value : NULL;
}

/* Median nanoseconds of a phase; one that did not occur takes no time. */
static double median(json_object *phases, const char *phase)
{
    json_object *one = member(phases, phase, json_type_object);
    json_object *value = one ? member(one, "median_ns", json_type_double) : NULL;

    return value ? json_object_get_double(value) : 0.0;
}

/* Returns 0, or -EINVAL with one line about the file. */
static int read_bar(const char *file, struct bar *bar)
{
    json_object *report = json_object_from_file(file);
    json_object *program = report ? member(report, "program", json_type_string) : NULL;
    json_object *phases = report ? member(report, "phases", json_type_object) : NULL;
    json_object *deque = report ? member(report, "deque", json_type_string) : NULL;
    json_object *bytes = report ? member(report, "stack_bytes", json_type_int) : NULL;
    bool good = program && phases && deque && bytes && strcmp(json_object_get_string(program), "uat-steal") == 0;

    if (good) {
        snprintf(bar->label, sizeof(bar->label), "%.20s, %lld B", json_object_get_string(deque),
                 (long long)json_object_get_int64(bytes));
        for (int i = 0; i < COLUMNS; i++)
            bar->ns[i] = median(phases, columns[i]);
    } else {
        fprintf(stderr, "uat-steal: %s is not a report of uat-steal --json\n", file);
    }
    json_object_put(report);
    return good ? 0 : -EINVAL;
}

struct picture {
    const struct bar *bars;
    int count;
};

static void write_script(FILE *gnuplot, const char *file, const void *context)
{
    const struct picture *picture = context;
    const struct bar *bars = picture->bars;
    int count = picture->count;

    fprintf(gnuplot, "set terminal svg size 640,480 background 'white'\nset output ");
    uat_plot_quote(gnuplot, file);
    fprintf(gnuplot, "\n$steals << END\n");
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < COLUMNS; k++)
            fprintf(gnuplot, "%.1f ", bars[i].ns[k]);
        fprintf(gnuplot, "\"%s\"\n", bars[i].label);
    }
    fprintf(gnuplot, "END\n"
                     "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8 border -1\n"
                     "set boxwidth 0.6\nset yrange [0:*]\nset ylabel 'median ns'\nset title 'One steal, by phases'\n"
                     "set key outside right reverse invert\nset grid y\nplot ");
    for (int k = 0; k < COLUMNS; k++)
        fprintf(gnuplot, "%s$steals using %d:xtic(%d) title '%s'", k ? ", " : "", k + 1, COLUMNS + 1, columns[k]);
    fprintf(gnuplot, "\n");
}

int steal_plot(int argc, char **argv)
{
    struct bar bars[REPORTS_MAX];
    int count = argc - 1;

    if (count < 1 || count > REPORTS_MAX) {
        fprintf(stderr, "uat-steal: --plot needs a file to write and 1 to %d reports; see uat-steal --help\n",
                REPORTS_MAX);
        return 2;
    }
    for (int i = 0; i < count; i++)
        if (read_bar(argv[1 + i], &bars[i]) < 0)
            return 2;
    const struct picture picture = {bars, count};

    return uat_plot_draw("uat-steal", argv[0], write_script, &picture);
}
