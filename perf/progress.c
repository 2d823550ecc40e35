/* SPDX-License-Identifier: MIT */
#include "perf/progress.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perf/tsc.h"
#include "inspect/inspect.h"

enum {
    LOOK_MS = 25,
    LOOKS = 10, /* looks per period; at each period's end, the thread sends news, and rank 0 rewrites the line */
    LINE_MAX_COLUMNS = 200
};

/* The address to which the ranks send news. Rank 0 gives this address to the other ranks. */
struct place {
    uint64_t token;
    char host[64];
    struct sockaddr_in at;
    bool on;
};

static struct {
    pthread_t thread;
    bool running, first; /* first: this is rank 0, which shows the line */
    int socket;
    int stop[2]; /* a pipe that is closed at the end */
    struct sockaddr_in to;
    struct uat_progress_news own;
    struct uat_progress_news *news; /* the news of all workers; on rank 0 */
    int workers;
    const char *program;
    double begun;
    bool written; /* there is a line on the terminal */
} progress;

/* The address at which other hosts reach this host. This is the address of the first interface that is up and is no
 * loopback. */
static struct in_addr own_address(void)
{
    struct in_addr address = {htonl(INADDR_LOOPBACK)};
    struct ifaddrs *all, *i;

    if (getifaddrs(&all))
        return address;
    for (i = all; i; i = i->ifa_next) {
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && i->ifa_flags & IFF_UP &&
            !(i->ifa_flags & IFF_LOOPBACK)) {
            address = ((struct sockaddr_in *)i->ifa_addr)->sin_addr;
            break;
        }
    }
    freeifaddrs(all);
    return address;
}

/* On rank 0: open a socket for the news, and fill in what the other ranks need. */
static void open_place(struct place *p)
{
    socklen_t size = sizeof(p->at);

    p->at.sin_family = AF_INET;
    progress.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    progress.news = calloc((size_t)uat_size(), sizeof(*progress.news));
    if (progress.socket < 0 || !progress.news || bind(progress.socket, (struct sockaddr *)&p->at, size) ||
        getsockname(progress.socket, (struct sockaddr *)&p->at, &size) ||
        getrandom(&p->token, sizeof(p->token), 0) != sizeof(p->token) || gethostname(p->host, sizeof(p->host) - 1))
        return;
    p->at.sin_addr = own_address();
    p->on = true;
}

static struct uat_progress_sum sum_up(void)
{
    struct uat_progress_sum sum = {.workers = progress.workers, .seconds = uat_moment_now().seconds - progress.begun};

    for (int i = 0; i < progress.workers; i++) {
        const struct uat_progress_news *n = &progress.news[i];
        sum.heard += n->token != 0;
        sum.tasks += n->tasks;
        sum.steals += n->steals;
        sum.looks += n->looks;
        sum.idle += n->idle;
    }
    return sum;
}

/* Show the line, cut to the terminal's width: the next line could not erase a longer one. */
static void show(void)
{
    static struct uat_progress_sum last;
    struct uat_progress_sum sum = sum_up();
    struct winsize window = {0};
    char text[LINE_MAX_COLUMNS + 1], line[LINE_MAX_COLUMNS + 16];

    uat_progress_line(progress.program, &sum, progress.written ? &last : NULL, text, sizeof(text));
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && window.ws_col <= LINE_MAX_COLUMNS)
        text[window.ws_col - 1] = '\0';
    int length = snprintf(line, sizeof(line), "\r\033[K%s", text); /* ECMA-48: erase to the end of the line */
    progress.written |= write(STDERR_FILENO, line, (size_t)length) > 0;
    last = sum;
}

/* Look at the worker once, and bring this process's news up to date. uat_inspect_glance() loads the counters relaxed:
 * the worker owns them, and a value may be a little old. */
static void look(void)
{
    struct uat_inspect_glance glance;

    uat_inspect_glance(&glance);
    progress.own.tasks = glance.tasks;
    progress.own.steals = glance.steals;
    progress.own.looks += glance.in_run;
    progress.own.idle += glance.in_run && glance.idle;
}

static void receive(void)
{
    struct uat_progress_news n;

    while (recv(progress.socket, &n, sizeof(n), 0) == sizeof(n))
        if (n.token == progress.own.token && n.rank < (uint64_t)progress.workers)
            progress.news[n.rank] = n;
}

static void *watch(void *unused)
{
    struct pollfd stop = {.fd = progress.stop[0], .events = POLLIN};

    for (unsigned looks = 1; poll(&stop, 1, LOOK_MS) == 0; looks++) {
        look();
        if (looks % LOOKS)
            continue;
        if (progress.first) {
            receive();
            progress.news[0] = progress.own;
            show();
        } else {
            /* A lost datagram does no harm, because the next one contains the sums as well. */
            sendto(progress.socket, &progress.own, sizeof(progress.own), MSG_DONTWAIT, (struct sockaddr *)&progress.to,
                   sizeof(progress.to));
        }
    }
    return NULL;
}

/* Start the thread with all signals blocked, so that only the worker's thread receives signals. */
static bool start_thread(void)
{
    sigset_t all, before;

    if (pipe2(progress.stop, O_CLOEXEC))
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    progress.running = pthread_create(&progress.thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!progress.running) {
        close(progress.stop[0]);
        close(progress.stop[1]);
    }
    return progress.running;
}

void uat_progress_begin(const char *program)
{
    const char *time = uat_setting("time"), *terminal = getenv("TERM");
    struct place own = {0};

    progress.socket = -1;
    progress.first = uat_rank() == 0;
    progress.workers = uat_size();
    progress.program = program;
    if (progress.first && isatty(STDERR_FILENO) && time && time[0] != 'v' && terminal && strcmp(terminal, "dumb") != 0)
        open_place(&own);
    struct place *p = uat_replicate(&own, sizeof(own));
    if (p && p->on) {
        char host[sizeof(own.host)] = "";
        progress.own = (struct uat_progress_news){.token = p->token, .rank = (uint64_t)uat_rank()};
        progress.to = p->at;
        if (gethostname(host, sizeof(host) - 1) == 0 && strcmp(host, p->host) == 0)
            progress.to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        progress.begun = uat_moment_now().seconds;
        if (!progress.first)
            progress.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (progress.socket >= 0)
            start_thread();
    }
    uat_replicate_free(p);
}

void uat_progress_end(void)
{
    if (progress.running) {
        close(progress.stop[1]);
        pthread_join(progress.thread, NULL);
        close(progress.stop[0]);
        if (progress.written && write(STDERR_FILENO, "\r\033[K", 4) < 0)
            progress.written = false;
    }
    if (progress.socket >= 0)
        close(progress.socket);
    free(progress.news);
    progress.news = NULL;
    progress.socket = -1;
    progress.running = false;
}
