/* SPDX-License-Identifier: MIT */
/*
 * The log: lines on stderr of the form "uat: rank 3 on node7: what happened; what to do". The log is in the lowest
 * layer, so that code of every layer can report the errors that it detects.
 */
#ifndef UAT_LOG_H
#define UAT_LOG_H

enum uat_log_level { UAT_LOG_ERROR, UAT_LOG_WARN, UAT_LOG_INFO };

/* Set the rank and host that each line names. Called once at start-up; `host` is copied. */
void uat_log_identity(int rank, const char *host);
void uat_log_set_level(enum uat_log_level level);

/* Print one line if `level` is enabled. */
void uat_log(enum uat_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Write a line and its newline by one write(2), so that the lines of several workers do not mix. */
void uat_log_line(const char *line);

/* From now on, pass each error to `print` instead of uat_log_line(). If `print` is NULL, use uat_log_line() again.
 * text: the line without rank and host. */
void uat_log_errors_to(void (*print)(const char *format, const char *line, const char *text));

#define uat_error(...) uat_log(UAT_LOG_ERROR, __VA_ARGS__)
#define uat_warn(...)  uat_log(UAT_LOG_WARN, __VA_ARGS__)
#define uat_info(...)  uat_log(UAT_LOG_INFO, __VA_ARGS__)

#endif
