/* SPDX-License-Identifier: MIT */
/*
 * The memory object that holds what one host keeps of an array. The host's leader makes it; the other workers of the
 * host open it through /proc/PID/fd/N. It has no name anywhere, so the kernel frees it with the last process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "global/state.h"

int uat_object_make(struct uat_object_card *card, size_t bytes, int *out)
{
    struct stat object;
    int fd = memfd_create("uat-global", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) || fstat(fd, &object)) {
        int error = errno;
        uat_error("no memory object of %zu MiB for global memory: %s", bytes >> 20, strerror(error));
        if (fd >= 0)
            close(fd);
        return -error;
    }
    *card = (struct uat_object_card){
        .pid = getpid(), .fd = fd, .device = object.st_dev, .inode = object.st_ino, .bytes = bytes};
    *out = fd;
    return 0;
}

uint64_t uat_object_untouched(const struct uat_object_card *card)
{
    struct stat object;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)card->pid, (long long)card->fd);
    if (card->fd < 0 || stat(path, &object) || object.st_dev != card->device || object.st_ino != card->inode)
        return 0;
    uint64_t touched = (uint64_t)object.st_blocks * 512;
    return touched < card->bytes ? card->bytes - touched : 0;
}

int uat_object_open(const struct uat_object_card *card, int rank)
{
    struct stat object;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)card->pid, (long long)card->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        int error = errno;
        uat_error(
            "the global memory of rank %d (pid %lld) cannot be opened: %s; the workers of a host must run as one user "
            "in one pid namespace; UAT_GLOBAL_HOSTS set to the number of workers lets them share nothing",
            rank, (long long)card->pid, strerror(error));
        return -error;
    }
    if (fstat(fd, &object) || object.st_dev != card->device || object.st_ino != card->inode ||
        (uint64_t)object.st_size != card->bytes) {
        uat_error("descriptor %lld of pid %lld is not the global memory that rank %d announced: it has ended",
                  (long long)card->fd, (long long)card->pid, rank);
        close(fd);
        return -ESTALE;
    }
    return fd;
}
