/* SPDX-License-Identifier: MIT */
/* The figure of uat-sync: for each exercise a group of bars, one for each report. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "perf/plot.h"
#include "perf/sync.h"

enum { REPORTS_MAX = 8 };

struct report {
    char label[64];
    double cycles[SYNC_EXERCISES]; /* medians; 0: not measured */
};

struct picture {
    struct report reports[REPORTS_MAX];
    int count;
};

static double median(json_object *report, const char *key)
{
    json_object *one, *value;
    if (!json_object_object_get_ex(report, key, &one) || !json_object_object_get_ex(one, "median_cycles", &value))
        return 0.0;
    return json_object_get_double(value);
}

/* 0, or 2 with one line about the file. */
static int read_report(const char *file, struct report *out)
{
    json_object *report = json_object_from_file(file), *program, *workers, *transport;
    int good = report && json_object_object_get_ex(report, "program", &program) &&
               strcmp(json_object_get_string(program), "uat-sync") == 0 &&
               json_object_object_get_ex(report, "workers", &workers) &&
               json_object_object_get_ex(report, "transport", &transport);
    if (good) {
        snprintf(out->label, sizeof(out->label), "%.20s, %lld workers", json_object_get_string(transport),
                 (long long)json_object_get_int64(workers));
        for (int e = 0; e < SYNC_EXERCISES; e++)
            out->cycles[e] = median(report, sync_exercises[e].key);
    } else {
        fprintf(stderr, "uat-sync: %s is not a report of uat-sync --json\n", file);
    }
    json_object_put(report);
    return good ? 0 : 2;
}

static void write_script(FILE *gnuplot, const char *file, const void *context)
{
    const struct picture *picture = context;
    fprintf(gnuplot, "set terminal svg size 960,480 background 'white'\nset output ");
    uat_plot_quote(gnuplot, file);
    fprintf(gnuplot, "\n$sync << END\n");
    for (int e = 0; e < SYNC_EXERCISES; e++) {
        fprintf(gnuplot, "\"%s\"", sync_exercises[e].text);
        for (int r = 0; r < picture->count; r++)
            picture->reports[r].cycles[e] > 0 ? fprintf(gnuplot, " %.1f", picture->reports[r].cycles[e])
                                              : fprintf(gnuplot, " NaN");
        fprintf(gnuplot, "\n");
    }
    fprintf(gnuplot,
            "END\nset style data histograms\nset style histogram clustered\nset style fill solid 0.8 border -1\n"
            "set logscale y\nset ylabel 'median cycles'\nset title 'Tasks that wait'\nset grid y\n"
            "set xtics rotate by -35\nset key outside top\nplot ");
    for (int r = 0; r < picture->count; r++)
        fprintf(gnuplot, "%s$sync using %d:xtic(1) title '%s'", r ? ", " : "", r + 2, picture->reports[r].label);
    fprintf(gnuplot, "\n");
}

int sync_plot(int argc, char **argv)
{
    struct picture picture = {.count = argc - 1};
    if (picture.count < 1 || picture.count > REPORTS_MAX) {
        fprintf(stderr, "uat-sync: --plot needs a file to write and 1 to %d reports; see uat-sync --help\n",
                REPORTS_MAX);
        return 2;
    }
    for (int i = 0; i < picture.count; i++)
        if (read_report(argv[1 + i], &picture.reports[i]))
            return 2;
    return uat_plot_draw("uat-sync", argv[0], write_script, &picture);
}
