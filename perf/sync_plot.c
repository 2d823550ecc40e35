/* SPDX-License-Identifier: MIT */
/* The figure of uat-sync: for each exercise a group of bars, one for each report. */
#include "perf/plot.h"
#include "perf/sync.h"

static bool accepts(json_object *report)
{
    return uat_plot_member(report, "workers", json_type_int) && uat_plot_text(report, "transport")[0];
}

/* An exercise that was not measured has no bar. */
static void write_rows(FILE *gnuplot, json_object *const *reports, int count)
{
    for (int e = 0; e < SYNC_EXERCISES; e++) {
        fprintf(gnuplot, "\"%s\"", sync_exercises[e].text);
        for (int r = 0; r < count; r++) {
            json_object *one = uat_plot_member(reports[r], sync_exercises[e].key, json_type_object);
            double cycles = uat_plot_number(one, "median_cycles");
            cycles > 0 ? fprintf(gnuplot, " %.1f", cycles) : fprintf(gnuplot, " NaN");
        }
        fprintf(gnuplot, "\n");
    }
}

static void write_script(FILE *gnuplot, json_object *const *reports, int count)
{
    char label[64];

    fprintf(gnuplot, "$sync << END\n");
    write_rows(gnuplot, reports, count);
    fprintf(gnuplot,
            "END\nset style data histograms\nset style histogram clustered\nset style fill solid 0.8 border -1\n"
            "set logscale y\nset ylabel 'median cycles'\nset title 'Tasks that wait'\nset grid y\n"
            "set xtics rotate by -35\nset key outside top\nplot ");
    for (int r = 0; r < count; r++) {
        snprintf(label, sizeof(label), "%.20s, %.0f workers", uat_plot_text(reports[r], "transport"),
                 uat_plot_number(reports[r], "workers"));
        fprintf(gnuplot, "%s$sync using %d:xtic(1) title ", r ? ", " : "", r + 2);
        uat_plot_quote(gnuplot, label);
    }
    fprintf(gnuplot, "\n");
}

const struct uat_plot sync_plot = {
    .purpose = "draw the medians of reports made with --json, such as of 1 and of 2 workers",
    .width = 960,
    .height = 480,
    .accepts = accepts,
    .script = write_script,
};
