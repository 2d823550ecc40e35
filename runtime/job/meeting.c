/* SPDX-License-Identifier: MIT */
/* The workers of uatrun meet in its memory: see base/meeting.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/meeting.h"
#include "base/word.h"
#include "runtime/job/bootstrap.h"

enum { LOOK_NS = 200000000 /* time between two looks at the clock, and for uatrun, in a barrier */ };

static struct {
    struct uat_meeting *memory; /* NULL: closed */
    size_t bytes;               /* mapped: without what is published */
    int fd;
    uint32_t rank;
    const struct uat_bootstrap_user *user;
} meeting;

/* Check that this descriptor leads to the memory called `name`; otherwise close it. Returns the descriptor, or a
 * negative errno. */
static int check(int fd, const char *name, struct uat_meeting *head)
{
    if (fd < 0)
        return -errno;
    if (pread(fd, head, sizeof(*head), 0) == sizeof(*head) && strncmp(head->name, name, sizeof(head->name)) == 0)
        return fd;
    close(fd);
    return -EBADF;
}

/* Open the memory: by the inherited descriptor or, if a program between uatrun and this worker has closed it, by that
 * of uatrun, which needs its pid and user namespaces. */
static int open_memory(struct uat_meeting *head)
{
    int pid = 0, inherited = -1, name = 0;
    char path[64];
    const char *variable = getenv(UAT_MEETING_VARIABLE);
    if (sscanf(variable, "%d:%d:%n", &pid, &inherited, &name) < 2 || name == 0)
        return -EINVAL;
    int fd = check(fcntl(inherited, F_DUPFD_CLOEXEC, 0), variable + name, head);
    if (fd >= 0) {
        fcntl(inherited, F_SETFD, FD_CLOEXEC); /* not for the programs that this worker starts */
        return fd;
    }
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, inherited);
    fd = check(open(path, O_RDWR | O_CLOEXEC), variable + name, head);
    if (fd == -EACCES || fd == -EPERM)
        uat_error("cannot open the memory in which the workers of uatrun meet: a program between has closed descriptor "
                  "%d, and from another user namespace uatrun's own cannot be opened; pass the descriptor on",
                  inherited);
    return fd;
}

