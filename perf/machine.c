/* SPDX-License-Identifier: MIT */
#include "perf/machine.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "perf/report.h"

#define DEVICES "/sys/class/infiniband"

/* Members of a device's object, and their files in the device's folder. */
static const struct {
    const char *key, *file;
} members[] = {
    {"type", "hca_type"},
    {"firmware", "fw_ver"},
    {"board", "board_id"},
    {"pci_device", "device/device"},
    {"pci_speed", "device/current_link_speed"},
    {"pci_lanes", "device/current_link_width"},
    {"pci_payload_bytes", "device/max_payload_size"},
    {"numa_node", "device/numa_node"},
};

/* The part of the file's first line that begins with `start`, after ": " if there is one. */
static void add_line(const char *key, const char *path, const char *start)
{
    char line[256];
    FILE *file = fopen(path, "r");

    while (file && fgets(line, sizeof(line), file)) {
        char *text = strstr(line, ": ");

        if (strncmp(line, start, strlen(start)) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        uat_report_text(key, *start && text ? text + 2 : line);
        break;
    }
    if (file)
        fclose(file);
}

static void add_device(const char *name)
{
    char path[512];

    uat_report_object(NULL);
    uat_report_text("name", name);
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        snprintf(path, sizeof(path), DEVICES "/%s/%s", name, members[i].file);
        add_line(members[i].key, path, "");
    }
    uat_report_close();
}

void uat_machine_report(const char *key)
{
    struct utsname name = {0};
    unsigned core, node;
    DIR *folder = opendir(DEVICES);

    uname(&name);
    uat_report_object(key);
    uat_report_text("name", name.nodename);
    uat_report_text("kernel", name.release);
    uat_report_text("machine", name.machine);
    add_line("processor", "/proc/cpuinfo", "model name");
    if (getcpu(&core, &node) == 0)
        uat_report_count("numa_node", node);
    uat_report_list("devices");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            add_device(entry->d_name);
    uat_report_close();
    uat_report_close();
    if (folder)
        closedir(folder);
}
