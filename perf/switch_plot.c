/* SPDX-License-Identifier: MIT */
/* The figure of uat-switch: for each exercise a bar for each rival, the median over the reports. */
#include <stdlib.h>
#include <string.h>

#include "perf/plot.h"
#include "perf/switch_rivals.h"

enum { RIVALS_MAX = 16 };

static bool accepts(json_object *report)
{
    for (int e = 0; e < UAT_SWITCH_EXERCISES; e++)
        if (!uat_plot_member(report, uat_switch_keys[e], json_type_object))
            return false;
    return true;
}

/* Add those names of an exercise's rivals that are not among the n yet; returns how many there are then. */
static int add_names(json_object *exercise, const char **names, int n)
{
    struct json_object_iterator i = json_object_iter_begin(exercise), end = json_object_iter_end(exercise);
    for (; !json_object_iter_equal(&i, &end); json_object_iter_next(&i)) {
        const char *name = json_object_iter_peek_name(&i);
        int at = 0;
        while (at < n && strcmp(names[at], name) != 0)
            at++;
        if (at == n && n < RIVALS_MAX && json_object_is_type(json_object_iter_peek_value(&i), json_type_object))
            names[n++] = name;
    }
    return n;
}

/* The names of all that were measured; returns how many. */
static int find_rivals(json_object *const *reports, int count, const char **names)
{
    int n = 0;
    for (int r = 0; r < count; r++)
        for (int e = 0; e < UAT_SWITCH_EXERCISES; e++)
            n = add_names(uat_plot_member(reports[r], uat_switch_keys[e], json_type_object), names, n);
    return n;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median over the reports of this rival's medians; 0: it does not do this exercise. */
static double cycles_of(json_object *const *reports, int count, int exercise, const char *name)
{
    double values[UAT_PLOT_REPORTS_MAX];
    int n = 0;
    for (int r = 0; r < count; r++) {
        json_object *of = uat_plot_member(reports[r], uat_switch_keys[exercise], json_type_object);
        json_object *one = uat_plot_member(of, name, json_type_object);
        if (one)
            values[n++] = uat_plot_number(one, "median_cycles");
    }
    qsort(values, (size_t)n, sizeof(values[0]), compare);
    return n > 0 ? (values[n / 2] + values[(n - 1) / 2]) / 2 : 0.0;
}

static void write_script(FILE *gnuplot, json_object *const *reports, int count)
{
    const char *names[RIVALS_MAX];
    int rivals = find_rivals(reports, count, names);
    fprintf(gnuplot, "$switch << END\n");
    for (int e = 0; e < UAT_SWITCH_EXERCISES; e++) {
        fprintf(gnuplot, "\"%s\"", uat_switch_exercises[e]);
        for (int i = 0; i < rivals; i++) {
            double cycles = cycles_of(reports, count, e, names[i]);
            cycles > 0 ? fprintf(gnuplot, " %.2f", cycles) : fprintf(gnuplot, " NaN");
        }
        fprintf(gnuplot, "\n");
    }
    fprintf(gnuplot,
            "END\nset style data histograms\nset style histogram clustered\nset style fill solid 0.8 border -1\n"
            "set logscale y\nset ylabel 'median cycles'\nset title 'Switches inside a task'\nset grid y\n"
            "set key outside top\nplot ");
    for (int i = 0; i < rivals; i++) {
        fprintf(gnuplot, "%s$switch using %d:xtic(1) title ", i ? ", " : "", i + 2);
        uat_plot_quote(gnuplot, names[i]);
    }
    fprintf(gnuplot, "\n");
}

const struct uat_plot uat_switch_plot = {
    .purpose = "draw the medians of reports made with --json; of several, the medians of these",
    .width = 960,
    .height = 480,
    .accepts = accepts,
    .script = write_script,
};
