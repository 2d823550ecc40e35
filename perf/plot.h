/* SPDX-License-Identifier: MIT */
/* Figures of reports that benchmarks made with --json, by gnuplot: PROGRAM --plot FILE.svg A.json [B.json ...]. */
#ifndef UAT_PLOT_H
#define UAT_PLOT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

enum { UAT_PLOT_REPORTS_MAX = 16 };

struct uat_plot {
    const char *purpose; /* what is drawn: a line of --help */
    int width, height;   /* of the picture, in pixels */
    /* Has a report of this program what is drawn? */
    bool (*accepts)(json_object *report);
    /* Write what gnuplot is to do with the reports, behind the choice of its output. */
    void (*script)(FILE *gnuplot, json_object *const *reports, int count);
};

/*
 * Draw to argv[0] the reports argv[1] to argv[argc - 1] of the program. The file is whole, or as it was. Returns the
 * exit status: 0; 1 if it cannot be drawn, 2 for bad arguments or reports, both after one line.
 */
int uat_plot_main(const struct uat_plot *plot, const char *program, int argc, char **argv);

/* A member of an object, if it has that type; NULL otherwise, also for NULL. */
json_object *uat_plot_member(json_object *object, const char *key, json_type type);

/* A member that is a number; 0 otherwise. */
double uat_plot_number(json_object *object, const char *key);

/* A member that is a text, as long as the object lives; "" otherwise. */
const char *uat_plot_text(json_object *object, const char *key);

/* Write text between single quotes, as gnuplot reads it; each control character as a question mark. */
void uat_plot_quote(FILE *gnuplot, const char *text);

#endif
