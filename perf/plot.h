/* SPDX-License-Identifier: MIT */
/* Figures of the benchmarks, drawn by gnuplot. */
#ifndef UAT_PLOT_H
#define UAT_PLOT_H

#include <stdio.h>

/* Write text between single quotes, as gnuplot reads it. */
void uat_plot_quote(FILE *gnuplot, const char *text);

/* Draw to file with what `script` writes for gnuplot. program: for messages. The exit status: 0, or 1, reported. */
int uat_plot_draw(const char *program, const char *file,
                  void (*script)(FILE *gnuplot, const char *file, const void *context), const void *context);

#endif
