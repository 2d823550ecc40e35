/* SPDX-License-Identifier: MIT */
#include "base/host.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Read /proc/PID/name as a string. Returns false if it does not exist. */
static bool read_file(pid_t pid, const char *name, char *text, size_t size)
{
    char path[48];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return true;
}

uint64_t uat_process_ran(pid_t pid)
{
    char text[128];
    uint64_t ran;
    return read_file(pid, "schedstat", text, sizeof(text)) && sscanf(text, "%" SCNu64, &ran) == 1 ? ran : UINT64_MAX;
}

bool uat_process_look(pid_t pid, struct uat_process *out)
{
    char text[512];
    if (!read_file(pid, "stat", text, sizeof(text)))
        return false;
    const char *behind_name = strrchr(text, ')'); /* search from the end, because the program's name may contain any
                                                   * character */
    int parent;
    if (!behind_name || sscanf(behind_name, ") %c %d", &out->state, &parent) != 2)
        return false;
    out->parent = parent;
    return true;
}
