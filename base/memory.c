/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Linux: proc(5) and cgroups(7); Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst. */

/* The file names of one version of control groups. */
static const struct names {
    const char *limit, *usage;
    const char *inactive, *active; /* the names in memory.stat of file pages, which the kernel can reclaim */
} names_of[] = {{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "total_active_file"},
                {"memory.max", "memory.current", "inactive_file", "active_file"}};

/* The least number of bytes that is left, and what limits it. */
struct least {
    uint64_t bytes;
    char *limit;
};

static uint64_t number_or_0(const char *path, const char *word)
{
    uint64_t number = 0;
    return uat_cgroup_number(path, word, &number) ? number : 0;
}

/* If the group at `path` still allows fewer bytes than the least so far, these are the least. */
static void look_at_group(void *data, int version, const char *path)
{
    struct least *least = data;
    const struct names *names = &names_of[version - 1];
    char file[UAT_CGROUP_PATH_MAX + 64], name[UAT_MEMORY_LIMIT_MAX];
    uint64_t most;
    snprintf(file, sizeof(file), "%s/%s", path, names->limit);
    if (!uat_cgroup_number(file, "", &most)) /* no limit, or "max" */
        return;
    snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, file);
    snprintf(file, sizeof(file), "%s/%s", path, names->usage);
    uint64_t used = number_or_0(file, "");
    snprintf(file, sizeof(file), "%s/memory.stat", path);
    uint64_t files = number_or_0(file, names->inactive) + number_or_0(file, names->active);
    used = used > files ? used - files : 0;
    uint64_t left = most > used ? most - used : 0;
    if (left < least->bytes) {
        least->bytes = left;
        memcpy(least->limit, name, sizeof(name));
    }
}

uint64_t uat_memory_available(const char *root, bool locked, char limit[UAT_MEMORY_LIMIT_MAX])
{
    char path[UAT_CGROUP_PATH_MAX];
    struct least least = {UINT64_MAX, limit};
    uint64_t kib;
    snprintf(limit, UAT_MEMORY_LIMIT_MAX, "this host");
    snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    if (uat_cgroup_number(path, "MemAvailable", &kib))
        least.bytes = (kib + (locked ? 0 : number_or_0(path, "SwapFree"))) << 10;
    uat_cgroup_walk(root, "memory", look_at_group, &least);
    return least.bytes;
}

uint64_t uat_memory_page_tables(void)
{
    return number_or_0("/proc/self/status", "VmPTE") << 10;
}

uint64_t uat_memory_minor_faults(void)
{
    struct rusage usage = {.ru_minflt = 0};
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_minflt;
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8u /* linux/memfd.h, from Linux 6.3 */
#endif

int uat_memfd(const char *name, unsigned flags)
{
    /* With vm.memfd_noexec=2, Linux 6.3 to 6.5 refuse an object that does not set the flag. Older kernels refuse the
     * flag. */
    int fd = memfd_create(name, flags | MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    return fd < 0 && errno == EINVAL ? memfd_create(name, flags | MFD_CLOEXEC) : fd;
}

void *uat_memfd_map(const char *name, size_t bytes, int *fd)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_FSIZE, &files) == 0 && files.rlim_cur < bytes) {
        errno = EFBIG; /* ftruncate() would end this process by SIGXFSZ */
        return NULL;
    }
    *fd = uat_memfd(name, 0);
    if (*fd < 0)
        return NULL;
    void *at =
        ftruncate(*fd, (off_t)bytes) == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0) : MAP_FAILED;
    if (at != MAP_FAILED)
        return at;
    int error = errno;
    close(*fd);
    errno = error;
    return NULL;
}
