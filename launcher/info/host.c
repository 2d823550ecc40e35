/* SPDX-License-Identifier: MIT */
#include "launcher/info/info.h"

#include <pmix.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>

#include "base/cpu.h"
#include "transport_ibv/host.h"
#include "uat.h"

/* The first line of a file; "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    *line = '\0';
    if (!file)
        return;
    if (fgets(line, (int)size, file))
        line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static void add_memlock(json_object *root)
{
    json_object *o = json_object_new_object();
    uint64_t limit = uat_memlock_limit();
    json_object_object_add(o, "unlimited", json_object_new_boolean(limit == UINT64_MAX));
    if (limit != UINT64_MAX) {
        info_add_number(o, "kib", (int64_t)(limit / 1024));
        info_add_text(o, "advice", UAT_MEMLOCK_ADVICE);
    }
    json_object_object_add(root, "memlock", o);
}

static void add_huge_pages(json_object *root)
{
    json_object *o = json_object_new_object();
    char line[128], *start, *end;
    read_line("/sys/kernel/mm/transparent_hugepage/shmem_enabled", line, sizeof(line));
    start = strchr(line, '[');
    end = start ? strchr(start, ']') : NULL;
    if (end)
        *end = '\0';
    info_add_text(o, "transparent_shared", end ? start + 1 : "unknown"); /* the segment is shared memory */
    read_line("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", line, sizeof(line));
    info_add_number(o, "reserved_2m", *line ? strtoll(line, NULL, 10) : 0);
    json_object_object_add(root, "huge_pages", o);
}

/* Can a process here turn address randomisation off? Addresses must be equal in all workers. */
static void add_randomisation(json_object *root)
{
    char line[16];
    read_line("/proc/sys/kernel/randomize_va_space", line, sizeof(line));
    int before = personality(0xffffffff);
    bool on = strcmp(line, "0") != 0 && !(before & ADDR_NO_RANDOMIZE);
    bool can = personality((unsigned long)(unsigned)before | ADDR_NO_RANDOMIZE) >= 0;
    personality((unsigned long)(unsigned)before);
    json_object *o = json_object_new_object();
    json_object_object_add(o, "on", json_object_new_boolean(on));
    json_object_object_add(o, "can_be_turned_off", json_object_new_boolean(!on || can));
    if (on && !can)
        info_add_text(o, "advice",
                      "a seccomp filter forbids personality(2): start with `setarch -R`, or docker with "
                      "--security-opt seccomp=unconfined");
    json_object_object_add(root, "randomisation", o);
}

void info_add_host(json_object *root)
{
    info_add_text(root, "version", UAT_VERSION);
    info_add_text(root, "processor", UAT_CPU_NAME);
    if (uat_cpu_obstacle())
        info_add_text(root, "obstacle", uat_cpu_obstacle());
    add_memlock(root);
    add_huge_pages(root);
    info_add_text(root, "pmix", PMIx_Get_version());
    add_randomisation(root);
}
