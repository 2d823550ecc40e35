/* SPDX-License-Identifier: MIT */
#include "runtime/job/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/relax.h"

enum { LOOKS = 1000 /* polls between two checks that the first worker is alive */ };
enum state { LATER, FULL, NONE };

/* The head of the object. The sizes of the blobs follow, and then the blobs. */
struct head {
    uint64_t state; /* enum state */
    uint64_t bytes; /* of the whole object */
    uint64_t size[];
};

struct uat_relay uat_relay_open(void)
{
    struct stat object;
    struct uat_relay relay = {.pid = getpid(), .fd = uat_memfd("uat-relay", 0)};
    if (relay.fd < 0)
        return relay;
    if (ftruncate((int)relay.fd, sizeof(struct head)) || fstat((int)relay.fd, &object)) {
        uat_relay_close(&relay);
        return relay;
    }
    relay.device = object.st_dev;
    relay.inode = object.st_ino;
    return relay;
}

void uat_relay_close(struct uat_relay *relay)
{
    if (relay->fd >= 0)
        close((int)relay->fd);
    relay->fd = -1;
}

void uat_relay_fill(const struct uat_relay *relay, void *const *blobs, const size_t *sizes, size_t n)
{
    uint64_t bytes = sizeof(struct head) + (blobs ? n * sizeof(uint64_t) : 0);
    for (size_t i = 0; blobs && i < n; i++)
        bytes += sizes[i];
    if (relay->fd < 0)
        return;
    int failed = ftruncate((int)relay->fd, (off_t)bytes);
    struct head *head =
        mmap(NULL, failed ? sizeof(*head) : bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)relay->fd, 0);
    if (head == MAP_FAILED) { /* tell the readers, which would never stop waiting */
        const uint64_t none = NONE;
        if (pwrite((int)relay->fd, &none, sizeof(none), offsetof(struct head, state)) != sizeof(none))
            uat_error("no memory to relay what %zu workers have published: %s", n, strerror(errno));
        return;
    }
    failed |= !blobs;
    head->bytes = bytes;
    char *at = (char *)(head->size + n);
    for (size_t i = 0; i < n && !failed; at += sizes[i++]) {
        head->size[i] = sizes[i];
        memcpy(at, blobs[i], sizes[i]);
    }
    /* Release: a reader that sees the state sees everything above. Pairs with the load in wait_for(). */
    __atomic_store_n(&head->state, failed ? NONE : FULL, __ATOMIC_RELEASE);
    munmap(head, failed ? sizeof(*head) : bytes);
}

/* Wait until the first worker has filled the object. Returns 0 and sets *bytes to its size, or a negative errno. */
static int wait_for(const struct uat_relay *relay, int fd, void (*waiting)(void), uint64_t *bytes)
{
    struct uat_relax relax = {0};
    const struct head *head = mmap(NULL, sizeof(*head), PROT_READ, MAP_SHARED, fd, 0);
    if (head == MAP_FAILED)
        return -errno;
    uint64_t state;
    /* Acquire: orders the load of the state before the loads of the blobs. Pairs with the store in uat_relay_fill(). */
    for (int i = 1; (state = __atomic_load_n(&head->state, __ATOMIC_ACQUIRE)) == LATER; i++) {
        if (i % LOOKS == 0 && kill((pid_t)relay->pid, 0) && errno == ESRCH)
            break;
        if (uat_relax_long(&relax))
            waiting();
    }
    *bytes = head->bytes;
    munmap((void *)head, sizeof(*head));
    return state == FULL ? 0 : state == NONE ? -ENODATA : -ESRCH;
}

static int copy_all(const struct head *head, uint64_t bytes, void **blobs, size_t *sizes, size_t n)
{
    uint64_t at = sizeof(*head) + n * sizeof(uint64_t);
    if (at > bytes)
        return -EPROTO;
    for (size_t i = 0; i < n; at += sizes[i++]) {
        if (at > bytes || head->size[i] > bytes - at)
            return -EPROTO;
        sizes[i] = head->size[i];
        blobs[i] = malloc(sizes[i] + 1);
        if (!blobs[i])
            return -ENOMEM;
        memcpy(blobs[i], (const char *)head + at, sizes[i]);
    }
    return 0;
}

/* Map the object when it is full. Returns 0 or a negative errno. */
static int map_full(const struct uat_relay *relay, int fd, void (*waiting)(void), const struct head **out,
                    uint64_t *bytes)
{
    struct stat object;
    if (fstat(fd, &object))
        return -errno;
    if (object.st_dev != relay->device || object.st_ino != relay->inode)
        return -ESTALE;
    int rc = wait_for(relay, fd, waiting, bytes);
    if (!rc && fstat(fd, &object))
        rc = -errno;
    if (!rc && (*bytes < sizeof(struct head) || (uint64_t)object.st_size < *bytes))
        rc = -EPROTO;
    if (rc)
        return rc;
    void *map = mmap(NULL, *bytes, PROT_READ, MAP_SHARED, fd, 0);
    *out = map;
    return map == MAP_FAILED ? -errno : 0;
}

int uat_relay_read(const struct uat_relay *relay, void (*waiting)(void), void **blobs, size_t *sizes, size_t n)
{
    char path[64];
    const struct head *head = NULL;
    uint64_t bytes = 0;
    if (relay->fd < 0)
        return -ENODATA;
    snprintf(path, sizeof(path), "/proc/%lld/fd/%lld", (long long)relay->pid, (long long)relay->fd);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    int rc = map_full(relay, fd, waiting, &head, &bytes);
    close(fd);
    if (rc)
        return rc;
    rc = copy_all(head, bytes, blobs, sizes, n);
    munmap((void *)head, bytes);
    return rc;
}
