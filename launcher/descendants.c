/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include "base/host.h"
#include "base/lost.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    END_STEP_MS = 10,
    END_TERM_MS = 500,       /* time to end after SIGTERM */
    END_STARVED_MS = 10000,  /* time for a starved process to end */
    END_RAN_NS = 50000000,   /* since SIGTERM, a starved process is runnable but has run for less than this */
    END_KILL_EVERY_MS = 100, /* time between two SIGKILLs; SIGKILL is repeated, because descendants may fork */
    END_LIMIT_MS = 4000      /* a process that survives SIGKILL for this long hangs in the kernel */
};

struct kin {
    pid_t pid, parent;
    bool ours;
    uint64_t ran; /* how long the process had run when it got SIGTERM: see uat_process_ran() */
};

void uat_descendants_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static struct kin *list_processes(size_t *count)
{
    struct kin *list = NULL;
    size_t n = 0, room = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        if (n == room) {
            room = room ? 2 * room : 256;
            struct kin *larger = realloc(list, room * sizeof(*list));
            if (!larger)
                break;
            list = larger;
        }
        pid_t pid = (pid_t)atoi(entry->d_name);
        struct uat_process process;
        if (uat_process_look(pid, &process)) /* otherwise the process has ended */
            list[n++] = (struct kin){pid, process.parent, false, 0};
    }
    if (proc)
        closedir(proc);
    *count = n;
    return list;
}

/* The descendants of this process; the caller frees the list. */
static struct kin *list_descendants(size_t *count_of)
{
    size_t count, ours_count = 0;
    pid_t self = getpid();
    struct kin *list = list_processes(&count);
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < count; i++) {
            bool ours = list[i].parent == self;
            for (size_t k = 0; !ours && k < count; k++)
                ours = list[k].ours && list[k].pid == list[i].parent;
            found |= ours && !list[i].ours;
            list[i].ours |= ours;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (list[i].ours)
            list[ours_count++] = list[i];
    *count_of = ours_count;
    return list;
}

void uat_descendants_kill(int signal)
{
    size_t count;
    struct kin *list = list_descendants(&count);
    const union sigval value = {.sival_int = uat_lost_value(UAT_LOST_NONE)}; /* marks uatrun's own SIGTERM */
    for (size_t i = 0; i < count; i++)
        if (sigqueue(list[i].pid, signal, value))
            kill(list[i].pid, signal);
    free(list);
}

/* Is a process starved? On a busy machine a process may not have run since its SIGTERM, so it had no chance to end. */
static bool is_starved(pid_t pid, const struct kin *told, size_t told_count)
{
    struct uat_process process;
    for (size_t i = 0; i < told_count; i++) {
        if (told[i].pid != pid)
            continue;
        uint64_t ran = uat_process_ran(pid);
        return uat_process_look(pid, &process) && process.state == 'R' && ran != UINT64_MAX &&
               ran - told[i].ran < END_RAN_NS;
    }
    return false; /* the process was created after the SIGTERM */
}

/* Send SIGKILL to all descendants, but spare starved processes for END_STARVED_MS. Returns whether it spared a
 * process. */
static bool kill_overdue(const struct kin *told, size_t told_count, int waited)
{
    size_t count;
    bool spared = false;
    struct kin *list = list_descendants(&count);
    for (size_t i = 0; i < count; i++) {
        if (waited < END_STARVED_MS && is_starved(list[i].pid, told, told_count))
            spared = true;
        else
            kill(list[i].pid, SIGKILL);
    }
    free(list);
    return spared;
}

/* Reap the children that have ended. Returns whether any descendant is left. */
static bool any_left(void)
{
    for (;;) {
        pid_t pid = waitpid(-1, NULL, WNOHANG);
        if (pid <= 0)
            return pid == 0;
    }
}

void uat_descendants_end(void)
{
    const struct timespec step = {.tv_nsec = END_STEP_MS * 1000000L};
    int waited = 0, spared = 0; /* spared: when a process was last spared */
    size_t count;
    if (!any_left())
        return;
    struct kin *told = list_descendants(&count);
    for (size_t i = 0; i < count; i++)
        told[i].ran = uat_process_ran(told[i].pid);
    uat_descendants_kill(SIGTERM);
    uat_descendants_kill(SIGCONT); /* a stopped process does not handle SIGTERM */
    for (; any_left(); waited += END_STEP_MS) {
        if (waited - spared >= END_LIMIT_MS) {
            uat_say("a process of the job does not end, not even by SIGKILL; ps shows it in state D");
            break;
        }
        if (waited >= END_TERM_MS && waited % END_KILL_EVERY_MS == 0 && kill_overdue(told, count, waited))
            spared = waited;
        nanosleep(&step, NULL);
    }
    free(told);
}
