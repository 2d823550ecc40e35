/* SPDX-License-Identifier: MIT */
/* The figure of uat-transfer: latency and rate of far operations by size, a line for each operation and report. */
#include <string.h>

#include "perf/plot.h"
#include "perf/transfer.h"

enum { LINES_MAX = 4, TITLE_MAX = 96 };

/* What is drawn: blocking operations by their latency, streams by their rate. At most LINES_MAX of a kind. */
static const char *const latencies[] = {"get", "put, release", "checkout, miss", NULL};
static const char *const rates[] = {"get, split", "put, split", "sweep, read", "sweep, write", NULL};

static bool accepts(json_object *report)
{
    return uat_plot_member(report, "rows", json_type_array);
}

/* The points of one line, as a block of data; of several windows the widest. Returns how many. */
static int write_points(FILE *gnuplot, json_object *report, const char *operation, const char *key)
{
    json_object *rows = uat_plot_member(report, "rows", json_type_array);
    double unit = strcmp(key, "ns") == 0 ? 1e3 : 1;
    int points = 0;

    for (size_t i = 0; i < json_object_array_length(rows); i++) {
        json_object *row = json_object_array_get_idx(rows, i);
        json_object *next = json_object_array_get_idx(rows, i + 1);
        double bytes = uat_plot_number(row, "bytes"), value = uat_plot_number(row, key);
        if (strcmp(uat_plot_text(row, "operation"), operation) != 0 ||
            strcmp(uat_plot_text(row, "where"), "far") != 0 || value <= 0)
            continue;
        if (strcmp(uat_plot_text(next, "operation"), operation) == 0 && uat_plot_number(next, "bytes") == bytes)
            continue;
        fprintf(gnuplot, "%.0f %.4f\n", bytes, value / unit);
        points++;
    }
    return points;
}

/* One of the two diagrams, with a line for each of `operations` in each report that has it. */
static void write_panel(FILE *gnuplot, json_object *const *reports, int count, const char *const *operations,
                        const char *key)
{
    char titles[UAT_PLOT_REPORTS_MAX * LINES_MAX][TITLE_MAX];
    int lines = 0;

    for (int r = 0; r < count; r++)
        for (int i = 0; operations[i]; i++) {
            fprintf(gnuplot, "$%s%d << END\n", key, lines);
            int points = write_points(gnuplot, reports[r], operations[i], key);
            fprintf(gnuplot, "END\n");
            snprintf(titles[lines], TITLE_MAX, "%s, %.40s", operations[i], uat_plot_text(reports[r], "transport"));
            lines += points > 0;
        }
    for (int i = 0; i < lines; i++) {
        fprintf(gnuplot, "%s$%s%d using 1:2 with linespoints title ", i ? ", " : "plot ", key, i);
        uat_plot_quote(gnuplot, titles[i]);
    }
    fprintf(gnuplot, lines ? "\n" : "unset logscale\nplot [0:1] 0 title 'nothing was far'\nset logscale xy\n");
}

static void write_script(FILE *gnuplot, json_object *const *reports, int count)
{
    fprintf(gnuplot, "set multiplot layout 1,2\nset logscale xy\nset logscale x 2\nset grid\nset key top left\n"
                     "set xlabel 'bytes'\nset format x '%%.0f'\nset xtics rotate by -35\n"
                     "set ylabel 'us'\nset title 'One operation, median'\n");
    write_panel(gnuplot, reports, count, latencies, "ns");
    fprintf(gnuplot, "set ylabel 'MiB/s'\nset title 'Many under way'\n");
    write_panel(gnuplot, reports, count, rates, "mib_per_second");
    fprintf(gnuplot, "unset multiplot\n");
}

const struct uat_plot transfer_plot = {
    .purpose = "draw latencies and rates of far operations by size, of reports made with --json",
    .width = 960,
    .height = 480,
    .accepts = accepts,
    .script = write_script,
};
