/* SPDX-License-Identifier: MIT */
/*
 * The memory object that holds one host's share of an array. The host's leader creates it; the other workers of the
 * host open it through /proc/PID/fd/N, or get its descriptor from the leader if they are in other user namespaces. The
 * object has no name anywhere, so the kernel frees it when the last process ends. The object consists of reserved huge
 * pages if there are enough, and otherwise of the pages that the kernel chooses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "runtime/global/array.h"
#include "runtime/global/settings.h"
#include "transport/handover.h"

#ifndef MFD_HUGE_2MB
#define MFD_HUGE_2MB (21u << 26) /* linux/memfd.h */
#endif

/* Create an object of reserved huge pages. Returns -1 with errno after an error. Mapping the object reserves the pages
 * for good, so that no later access fails for lack of pages. */
static int open_huge(size_t bytes)
{
    int fd = uat_memfd("uat-global", MFD_HUGETLB | MFD_HUGE_2MB);
    if (fd < 0)
        return -1;
    void *p = ftruncate(fd, (off_t)bytes) ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p != MAP_FAILED) {
        munmap(p, bytes);
        return fd;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int uat_memobj_make(struct uat_memobj *memobj, size_t bytes, bool huge, int *out)
{
    struct stat object;
    size_t whole = (bytes + UAT_HUGE_PAGE - 1) / UAT_HUGE_PAGE * UAT_HUGE_PAGE, size = bytes;
    int fd = huge ? open_huge(whole) : -1;
    uint64_t page = fd >= 0 ? UAT_HUGE_PAGE : 0;
    if (page)
        size = whole;
    else if (huge && uat_global_settings.huge_pages == UAT_HUGE_PAGES_REQUIRE) {
        uat_error("UAT_PAGES=require: %zu pages of 2 MiB for global memory are not available: %s; raise "
                  "vm.nr_hugepages, or set UAT_PAGES=try",
                  whole / UAT_HUGE_PAGE, strerror(errno));
        return -ENOMEM;
    } else
        fd = uat_memfd("uat-global", 0);
    bool failed = fd < 0 || (!page && ftruncate(fd, (off_t)size)) || fstat(fd, &object);
    int rc = failed ? -errno : uat_handover_offer(fd);
    if (rc) {
        uat_error("no memory object of %zu MiB for global memory: %s", size >> 20, strerror(-rc));
        if (fd >= 0)
            close(fd);
        return rc;
    }
    *memobj = (struct uat_memobj){
        .pid = getpid(), .fd = fd, .device = object.st_dev, .inode = object.st_ino, .bytes = size, .page = page};
    *out = fd;
    return 0;
}

uint64_t uat_memobj_untouched(const struct uat_memobj *memobj)
{
    struct stat object;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)memobj->pid, (long long)memobj->fd);
    if (memobj->fd < 0 || memobj->page || stat(path, &object) || object.st_dev != memobj->device ||
        object.st_ino != memobj->inode)
        return 0;
    uint64_t touched = (uint64_t)object.st_blocks * 512;
    return touched < memobj->bytes ? memobj->bytes - touched : 0;
}

int uat_memobj_open(const struct uat_memobj *memobj, int rank)
{
    struct stat object;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)memobj->pid, (long long)memobj->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error = errno;
    if (fd < 0 && (error == EACCES || error == EPERM)) {
        fd = uat_handover_take((int)memobj->pid, memobj->device, memobj->inode);
        error = -fd;
    }
    if (fd < 0) {
        uat_error(
            "the global memory of rank %d (pid %lld) cannot be opened: %s; the workers of a host must run as one user "
            "in one pid namespace; UAT_GLOBAL_HOSTS set to the number of workers lets them share nothing",
            rank, (long long)memobj->pid, strerror(error));
        return -error;
    }
    if (fstat(fd, &object) || object.st_dev != memobj->device || object.st_ino != memobj->inode ||
        (uint64_t)object.st_size != memobj->bytes) {
        uat_error("descriptor %lld of pid %lld is not the global memory that rank %d announced: it has ended",
                  (long long)memobj->fd, (long long)memobj->pid, rank);
        close(fd);
        return -ESTALE;
    }
    return fd;
}
