/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static struct {
    int rank;
    char host[64];
    enum uat_log_level level;
    void (*errors_to)(const char *format, const char *line, const char *text);
} log_state = {.rank = -1, .level = UAT_LOG_WARN};

void uat_log_identity(int rank, const char *host)
{
    log_state.rank = rank;
    snprintf(log_state.host, sizeof(log_state.host), "%s", host);
}

void uat_log_set_level(enum uat_log_level level)
{
    log_state.level = level;
}

void uat_log_errors_to(void (*print)(const char *format, const char *line, const char *text))
{
    log_state.errors_to = print;
}

void uat_log_line(const char *line)
{
    char text[1280];
    int n = snprintf(text, sizeof(text) - 1, "%s", line);
    size_t length = n < (int)sizeof(text) - 2 ? (size_t)n : sizeof(text) - 2;
    text[length++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, text, length);
    (void)ignored;
}

void uat_log(enum uat_log_level level, const char *format, ...)
{
    if (level > log_state.level)
        return;
    int saved = errno;
    char line[1024];
    int n = log_state.rank < 0 ? snprintf(line, sizeof(line), "uat: ")
                               : snprintf(line, sizeof(line), "uat: rank %d on %s: ", log_state.rank, log_state.host);
    va_list args;
    va_start(args, format);
    if (vsnprintf(line + n, sizeof(line) - (size_t)n, format, args) < 0)
        line[n] = '\0';
    va_end(args);
    if (level == UAT_LOG_ERROR && log_state.errors_to)
        log_state.errors_to(format, line, line + n);
    else
        uat_log_line(line);
    errno = saved;
}
