/* SPDX-License-Identifier: MIT */
/*
 * The report of a benchmark on standard output, as a table or as one JSON object. Some functions print in both forms.
 * Others print in one form and do nothing in the other one. A process makes one report.
 */
#ifndef UAT_PERF_REPORT_H
#define UAT_PERF_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct uat_bench;
struct uat_bench_settings;

/* Choose the form of the report, and start it with the program, its arguments and the settings in force. */
void uat_report_begin(const struct uat_bench *bench, const struct uat_bench_settings *settings);
void uat_report_end(void);

/* Print a line of a table: a label, and text formatted as by printf(). Does nothing in JSON. */
void uat_report_line(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add a member to the innermost open object or list. In a list, key is NULL. Does nothing in a table. */
void uat_report_text(const char *key, const char *value);
void uat_report_count(const char *key, uint64_t value);
void uat_report_real(const char *key, double value);
void uat_report_truth(const char *key, const bool *value); /* NULL: unknown */
void uat_report_object(const char *key);
void uat_report_list(const char *key);
void uat_report_close(void); /* close the innermost object or list */

/* Rows under column heads, or a list of objects in JSON. An entry without a key ends the columns. */
struct uat_report_column {
    const char *key, *title;
    int width;  /* characters; negative: aligned to the left */
    int digits; /* after the decimal point */
};

struct uat_report_value {
    const char *text; /* NULL: the value is the number */
    double number;
};

void uat_report_heads(const struct uat_report_column *columns);
void uat_report_row(const struct uat_report_column *columns, const struct uat_report_value *values);

#endif
