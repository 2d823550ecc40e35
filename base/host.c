/* SPDX-License-Identifier: MIT */
#include "base/host.h"

#include <numa.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The first line of a file; "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, (int)size, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
}

void uat_host_boot_id(char id[UAT_HOST_BOOT_MAX])
{
    memset(id, 0, UAT_HOST_BOOT_MAX); /* peers receive the whole array, so it must not contain old bytes */
    read_line("/proc/sys/kernel/random/boot_id", id, UAT_HOST_BOOT_MAX);
}

static uint64_t number_of(const char *space)
{
    struct stat file;
    return stat(space, &file) ? 0 : (uint64_t)file.st_ino;
}

uint64_t uat_host_pid_space(void)
{
    return number_of("/proc/self/ns/pid");
}

uint64_t uat_host_user_space(void)
{
    return number_of("/proc/self/ns/user");
}

struct bitmask *uat_host_siblings(int cpu)
{
    char path[96], list[4096];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    read_line(path, list, sizeof(list));
    return list[0] ? numa_parse_cpustring_all(list) : NULL;
}
