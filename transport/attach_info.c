/* SPDX-License-Identifier: MIT */
#include "transport/attach_info.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host.h"
#include "base/log.h"
#include "base/secret.h"
#include "transport/handover.h"
#include "transport/words.h"

int uat_attach_info_make(struct uat_attach_info *info, const struct uat_transport_config *config, const char *transport)
{
    struct stat object;
    uint64_t nonce;
    if (fstat(config->segment_fd, &object)) {
        int rc = -errno;
        uat_error("transport %s: the segment's memory object (descriptor %d): %s", transport, config->segment_fd,
                  strerror(-rc));
        return rc;
    }
    if (object.st_size < 0 || (uint64_t)object.st_size < config->segment_size) {
        uat_error("transport %s: the segment's memory object has %lld bytes, the segment %zu", transport,
                  (long long)object.st_size, config->segment_size);
        return -EINVAL;
    }
    uint64_t pid_space = uat_host_pid_space();
    if (!pid_space) {
        int rc = -errno;
        uat_error("transport %s: /proc/self/ns/pid: %s; workers attach each other through /proc: mount it", transport,
                  strerror(-rc));
        return rc;
    }
    int drawn = uat_secret_draw(&nonce, sizeof(nonce));
    if (drawn) {
        uat_error("transport %s: getrandom: %s", transport, strerror(-drawn));
        return drawn;
    }
    uint64_t user_space = uat_host_user_space();
    *info = (struct uat_attach_info){
        .magic = UAT_ATTACH_INFO_MAGIC,
        .version = UAT_ATTACH_INFO_VERSION,
        .size = sizeof(*info),
        .pid = getpid(),
        .fd = config->segment_fd,
        .uid = geteuid(),
        .socket = uat_handover_open(user_space, config->wait_report, config->wait_limit),
        .device = object.st_dev,
        .inode = object.st_ino,
        .pid_space = pid_space,
        .user_space = user_space,
        .base = (uintptr_t)config->segment,
        .segment_size = config->segment_size,
        .nonce_offset = (uintptr_t)config->scratch - (uintptr_t)config->segment,
        .nonce = nonce,
    };
    uat_host_boot_id(info->boot);
    /* A peer loads the nonce only after it has received the attach info. The bootstrap delivers the attach info, and so
     * orders this store before that load. */
    uat_word_store(config->scratch, nonce);
    return 0;
}

static int check_form(const struct uat_attach_user *user, const struct uat_attach_info *own,
                      const struct uat_attach_info *info, int rank)
{
    if (info->magic != UAT_ATTACH_INFO_MAGIC || info->version != UAT_ATTACH_INFO_VERSION ||
        info->size != sizeof(*info) || info->pid <= 0 || info->fd < 0 ||
        memchr(info->boot, '\0', sizeof(info->boot)) == NULL) {
        uat_error("transport %s: rank %d published bytes that are not the attach info of this version: run the "
                  "same build of uat and the same UAT_TRANSPORT on every worker",
                  user->transport, rank);
        return -EPROTO;
    }
    if (info->base != own->base || info->segment_size != own->segment_size || info->nonce_offset != own->nonce_offset) {
        uat_error("transport %s: the segment of rank %d is %llu bytes at %#llx, here it is %llu bytes at %#llx: give "
                  "every worker the same UAT_* settings",
                  user->transport, rank, (unsigned long long)info->segment_size, (unsigned long long)info->base,
                  (unsigned long long)own->segment_size, (unsigned long long)own->base);
        return -EPROTO;
    }
    return 0;
}

static int check_place(const struct uat_attach_user *user, const struct uat_attach_info *own,
                       const struct uat_attach_info *info, int rank, const char *peer_host)
{
    bool boots_known = own->boot[0] != '\0' && info->boot[0] != '\0';
    bool same_host = boots_known ? strcmp(own->boot, info->boot) == 0 : strcmp(user->host, peer_host) == 0;
    if (!same_host) {
        uat_error("transport %s reaches only workers of one host; rank %d is on %s: use %s", user->transport, rank,
                  peer_host, user->instead);
        return -EHOSTUNREACH;
    }
    if (info->pid_space != own->pid_space) {
        uat_error("transport %s reaches only workers of one pid namespace; rank %d on %s is in another one: start all "
                  "workers in one container, or use %s",
                  user->transport, rank, peer_host, user->instead);
        return -EHOSTUNREACH;
    }
    return 0;
}

/* Report why /proc/PID/fd/N could not be opened. If /proc is mounted with hidepid, it hides the processes of other
 * users. */
