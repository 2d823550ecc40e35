/* SPDX-License-Identifier: MIT */
#include "runtime/sched/scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/control.h"
#include "include/uat.h"
#include "runtime/job/self.h"
#include "runtime/sched/rest.h"
#include "runtime/sched/watch.h"
#include "runtime/task/worker.h"

static struct {
    int fd; /* -1: no requests are taken */
    bool caught;
    uint64_t wanted; /* the request that waits: number << 32 | workers; 0: none */
} control = {.fd = -1};

static void reply(uint32_t number, int status)
{
    const struct uat_control_reply reply = {
        .number = number, .status = status, .workers = (uint32_t)uat_workers(), .size = (uint32_t)uat_self.size};
    send(control.fd, &reply, sizeof(reply), MSG_NOSIGNAL | MSG_DONTWAIT); /* uatrun may have ended */
}

/* Take all requests that have arrived. Called by the handler, too. */
static void take(void)
{
    struct uat_control_request request;
    while (recv(control.fd, &request, sizeof(request), MSG_DONTWAIT) == sizeof(request)) {
        if (request.workers == 0)
            reply(request.number, 0);
        else if (request.workers > (uint32_t)uat_self.size)
            reply(request.number, -EINVAL);
        else if (!uat_rest_is_possible())
            reply(request.number, -ENOTSUP);
        else /* relaxed: the handler and the thread that it interrupts; pairs with serve() */
            __atomic_store_n(&control.wanted, (uint64_t)request.number << 32 | request.workers, __ATOMIC_RELAXED);
    }
    /* Relaxed: as above. */
    if (__atomic_load_n(&control.wanted, __ATOMIC_RELAXED) && uat_worker.running)
        uat_watch_note();
}

static void take_signal(int signal)
{
    int saved = errno;
    (void)signal;
    take();
    errno = saved;
}

/* The same outside of the handler, which must not take a newer request between recv() and the store of an older one. */
static void take_blocked(void)
{
    sigset_t urgent, before;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_BLOCK, &urgent, &before);
    take();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void uat_control_run(void)
{
    if (control.fd >= 0)
        take_blocked();
}

/* Carry out the request that waits. Called on a slow path, where the worker may call uat_resize(). */
static void serve(void)
{
    /* Relaxed: pairs with the store in take(), in this thread or in a handler that interrupts it. */
    uint64_t wanted = __atomic_exchange_n(&control.wanted, 0, __ATOMIC_RELAXED);
    if (!wanted)
        return;
    uat_rest_limit((int)(uint32_t)wanted);
    reply((uint32_t)(wanted >> 32), 0);
}

/* The descriptor that the environment names, or -1 if it is not one that a uatrun has made for this process. */
static int inherited(void)
{
    const char *text = getenv(UAT_CONTROL_VARIABLE);
    int fd;
    long maker;
    struct ucred peer = {0};
    socklen_t size = sizeof(peer);
    if (!text || sscanf(text, "%d:%ld", &fd, &maker) != 2 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid != (pid_t)maker)
        return -1;
    return fd;
}

int uat_control_open(void)
{
    struct sigaction previous, action = {.sa_handler = take_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = gettid()};
    control.fd = uat_self.rank == 0 ? inherited() : -1;
    if (control.fd < 0)
        return 0;
    fcntl(control.fd, F_SETFD, FD_CLOEXEC);
    uat_watch_serve = serve;
    sigemptyset(&action.sa_mask);
    sigaction(SIGURG, NULL, &previous);
    control.caught = !(previous.sa_flags & SA_SIGINFO) &&
                     (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) &&
                     sigaction(SIGURG, &action, NULL) == 0;
    if (!control.caught)
        return 0;
    fcntl(control.fd, F_SETOWN_EX, &owner);
    fcntl(control.fd, F_SETSIG, SIGURG);
    fcntl(control.fd, F_SETFL, fcntl(control.fd, F_GETFL) | O_ASYNC);
    take_blocked(); /* what has arrived before the signal was chosen */
    return 0;
}

void uat_control_close(void)
{
    if (control.fd < 0)
        return;
    if (control.caught) {
        fcntl(control.fd, F_SETFL, fcntl(control.fd, F_GETFL) & ~O_ASYNC);
        signal(SIGURG, SIG_DFL); /* without effect if one is pending */
    }
    control.fd = -1; /* uatrun has opened the descriptor, so it stays open */
}
