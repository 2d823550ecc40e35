/* SPDX-License-Identifier: MIT */
#include "runtime/checkpoint/spare.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/relax.h"
#include "runtime/job/fatal.h"
#include "runtime/job/lost.h"
#include "runtime/job/self.h"
#include "runtime/task/fork.h"

static pid_t forker; /* the process that forks the spare process, or a negative errno; 0: it was awaited */

/* Wait in the spare process until it takes the rank over. waits: the word while it does. between: the process that has
 * forked this one. */
static void wait_for_loss(uint64_t *takes, uint64_t waits, pid_t between)
{
    uint64_t told;
    while (getppid() == between) /* from then on, the parent is uatrun */
        uat_cpu_yield();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1) /* uatrun has ended before prctl() */
        _exit(0);
    /* Acquire: orders uatrun's swap of the gate before this process's look at it. Pairs with the store in
     * uat_survival_replace(), and with the one in uat_spare_dismiss(). */
    while ((told = uat_cpu_load_acquire(takes)) == waits)
        syscall(SYS_futex, takes, FUTEX_WAIT, (uint32_t)waits, NULL, NULL, 0);
    if (told != waits + 1)
        _exit(0);
}

/* Fork twice, so that the spare process is uatrun's child, and not one that the program may wait for. Returns true in
 * the spare process once it takes the rank over. */
static bool split(struct uat_survival *words)
{
    uint64_t *takes = &words->rank[uat_self.rank].takes, waits = *takes / 4 * 4 + 4;
    /* Release, although only the word itself is read: pairs with the load in wait_for_loss(), of this spare process and
     * of the last one, which may not have seen yet that it ends. */
    uat_cpu_store_release(takes, waits);
    uat_cpu_store_release(&words->rank[uat_self.rank].spare, 0); /* pairs with the load in uat_survival_replace() */
    fflush(NULL); /* otherwise both processes would write what is buffered */
    uat_fork_for_spare = true;
    forker = fork();
    if (forker == 0) {
        pid_t self = getpid(), spare = fork();
        if (spare == 0) {
            uat_fork_for_spare = false;
            wait_for_loss(takes, waits, self);
            return true;
        }
        /* Release: pairs with the load in uat_survival_replace(). */
        uat_cpu_store_release(&words->rank[uat_self.rank].spare, spare > 0 ? (uint64_t)spare : 0);
        _exit(spare < 0 ? errno : 0);
    }
    forker = forker < 0 ? -errno : forker;
    uat_fork_for_spare = false;
    return false;
}

void uat_spare_await(struct uat_survival *words)
{
    int status = 0;
    while (forker > 0 && waitpid(forker, &status, 0) < 0 && errno == EINTR)
        continue;
    /* Relaxed: the process that has stored it has ended. */
    if (forker && __atomic_load_n(&words->rank[uat_self.rank].spare, __ATOMIC_RELAXED) == 0)
        uat_warn("no spare process can be forked: %s; a loss of rank %d ends the job",
                 strerror(forker < 0 ? -forker : WEXITSTATUS(status)), uat_self.rank);
    forker = 0;
}

bool uat_spare_make(struct uat_survival *words)
{
    uint64_t *worker = &words->rank[uat_self.rank].worker;
    bool was_spare = false;
    *worker = (uint64_t)getpid(); /* before the fork: see uat_survival_replace() */
    while (uat_self.rank > 0 && split(words)) {
        was_spare = true;
        *worker = (uint64_t)getpid();
        uat_fatal_at_exit(true);
        uat_lost_take_over();
    }
    return was_spare;
}

void uat_spare_dismiss(struct uat_survival *words)
{
    uint64_t *takes = &words->rank[uat_self.rank].takes;
    /* Release, although it publishes nothing: pairs with the load in wait_for_loss(). */
    uat_cpu_store_release(takes, *takes / 4 * 4 + 2);
    syscall(SYS_futex, takes, FUTEX_WAKE, 1, NULL, NULL, 0);
}
