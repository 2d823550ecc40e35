/* SPDX-License-Identifier: MIT */
#include "launcher/survival.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/survival.h"
#include "launcher/launcher.h"
#include "runtime/checkpoint/settings.h"

static struct uat_survival *words; /* NULL: no loss is survived */
static int object = -1;            /* their memory object */

int uat_survival_open(const struct uat_arguments *arguments)
{
    static char variable[64];
    struct stat st;
    words = NULL;
    if (uat_checkpoint_settings.survive == 0 || arguments->workers < 2 || arguments->simulated > 0)
        return 0;
    words = uat_memfd_map("uat-survival", sizeof(*words), &object);
    if (!words || fstat(object, &st)) {
        uat_say("no memory for the words that survive= needs: %s%s", strerror(errno),
                errno == EFBIG ? " (ulimit -f bounds it)" : "");
        return -ENOMEM;
    }
    snprintf(variable, sizeof(variable), UAT_SURVIVAL_VARIABLE "=%d:%llu", object, (unsigned long long)st.st_ino);
    uat_arguments_set(arguments->env, variable);
    return 0;
}

int uat_survival_inherited(void)
{
    return words ? object : -1;
}

/* Why the loss of this rank cannot be survived; NULL: it can, and the gate is raised. */
static const char *raise_gate(int rank, pid_t spare)
{
    /* Acquire: orders what the workers have prepared. Pairs with the store in uat_survive_watch(). */
    uint64_t open = uat_cpu_load_acquire(&words->gate);
    if (rank == 0)
        return "rank 0 cannot be replaced";
    if (open / 2 >= UAT_SURVIVAL_LOSSES)
        return "too many workers were lost";
    if (spare == 0 && open % 2 == 1)
        return "its spare process is gone, too, or was not yet there";
    /* Release: a worker that sees the loss sees what uatrun knew. Pairs with the loads in gate() of
     * runtime/checkpoint/survive.c and, as a hint, in uat_relax_lost(). Rank 0 may close the gate at the same time, and
     * one of the two swaps fails. */
    if (open % 2 == 0 ||
        !__atomic_compare_exchange_n(&words->gate, &open, open + 2, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return "it was lost outside of a run";
    return NULL;
}

/* Is this process the worker, and not one that has started the worker? Relaxed: pairs with the stores in
 * uat_spare_make() of runtime/checkpoint/spare.c. Those come before the fork of the spare process, whose number
 * uat_survival_replace() has acquired. For the other workers an old value costs only the signal: waiting loops and slow
 * paths look at the gate. */
static bool is_worker(const struct uat_child *child)
{
    return __atomic_load_n(&words->rank[child->rank].worker, __ATOMIC_RELAXED) == (uint64_t)child->pid;
}

bool uat_survival_replace(struct uat_child *children, int n, struct uat_child *child, int status)
{
    const union sigval mark = {.sival_int = UAT_SURVIVAL_MARK};
    struct timespec now;
    if (!words || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        return false;
    uint64_t *takes = &words->rank[child->rank].takes;
    /* Acquire: pairs with the store in split() of runtime/checkpoint/spare.c. If the worker was killed while its
     * process for forks made a spare process, the store comes later: then this loss cannot be survived. */
    pid_t spare = (pid_t)uat_cpu_load_acquire(&words->rank[child->rank].spare);
    uat_cpu_store_release(&words->rank[child->rank].spare, 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    /* Relaxed: the swap of the gate releases it to uat_survive_recover(), which may see that of a later loss. */
    __atomic_store_n(&words->raised, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, __ATOMIC_RELAXED);
    const char *why = spare && !is_worker(child)
                          ? "another process than the worker was killed, which had started the worker"
                          : raise_gate(child->rank, spare);
    if (why) {
        uat_say("the loss of rank %d cannot be survived: %s", child->rank, why);
        return false;
    }
    child->pid = spare;
    child->stopped = 0; /* the worker may have been stopped when it was killed */
    child->stop_said = false;
    uat_say("rank %d was killed; its spare process takes its place, and all workers go back to the last copy",
            child->rank);
    /* Release: the spare process sees the raised gate. Pairs with the load in wait_for_loss(). */
    uat_cpu_store_release(takes, *takes + 1);
    syscall(SYS_futex, takes, FUTEX_WAKE, 1, NULL, NULL, 0);
    for (int i = 0; i < n; i++) /* not to the shell of a worker, which the signal would end */
        if (children[i].pid > 0 && &children[i] != child && is_worker(&children[i]))
            sigqueue(children[i].pid, SIGUSR2, mark);
    return true;
}

void uat_survival_note(int n, pid_t pid)
{
    /* Relaxed: a spare process that has ended cannot change the word; its worker stores it again only for a new one. */
    for (int rank = 0; words && rank < n; rank++)
        if (__atomic_load_n(&words->rank[rank].spare, __ATOMIC_RELAXED) == (uint64_t)pid)
            __atomic_store_n(&words->rank[rank].spare, 0, __ATOMIC_RELAXED);
}
