/* SPDX-License-Identifier: MIT */
#include "runtime/job/lost.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/lost.h"
#include "base/streams.h"
#include "runtime/job/alike.h"
#include "runtime/job/settings.h"

static uat_lost_fn *described_by; /* describes what was lost; NULL: the job is not open */
static char own_host[256];
static struct sigaction previous;
static bool caught;
static bool (*spared_by)(void);

void uat_lost_tell(int rank, const char *host)
{
    static int told;
    char text[500];
    uat_lost_fn *describe = described_by;
    /* Relaxed: several threads may take the signal, or this thread may report an error of its own. The first caller
     * prints the line. */
    if (!describe || __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
        return;
    if (describe(rank, text, sizeof(text)))
        uat_error("rank %d on %s was lost: %s", rank, host, text);
}

/*
 * The thread that ends the process after a SIGTERM. First it writes what stdio has buffered. The signal may have
 * interrupted stdio, so its handler must not do this: it wakes this thread and returns, and stdio can finish what it
 * does. Until then it calls `watch` now and then.
 */
static struct {
    pthread_t thread;
    pid_t process; /* the process that has the thread: a forked child has none */
    pid_t worker;  /* the worker's own thread */
    void (*watch)(pid_t worker);
    int wake; /* eventfd; -1: there is no thread */
} ender = {.wake = -1};

/* What is written to `wake`; an end that comes together with a leave counts. */
enum { WAKE_TO_END = 1, WAKE_TO_LEAVE = UINT16_MAX, ENDER_STACK = 256 << 10 };

static void *end_when_woken(void *unused)
{
    int patience = uat_job_settings.stall_timeout > 0 ? uat_job_settings.stall_timeout * 1000 : -1;
    struct pollfd wake = {.fd = ender.wake, .events = POLLIN};
    eventfd_t why = 0;
    sigset_t set;
    while (poll(&wake, 1, patience) == 0)
        ender.watch(ender.worker);
    while (eventfd_read(ender.wake, &why) && errno == EINTR)
        continue;
    if (why == WAKE_TO_LEAVE)
        return unused;
    uat_flush();
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    signal(SIGTERM, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(SIGTERM);
    return unused;
}

/* Called in a handler. Returns false if this process has no ender. */
static bool wake_ender(void)
{
    int saved = errno;
    bool woken = ender.wake >= 0 && ender.process == getpid() && eventfd_write(ender.wake, WAKE_TO_END) == 0;
    errno = saved;
    return woken;
}

/* The handler of SIGTERM. A signal from outside of the job has no effect if spared_by() says so. Any other signal ends
 * the process as if there were no handler, after the line if the signal names a lost rank, and after the ender has
 * flushed stdio. A second SIGTERM may meanwhile reach another thread: only the first counts. */
static void end(int number, siginfo_t *info, void *context)
{
    static int ending;
    bool (*spare)(void) = spared_by;
    bool inside = info->si_code == SI_QUEUE && uat_lost_is_value(info->si_value.sival_int);
    (void)context;
    if (!inside && spare && spare())
        return;
    if (__atomic_exchange_n(&ending, 1, __ATOMIC_RELAXED)) /* relaxed: as above */
        return;
    uat_alike_close(); /* a handler must not wait for other workers */
    if (inside && uat_lost_rank(info->si_value.sival_int) != UAT_LOST_NONE)
        uat_lost_tell(uat_lost_rank(info->si_value.sival_int), own_host);
    if (wake_ender())
        return;
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

/* Start the ender, which gets no signals. Returns 0 or a negative errno. */
static int start_ender(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    ender.process = getpid();
    ender.worker = gettid();
    ender.wake = eventfd(0, EFD_CLOEXEC);
    if (ender.wake < 0)
        return -errno;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, ENDER_STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = -pthread_create(&ender.thread, &attributes, end_when_woken, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (rc) {
        close(ender.wake);
        ender.wake = -1;
    }
    return rc;
}

void uat_lost_take_over(void)
{
    if (ender.wake < 0)
        return;
    close(ender.wake);
    ender.wake = -1;
    if (start_ender())
        uat_warn("no thread that ends this process in order");
}

static void stop_ender(void)
{
    if (ender.wake < 0)
        return;
    eventfd_write(ender.wake, WAKE_TO_LEAVE);
    pthread_join(ender.thread, NULL);
    close(ender.wake);
    ender.wake = -1;
}

int uat_lost_open(uat_lost_fn *describe, const char *host, void (*watch)(pid_t worker))
{
    struct sigaction action = {.sa_sigaction = end, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    snprintf(own_host, sizeof(own_host), "%s", host);
    described_by = describe;
    sigemptyset(&action.sa_mask);
    ender.watch = watch;
    int rc = watch ? start_ender() : 0;
    if (rc)
        uat_error("no thread that ends this process in order: %s", strerror(-rc));
    else
        caught = sigaction(SIGTERM, NULL, &previous) == 0 && !(previous.sa_flags & SA_SIGINFO) &&
                 previous.sa_handler == SIG_DFL && sigaction(SIGTERM, &action, NULL) == 0;
    return rc;
}

bool uat_lost_spare(bool (*spare)(void))
{
    spared_by = spare;
    return caught;
}

void uat_lost_close(void)
{
    spared_by = NULL;
    struct sigaction now;
    described_by = NULL;
    if (caught && sigaction(SIGTERM, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == end)
        sigaction(SIGTERM, &previous, NULL); /* restore the handler, unless the program has set its own since */
    caught = false;
    stop_ender();
}
