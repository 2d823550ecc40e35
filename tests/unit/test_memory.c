/* SPDX-License-Identifier: MIT */
/* Description: the amount of free memory and the quota of processor time are read from the kernel's files. The test
 * writes such files to a temporary folder. */
#include <stdint.h>

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "tests/test.h"

static char root[256];

static int set_up(void **state)
{
    const char *folder = getenv("TMPDIR");
    snprintf(root, sizeof(root), "%s/uat-memory-XXXXXX", folder ? folder : "/tmp");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    return remove(path);
}

static int tear_down(void **state)
{
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Write a file below root, and create its parent folders. */
static void write_file(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(full, 0700);
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void expect(uint64_t bytes, const char *limit)
{
    char said[UAT_MEMORY_LIMIT_MAX], path[UAT_MEMORY_LIMIT_MAX + 64];
    assert_int_equal(uat_memory_available(root, false, said), bytes);
    snprintf(path, sizeof(path), "%s%s", limit[0] == '/' ? root : "", limit);
    assert_string_equal(said, path);
}

TEST_WITH(nothing_is_known, set_up, tear_down)
{
    expect(UINT64_MAX, "this host");
}

TEST_WITH(host_and_swap, set_up, tear_down)
{
    write_file("/proc/meminfo",
               "MemTotal:  9000 kB\nMemAvailableX: 7 kB\nMemAvailable:    5000 kB\nSwapFree: 1000 kB\n");
    write_file("/proc/self/cgroup", "0::/job\n");
    expect(UINT64_C(6000) << 10, "this host");
    char said[UAT_MEMORY_LIMIT_MAX];
    assert_int_equal(uat_memory_available(root, true, said), UINT64_C(5000) << 10); /* locked memory is never swapped */
    write_file("/sys/fs/cgroup/job/memory.max", "max\n");
    expect(UINT64_C(6000) << 10, "this host");
}

/* The outer group has less free memory than the process's own group. Cached pages of files do not count as used. */
TEST_WITH(groups_of_version_2, set_up, tear_down)
{
    write_file("/proc/meminfo", "MemAvailable: 5000 kB\n");
    write_file("/proc/self/cgroup", "0::/outer/inner\n");
    write_file("/sys/fs/cgroup/outer/inner/memory.max", "3000000\n");
    write_file("/sys/fs/cgroup/outer/inner/memory.current", "0\n");
    expect(3000000, "/sys/fs/cgroup/outer/inner/memory.max");
    write_file("/sys/fs/cgroup/outer/memory.max", "4000000\n");
    write_file("/sys/fs/cgroup/outer/memory.current", "3000000\n");
    write_file("/sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 1000000\nactive_file 500000\n");
    expect(2500000, "/sys/fs/cgroup/outer/memory.max");
    write_file("/sys/fs/cgroup/outer/memory.current", "9000000\n");
    expect(0, "/sys/fs/cgroup/outer/memory.max");
}

/* A container sees its own group as the root. */
TEST_WITH(group_at_the_root, set_up, tear_down)
{
    write_file("/proc/meminfo", "MemAvailable: 5000 kB\n");
    write_file("/proc/self/cgroup", "0::/\n");
    write_file("/sys/fs/cgroup/memory.max", "1000\n");
    write_file("/sys/fs/cgroup/memory.current", "1\n");
    expect(999, "/sys/fs/cgroup/memory.max");
}

TEST_WITH(groups_of_version_1, set_up, tear_down)
{
    write_file("/proc/meminfo", "MemAvailable: 5000 kB\n");
    write_file("/proc/self/cgroup", "5:devices:/\nno colon\n4:cpu,memory:/job/not/here\n0::/elsewhere\n");
    write_file("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000\n");
    write_file("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1500000\n");
    write_file("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 7\ntotal_inactive_file 250000\n");
    expect(750000, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes");
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect(750000, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes");
}

static void expect_cores(double cores, const char *limit)
{
    char said[UAT_CGROUP_LIMIT_MAX], path[UAT_CGROUP_LIMIT_MAX + 64];
    assert_true(uat_cgroup_cores(root, said) == cores);
    snprintf(path, sizeof(path), "%s%s", limit[0] ? root : "", limit);
    assert_string_equal(said, path);
}

/* Each group may have a quota; the least counts. */
TEST_WITH(quota_of_version_2, set_up, tear_down)
{
    expect_cores(INFINITY, "");
    write_file("/proc/self/cgroup", "0::/outer/inner\n");
    write_file("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
    expect_cores(INFINITY, "");
    write_file("/sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
    expect_cores(1.5, "/sys/fs/cgroup/outer/cpu.max");
    write_file("/sys/fs/cgroup/outer/inner/cpu.max", "20000 10000\n");
    expect_cores(1.5, "/sys/fs/cgroup/outer/cpu.max");
    write_file("/sys/fs/cgroup/outer/inner/cpu.max", "5000 10000\n");
    expect_cores(0.5, "/sys/fs/cgroup/outer/inner/cpu.max");
}

TEST_WITH(quota_of_version_1, set_up, tear_down)
{
    write_file("/proc/self/cgroup", "4:cpu,cpuacct:/job\n3:memory:/\n0::/\n");
    write_file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
    write_file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
    expect_cores(INFINITY, "");
    write_file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
    write_file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "25000\n");
    expect_cores(2, "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us");
}

/* The kernel's real files on this machine also give an answer. */
TEST(here)
{
    char limit[UAT_MEMORY_LIMIT_MAX];
    uint64_t bytes = uat_memory_available("", false, limit);
    assert_true(bytes > 0 && bytes < UINT64_MAX);
    assert_true(limit[0] != '\0');
}
