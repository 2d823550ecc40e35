/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int output = STDERR_FILENO;

void uat_say_alone(void)
{
    int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (copy >= 0 && null >= 0 && dup2(null, STDERR_FILENO) >= 0)
        output = copy;
    if (null >= 0)
        close(null);
}

void uat_say(const char *format, ...)
{
    char line[1024] = "uatrun: ";
    size_t used = strlen(line);
    va_list args;
    va_start(args, format);
    vsnprintf(line + used, sizeof(line) - used - 1, format, args);
    va_end(args);
    size_t length = strlen(line);
    line[length++] = '\n';
    ssize_t ignored = write(output, line, length);
    (void)ignored;
}
