/* SPDX-License-Identifier: MIT */
#include "runtime/job/lost.h"

#include <signal.h>
#include <stdio.h>

#include "base/log.h"
#include "base/lost.h"
#include "runtime/job/alike.h"

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

/* The handler of SIGTERM. A signal from outside of the job has no effect if spared_by() says so. Any other signal ends
 * the process as if there were no handler, after the line if the signal names a lost rank. A second SIGTERM may
 * meanwhile reach another thread: only the first counts. */
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
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

void uat_lost_open(uat_lost_fn *describe, const char *host)
{
    struct sigaction action = {.sa_sigaction = end, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    snprintf(own_host, sizeof(own_host), "%s", host);
    described_by = describe;
    sigemptyset(&action.sa_mask);
    caught = sigaction(SIGTERM, NULL, &previous) == 0 && !(previous.sa_flags & SA_SIGINFO) &&
             previous.sa_handler == SIG_DFL && sigaction(SIGTERM, &action, NULL) == 0;
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
}
