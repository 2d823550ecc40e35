/* SPDX-License-Identifier: MIT */
#include "runtime/replica.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "runtime/job/self.h"

struct replica {
    char *at;
    size_t size;
};

static struct {
    int leader;
    long leader_pid;
    int fd;               /* on the host's first worker: descriptor of the copy that it is making */
    char *end;            /* where the highest replica ends */
    struct replica *list; /* sorted by address */
    size_t count;
} replicas;

void uat_replica_open(int leader, long leader_pid, char *end)
{
    replicas.leader = leader;
    replicas.leader_pid = leader_pid;
    replicas.end = end;
}

bool uat_replica_leads(void)
{
    return replicas.leader == uat_self.rank;
}

int uat_replica_leader(void)
{
    return replicas.leader;
}

char *uat_replica_place(size_t size)
{
    char *end = replicas.end;
    for (size_t i = replicas.count; i-- > 0;) {
        if ((size_t)(end - replicas.list[i].at) - replicas.list[i].size >= size)
            break;
        end = replicas.list[i].at;
    }
    return end - size;
}

/* Map a replica at an address that must be free. If fd is -1, the memory is private. */
static int map_at(char *at, size_t size, int protection, int fd)
{
    int flags = MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
    char *got = mmap(at, size, protection, flags, fd, 0);
    int error = got == at ? 0 : got == MAP_FAILED ? errno : EEXIST;
    if (got != MAP_FAILED && got != at) /* a kernel before 4.17 treats the address as a hint */
        munmap(got, size);
    if (error)
        uat_error("uat_replicate() has no room for %zu bytes at %p: %s; it fails on all ranks", size, (void *)at,
                  error == EEXIST ? "the address is taken; see UAT_SEGMENT_ADDRESS" : strerror(error));
    return -error;
}

int uat_replica_make(char *at, size_t size, struct uat_replica_info *info)
{
    struct stat object;
    int fd = uat_memfd("uat-replica", 0);
    if (fd < 0 || ftruncate(fd, (off_t)size) || fstat(fd, &object)) {
        int error = errno;
        uat_error("no memory object of %zu bytes for uat_replicate(): %s; it fails on all ranks", size,
                  strerror(error));
        if (fd >= 0)
            close(fd);
        return -error;
    }
    *info = (struct uat_replica_info){.fd = (uint64_t)fd, .device = object.st_dev, .inode = object.st_ino};
    replicas.fd = fd; /* kept here, because the attach info lies in shared memory and may change */
    int rc = map_at(at, size, PROT_READ | PROT_WRITE, fd);
    if (rc)
        close(fd);
    return rc;
}

void uat_replica_abandon(char *at, size_t size)
{
    munmap(at, size);
    if (uat_replica_leads())
        close(replicas.fd);
}

/* Open the leader's object. Returns -1 if the kernel forbids this, or if the descriptor does not refer to that
 * object. */
static int open_object(size_t size, const struct uat_replica_info *info)
{
    char path[64];
    struct stat object;
    snprintf(path, sizeof(path), "/proc/%ld/fd/%llu", replicas.leader_pid, (unsigned long long)info->fd);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && !fstat(fd, &object) && object.st_dev == info->device && object.st_ino == info->inode &&
        (size_t)object.st_size == size)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int uat_replica_attach(char *at, size_t size, const struct uat_replica_info *info, bool *own)
{
    int fd = open_object(size, info);
    *own = fd < 0;
    int rc = map_at(at, size, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, fd);
    if (fd >= 0)
        close(fd);
    return rc;
}

int uat_replica_keep(char *at, size_t size)
{
    struct replica *list = realloc(replicas.list, (replicas.count + 1) * sizeof(*list));
    if (!list || mprotect(at, size, PROT_READ)) {
        int error = errno;
        replicas.list = list ? list : replicas.list;
        uat_error("the replica at %p cannot be kept: %s; uat_replicate() fails on all ranks", (void *)at,
                  strerror(error));
        return -error;
    }
    if (uat_replica_leads())
        close(replicas.fd);
    size_t i = replicas.count++;
    for (; i > 0 && list[i - 1].at > at; i--)
        list[i] = list[i - 1];
    list[i] = (struct replica){.at = at, .size = size};
    replicas.list = list;
    return 0;
}

static size_t find(const char *at)
{
    size_t i = 0;
    while (i < replicas.count && replicas.list[i].at != at)
        i++;
    return i;
}

bool uat_replica_is(const char *at)
{
    return find(at) < replicas.count;
}

void uat_replica_drop(char *at)
{
    size_t i = find(at);
    munmap(at, replicas.list[i].size);
    for (replicas.count--; i < replicas.count; i++)
        replicas.list[i] = replicas.list[i + 1];
}

void uat_replica_close(void)
{
    while (replicas.count > 0)
        uat_replica_drop(replicas.list[0].at);
    free(replicas.list);
    replicas.list = NULL;
}