static int report_open(const struct uat_attach_user *user, const struct uat_attach_info *own,
                       const struct uat_attach_info *info, int rank, int error)
{
    if (info->user_space == own->user_space && info->uid != own->uid &&
        (error == EACCES || error == EPERM || error == ENOENT)) {
        uat_error("transport %s: no permission to attach rank %d (pid %d): it runs as user %u, this worker as user %u "
                  "(and /proc may be mounted with hidepid): start all workers as one user",
                  user->transport, rank, info->pid, info->uid, own->uid);
        return -EACCES;
    }
    if (error == ESRCH || error == ECONNREFUSED) {
        uat_error("transport %s: rank %d (pid %d) has ended", user->transport, rank, info->pid);
        return -ESRCH;
    }
    if (error == EMFILE || error == ENFILE) {
        uat_error("transport %s: attaching rank %d: %s: raise the limit (`ulimit -n`)", user->transport, rank,
                  strerror(error));
        return -error;
    }
    if (error == ETIMEDOUT) {
        uat_error(
            "transport %s: rank %d (pid %d) runs in another user namespace, and has not exchanged descriptors with "
            "this worker for UAT_STALL_LIMIT: it is stopped, or other users of this network namespace fill the "
            "queues of the sockets (`ss -xl`); or use %s",
            user->transport, rank, info->pid, user->instead);
        return -error;
    }
    if (info->user_space != own->user_space) {
        uat_error("transport %s: rank %d (pid %d) runs in another user namespace, as in a rootless container of its "
                  "own, and cannot exchange descriptors with this worker: %s; all workers of a host must be in one "
                  "network namespace, or in one container; or use %s",
                  user->transport, rank, info->pid, strerror(error), user->instead);
        return -error;
    }
    if (error == EACCES || error == EPERM) {
        uat_error("transport %s: no permission to attach rank %d (pid %d), though it runs as the same user: a security "
                  "module forbids it, or the program is set-uid, has capabilities or is not readable; change that, or "
                  "use %s",
                  user->transport, rank, info->pid, user->instead);
        return -EACCES;
    }
    if (error == ENOENT) {
        uat_error("transport %s: rank %d (pid %d) has no descriptor %d: it has ended", user->transport, rank, info->pid,
                  info->fd);
        return -ESRCH;
    }
    uat_error("transport %s: attaching rank %d by /proc/%d/fd/%d: %s", user->transport, rank, info->pid, info->fd,
              strerror(error));
    return -error;
}

static int map_object(const struct uat_attach_user *user, const struct uat_attach_info *info, int fd, int rank,
                      char **out)
{
    struct stat object;
    if (fstat(fd, &object) || !S_ISREG(object.st_mode) || object.st_dev != info->device ||
        object.st_ino != info->inode || object.st_size < 0 || (uint64_t)object.st_size < info->segment_size) {
        uat_error("transport %s: descriptor %d of pid %d is not the segment that rank %d announced: it has ended, or "
                  "closed its segment too early",
                  user->transport, info->fd, info->pid, rank);
        return -ESTALE;
    }
    char *map = mmap(NULL, info->segment_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        int rc = -errno;
        uat_error("transport %s: mapping %llu bytes of rank %d: %s; see `ulimit -v` and vm.overcommit_memory",
                  user->transport, (unsigned long long)info->segment_size, rank, strerror(-rc));
        return rc;
    }
    if (uat_word_load((uat_word *)(map + info->nonce_offset)) != info->nonce) {
        uat_error("transport %s: the segment of rank %d (pid %d) does not have the announced nonce: it belongs to "
                  "another job",
                  user->transport, rank, info->pid);
        munmap(map, info->segment_size);
        return -ESTALE;
    }
    madvise(map, info->segment_size, MADV_DONTDUMP); /* a core file needs only this worker's segment; a failure is
                                                      * harmless */
    *out = map;
    return 0;
}

/* Exchange the descriptors of both segments with a peer in another user namespace. Returns the peer's, or a negative
 * errno. */
static int exchange(const struct uat_attach_info *own, const struct uat_attach_info *info, int rank)
{
    int rc = uat_handover_add(rank, info->pid, info->socket);
    if (!rc)
        rc = uat_handover_give(info->pid, own->fd);
    int fd = rc ? rc : uat_handover_take(info->pid, info->device, info->inode);
    uat_handover_drop(info->device, info->inode);
    return fd;
}

/* Open the memory object of the peer's segment. Returns a descriptor or a negative errno. */
static int open_object(const struct uat_attach_info *own, const struct uat_attach_info *info, int rank)
{
    char path[64];
    if (info->user_space != own->user_space)
        return exchange(own, info, rank);
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", info->pid, info->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* opening must not block, whatever kind of file
                                                                      * this is */
    return fd < 0 ? -errno : fd;
}

int uat_attach_segment(const struct uat_attach_info *own, const struct uat_attach_user *user, int rank,
                       const struct uat_endpoint *endpoint, char **out)
{
    struct uat_attach_info info = {0};
    if (endpoint->size == sizeof(info)) /* otherwise info stays zero, and check_form() refuses it */
        memcpy(&info, endpoint->data, sizeof(info));
    int rc = check_form(user, own, &info, rank);
    if (!rc)
        rc = check_place(user, own, &info, rank, endpoint->host);
    if (rc)
        return rc;

    int fd = open_object(own, &info, rank);
    if (fd < 0)
        return report_open(user, own, &info, rank, -fd);
    rc = map_object(user, &info, fd, rank, out);
    close(fd);
    return rc;
}
