/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    ssize_t ignored = write(STDERR_FILENO, line, length);
    (void)ignored;
}
