/* SPDX-License-Identifier: MIT */
#include "base/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool uat_process_look(pid_t pid, struct uat_process *out)
{
    char path[32], text[512];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *behind_name = strrchr(text, ')'); /* the program's name may hold any character */
    int parent;
    if (!behind_name || sscanf(behind_name, ") %c %d", &out->state, &parent) != 2)
        return false;
    out->parent = parent;
    return true;
}
