/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    int rank;
    char host[64];
    enum uat_log_level level;
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
    int m = vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, args);
    va_end(args);
    size_t length = m < 0 ? (size_t)n : strlen(line);
    line[length++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, length); /* one write: lines of several workers do not mix */
    (void)ignored;
    errno = saved;
}
