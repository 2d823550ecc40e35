/* SPDX-License-Identifier: MIT */
/* The figure of uat-transfer: latency and rate of far operations by size, a line for each operation and report. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "perf/plot.h"
#include "perf/transfer.h"

enum { REPORTS_MAX = 8, LINES_MAX = 12 };

/* What is drawn: blocking operations by their latency, streams by their rate. */
static const char *const latencies[] = {"get", "put, release", "checkout, miss"};
static const char *const rates[] = {"get, split", "put, split", "sweep, read", "sweep, write"};

struct picture {
    json_object *reports[REPORTS_MAX];
    const char *labels[REPORTS_MAX];
    int count;
};

static json_object *member(json_object *object, const char *key, json_type type)
{
    json_object *value;

    return json_object_object_get_ex(object, key, &value) && json_object_is_type(value, type) ? value : NULL;
}

static double number(json_object *row, const char *key)
{
    json_object *value;

    return json_object_object_get_ex(row, key, &value) ? json_object_get_double(value) : 0.0;
}

static const char *text(json_object *row, const char *key)
{
    json_object *value = member(row, key, json_type_string);

    return value ? json_object_get_string(value) : "";
}

/* The points of one line, as a block of data; of several windows the widest. Returns how many. */
static int write_points(FILE *gnuplot, json_object *report, const char *operation, const char *key)
{
    json_object *rows = member(report, "rows", json_type_array);
    int points = 0;

    for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
        json_object *row = json_object_array_get_idx(rows, i);
        json_object *next = json_object_array_get_idx(rows, i + 1);
        if (strcmp(text(row, "operation"), operation) != 0 || strcmp(text(row, "where"), "far") != 0 ||
            number(row, key) <= 0)
            continue;
        if (next && strcmp(text(next, "operation"), operation) == 0 && number(next, "bytes") == number(row, "bytes"))
            continue;
        fprintf(gnuplot, "%.0f %.4f\n", number(row, "bytes"), number(row, key) / (strcmp(key, "ns") == 0 ? 1e3 : 1));
        points++;
    }
    return points;
}

static void write_panel(FILE *gnuplot, const struct picture *picture, const char *const *operations, int count,
                        const char *key)
{
    int lines = 0;
    char titles[REPORTS_MAX * LINES_MAX][96];

    for (int r = 0; r < picture->count; r++)
        for (int i = 0; i < count; i++) {
            fprintf(gnuplot, "$%s%d << END\n", key, lines);
            int points = write_points(gnuplot, picture->reports[r], operations[i], key);
            fprintf(gnuplot, "END\n");
            snprintf(titles[lines], sizeof(titles[lines]), "%s, %.40s", operations[i], picture->labels[r]);
            lines += points > 0;
        }
    for (int i = 0; i < lines; i++) {
        fprintf(gnuplot, "%s$%s%d using 1:2 with linespoints title ", i ? ", " : "plot ", key, i);
        uat_plot_quote(gnuplot, titles[i]);
    }
    fprintf(gnuplot, lines ? "\n" : "unset logscale\nplot [0:1] 0 title 'nothing was far'\nset logscale xy\n");
}

static void write_script(FILE *gnuplot, const char *file, const void *context)
{
    const struct picture *picture = context;

    fprintf(gnuplot, "set terminal svg size 960,480 background 'white'\nset output ");
    uat_plot_quote(gnuplot, file);
    fprintf(gnuplot, "\nset multiplot layout 1,2\nset logscale xy\nset logscale x 2\nset grid\nset key top left\n"
                     "set xlabel 'bytes'\nset format x '%%.0f'\nset xtics rotate by -35\n"
                     "set ylabel 'us'\nset title 'One operation, median'\n");
    write_panel(gnuplot, picture, latencies, sizeof(latencies) / sizeof(latencies[0]), "ns");
    fprintf(gnuplot, "set ylabel 'MiB/s'\nset title 'Many under way'\n");
    write_panel(gnuplot, picture, rates, sizeof(rates) / sizeof(rates[0]), "mib_per_second");
    fprintf(gnuplot, "unset multiplot\n");
}

int transfer_plot(int argc, char **argv)
{
    struct picture picture = {.count = argc - 1};
    int status = 0;

    if (picture.count < 1 || picture.count > REPORTS_MAX) {
        fprintf(stderr, "uat-transfer: --plot needs a file to write and 1 to %d reports; see uat-transfer --help\n",
                REPORTS_MAX);
        return 2;
    }
    for (int i = 0; i < picture.count; i++) {
        picture.reports[i] = json_object_from_file(argv[1 + i]);
        if (!picture.reports[i] || strcmp(text(picture.reports[i], "program"), "uat-transfer") != 0 ||
            !member(picture.reports[i], "rows", json_type_array)) {
            fprintf(stderr, "uat-transfer: %s is not a report of uat-transfer --json\n", argv[1 + i]);
            status = 2;
        } else {
            picture.labels[i] = text(picture.reports[i], "transport");
        }
    }
    if (!status)
        status = uat_plot_draw("uat-transfer", argv[0], write_script, &picture);
    for (int i = 0; i < picture.count; i++)
        json_object_put(picture.reports[i]);
    return status;
}