static int join(struct uat_job *job, const struct uat_bootstrap_user *user)
{
    struct uat_meeting head;
    long rank = uat_launched_count(UAT_MEETING_RANK);
    uat_log_identity((int)rank, job->host);
    int fd = open_memory(&head);
    if (fd < 0) {
        if (fd != -EACCES && fd != -EPERM)
            uat_error("cannot open the memory in which the workers of uatrun meet: %s; has uatrun ended? Its variables "
                      "UATRUN_* stay in the environment: start from a fresh shell",
                      strerror(-fd));
        return fd;
    }
    size_t bytes = sizeof(head) + head.size * sizeof(head.seat[0]);
    void *memory = MAP_FAILED;
    if (head.layout != UAT_MEETING_LAYOUT || rank < 0 || rank >= (long)head.size)
        uat_error(
            "uatrun and this program are from different versions of uat: use the uatrun of the program's version");
    else if ((memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
        uat_error("cannot map the memory in which the workers of uatrun meet: %s", strerror(errno));
    if (memory == MAP_FAILED) {
        close(fd);
        return -EPROTO;
    }
    meeting.memory = memory;
    meeting.bytes = bytes;
    meeting.fd = fd;
    meeting.rank = (uint32_t)rank;
    meeting.user = user;
    job->rank = job->local_rank = (int)rank;
    job->size = job->local_size = (int)head.size;
    job->launcher = "uatrun";
    return 0;
}

static void leave(void)
{
    munmap(meeting.memory, meeting.bytes);
    close(meeting.fd);
    meeting.memory = NULL;
}

static int meeting_open(struct uat_job *job, const struct uat_bootstrap_user *user)
{
    int rc = join(job, user);
    if (rc)
        return rc;
    uint32_t *presence = &meeting.memory->seat[meeting.rank].presence;
    /* Relaxed: it only keeps two processes from one seat. uatrun's uat_server_presence() also reads it while this
     * worker runs. An old value costs at most the line about a lost rank. */
    if (__atomic_exchange_n(presence, UAT_PRESENCE_CONNECTED, __ATOMIC_RELAXED) == UAT_PRESENCE_CONNECTED) {
        uat_error(
            "another process is rank %u of this job, or was and ended without uat_finalize(); start one program a "
            "worker, and uatrun for each run",
            meeting.rank);
        leave();
        return -EBUSY;
    }
    return 0;
}

/* uatrun's process that holds the lock; 0 if this pid namespace does not have it, and -1 if uatrun has ended. */
static pid_t holder(void)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    if (fcntl(meeting.fd, F_GETLK, &lock))
        return 0;
    return lock.l_type == F_UNLCK ? -1 : lock.l_pid;
}

static int meeting_barrier(void)
{
    struct uat_meeting *m = meeting.memory;
    const struct timespec look = {.tv_nsec = LOOK_NS};
    /* Relaxed: `ended` changes only after this worker has entered, and it has acquired the last change. */
    uint32_t ended = __atomic_load_n(&m->ended, __ATOMIC_RELAXED);
    /* Acquire, release: the last to enter acquires what all others have released by entering, and passes it on. */
    if (__atomic_add_fetch(&m->entered, 1, __ATOMIC_ACQ_REL) == m->size) {
        /* Relaxed: nobody enters the next barrier before the store below, which releases this one. */
        __atomic_store_n(&m->entered, 0, __ATOMIC_RELAXED);
        /* Release: pairs with the acquire load below, in the workers that wait. */
        __atomic_store_n(&m->ended, ended + 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &m->ended, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
    /* Acquire: pairs with the release store of the last to enter, above. */
    while (__atomic_load_n(&m->ended, __ATOMIC_ACQUIRE) == ended) {
        if (syscall(SYS_futex, &m->ended, FUTEX_WAIT, ended, &look, NULL, 0) == 0 || errno == EAGAIN)
            continue;
        if (errno != ETIMEDOUT && errno != EINTR)
            nanosleep(&look, NULL); /* the system refuses futexes here */
        if (holder() < 0) {
            uat_error("uatrun has ended, so this worker ends");
            return -EIO;
        }
        meeting.user->waiting();
    }
    meeting.user->waited();
    return 0;
}

/* Read or write all of the bytes. Returns 0 or a negative errno. */
static int move(ssize_t (*way)(int, void *, size_t, off_t), void *bytes, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = way(meeting.fd, (char *)bytes + done, size - done, (off_t)(at + done));
        if (n <= 0 && (n == 0 || errno != EINTR))
            return n == 0 ? -EPROTO : -errno;
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static ssize_t put(int fd, void *bytes, size_t size, off_t at)
{
    return pwrite(fd, bytes, size, at);
}

static int publish(const void *blob, size_t size, int way)
{
    struct uat_meeting *m = meeting.memory;
    struct rlimit files;
    /* Relaxed: it only divides the bytes between workers. The next barrier orders what is in them. */
    uint64_t at = __atomic_fetch_add(&m->end, size, __ATOMIC_RELAXED);
    m->seat[meeting.rank].blob[way].at = at;
    m->seat[meeting.rank].blob[way].size = size;
    int rc =
        getrlimit(RLIMIT_FSIZE, &files) == 0 && at + size > files.rlim_cur ? -EFBIG : 0; /* else a signal ends us */
    if (!rc)
        rc = move(put, (void *)blob, size, at);
    if (rc)
        uat_error("cannot write to the memory in which the workers of uatrun meet: %s%s", strerror(-rc),
                  rc == -EFBIG ? " (ulimit -f bounds it)" : "");
    return rc;
}

static int collect(int rank, int way, void **blob, size_t *size)
{
    const struct uat_meeting_seat *seat = &meeting.memory->seat[rank];
    uint64_t at = seat->blob[way].at, bytes = seat->blob[way].size;
    uint64_t end = (uint64_t)lseek(meeting.fd, 0, SEEK_END); /* the blobs of this exchange are in the object */
    if (at > end || bytes > end - at)
        return at > end ? uat_word_report(rank, "meeting.blob.at", at)
                        : uat_word_report(rank, "meeting.blob.size", bytes);
    *size = bytes;
    *blob = malloc(bytes + 1);
    int rc = *blob ? move(pread, *blob, bytes, at) : -ENOMEM;
    if (rc)
        uat_error("what rank %d has published cannot be read: %s", rank, strerror(-rc));
    return rc;
}

/* A worker reads the others' blobs after the barrier. A faster one may already publish for the next exchange. So blobs
 * of successive exchanges have two places in turn: nobody passes the next barrier before all have read. */
static int meeting_exchange(const void *blob, size_t size, const bool *wanted, void **blobs, size_t *sizes)
{
    struct uat_meeting *m = meeting.memory;
    int way = (int)(__atomic_load_n(&m->ended, __ATOMIC_RELAXED) % 2); /* relaxed: as in meeting_barrier() */
    int rc = publish(blob, size, way);
    if (!rc)
        rc = meeting_barrier();
    for (int i = 0; i < (int)m->size && !rc; i++)
        if (!wanted || wanted[i])
            rc = collect(i, way, &blobs[i], &sizes[i]);
    return rc;
}

static int meeting_close(void)
{
    /* Relaxed: as in meeting_open(). uatrun's uat_blame_judge() reads it after waitpid(). */
    __atomic_store_n(&meeting.memory->seat[meeting.rank].presence, UAT_PRESENCE_FINALIZED, __ATOMIC_RELAXED);
    leave();
    return 0;
}

/* The first counts. uatrun looks at the word when a SIGCHLD arrives, at the latest when this process has ended. */
static void meeting_abort(int status)
{
    uint64_t none = 0, word = (uint64_t)(meeting.rank + 1) << 32 | (uint32_t)status;
    pid_t uatrun = holder();
    /* Relaxed: the word is the whole message. uatrun's uat_server_aborted() reads it again after the signal. */
    __atomic_compare_exchange_n(&meeting.memory->aborted, &none, word, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (uatrun > 0)
        kill(uatrun, SIGCHLD);
}

const struct uat_means uat_means_meeting = {meeting_open,  meeting_barrier, meeting_exchange,
                                            meeting_close, meeting_abort,   "at the start or the end of the job"};
