/* SPDX-License-Identifier: MIT */
/* The figure of uat-steal: one stacked bar of phases for each report. */
#include "perf/plot.h"
#include "perf/steal.h"

enum { COLUMNS = 6 };

static const char *const columns[COLUMNS] = {"peek", "lock", "claim", "look", "stack", "acknowledge"};

static bool accepts(json_object *report)
{
    return uat_plot_member(report, "phases", json_type_object) && uat_plot_text(report, "deque")[0] &&
           uat_plot_member(report, "stack_bytes", json_type_int);
}

/* Median nanoseconds; a phase that did not occur takes no time. */
static void write_bar(FILE *gnuplot, json_object *report)
{
    json_object *phases = uat_plot_member(report, "phases", json_type_object);

    for (int k = 0; k < COLUMNS; k++)
        fprintf(gnuplot, "%.1f ", uat_plot_number(uat_plot_member(phases, columns[k], json_type_object), "median_ns"));
    fprintf(gnuplot, "\n");
}

/* The name below bar i. */
static void write_name(FILE *gnuplot, json_object *report, int i)
{
    char name[64];

    snprintf(name, sizeof(name), "%.20s, %.0f B", uat_plot_text(report, "deque"),
             uat_plot_number(report, "stack_bytes"));
    fprintf(gnuplot, i ? ", " : "set xtics (");
    uat_plot_quote(gnuplot, name);
    fprintf(gnuplot, " %d", i);
}

static void write_script(FILE *gnuplot, json_object *const *reports, int count)
{
    fprintf(gnuplot, "$steals << END\n");
    for (int i = 0; i < count; i++)
        write_bar(gnuplot, reports[i]);
    fprintf(gnuplot, "END\n");
    for (int i = 0; i < count; i++)
        write_name(gnuplot, reports[i], i);
    fprintf(gnuplot, ")\n"
                     "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8 border -1\n"
                     "set boxwidth 0.6\nset yrange [0:*]\nset ylabel 'median ns'\nset title 'One steal, by phases'\n"
                     "set key outside right reverse invert\nset grid y\nplot ");
    for (int k = 0; k < COLUMNS; k++)
        fprintf(gnuplot, "%s$steals using %d title '%s'", k ? ", " : "", k + 1, columns[k]);
    fprintf(gnuplot, "\n");
}

const struct uat_plot steal_plot = {
    .purpose = "draw the phases of reports made with --json, one stacked bar each, such as one for each UAT_DEQUE",
    .width = 640,
    .height = 480,
    .accepts = accepts,
    .script = write_script,
};
