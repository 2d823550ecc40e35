/* SPDX-License-Identifier: MIT */
#include "runtime/job/aslr.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/job/library_path.h"

#define ASK 0xffffffffUL /* makes personality(2) change nothing */

int uat_aslr_is_off(void)
{
    int persona = personality(ASK);
    return persona >= 0 && (persona & ADDR_NO_RANDOMIZE) != 0;
}

/* The arguments that this program was started with, from /proc: uat_init() does not get them. */
static char **read_arguments(void)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t size = 0, capacity = 4096;
    char *text = malloc(capacity);
    ssize_t n = 0;
    while (text && (n = read(fd, text + size, capacity - size)) > 0) {
        size += (size_t)n;
        if (size == capacity)
            text = realloc(text, capacity *= 2);
    }
    close(fd);
    if (!text || n < 0 || size == 0)
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == 0;
    char **arguments = calloc(count + 1, sizeof(*arguments));
    for (size_t i = 0; arguments && i < count; i++) {
        arguments[i] = text;
        text += strlen(text) + 1;
    }
    return arguments;
}

void uat_aslr_off(void)
{
    /* AT_SECURE: exec clears the flag in a set-user-id program, so such a program would re-execute without end. */
    int persona = personality(ASK);
    if (persona < 0 || (persona & ADDR_NO_RANDOMIZE) || getauxval(AT_SECURE))
        return;
    if (personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0 || !uat_aslr_is_off())
        return;
    char **arguments = read_arguments();
    if (arguments) {
        fflush(NULL);
        uat_library_path_set();
        execv("/proc/self/exe", arguments);
        uat_library_path_restore();
    }
    uat_warn("address-space randomisation is on: the program could not be executed again");
    personality((unsigned long)persona);
}
