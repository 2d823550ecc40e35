/* SPDX-License-Identifier: MIT */
#include "launcher/descendants.h"

#include "base/process.h"
#include "launcher/say.h"

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
    END_TERM_MS = 500,  /* time to leave in order after SIGTERM */
    END_LIMIT_MS = 4000 /* a process that SIGKILL does not end by then hangs in the kernel */
};

struct kin {
    pid_t pid, parent;
    bool ours;
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
        if (uat_process_look(pid, &process)) /* else it has gone */
            list[n++] = (struct kin){pid, process.parent, false};
    }
    if (proc)
        closedir(proc);
    *count = n;
    return list;
}

void uat_descendants_kill(int signal)
{
    size_t count;
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
            kill(list[i].pid, signal);
    free(list);
}

/* Reap what has ended. Returns whether any descendant is left. */
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
    int waited = 0;
    if (!any_left())
        return;
    uat_descendants_kill(SIGTERM);
    uat_descendants_kill(SIGCONT); /* a stopped process takes no SIGTERM */
    for (; any_left(); waited += END_STEP_MS) {
        if (waited >= END_LIMIT_MS) {
            uat_say("a process of the job does not end, not even by SIGKILL; ps shows it in state D");
            return;
        }
        if (waited >= END_TERM_MS && waited % (10 * END_STEP_MS) == 0)
            uat_descendants_kill(SIGKILL); /* repeatedly, because descendants may fork meanwhile */
        nanosleep(&step, NULL);
    }
}
