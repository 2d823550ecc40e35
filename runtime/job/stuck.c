/* SPDX-License-Identifier: MIT */
#include "runtime/job/stall.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/host.h"
#include "base/log.h"
#include "runtime/job/settings.h"

/* Read the system call in which the thread sleeps: its number, arguments and stack pointer. Returns false if it does
 * not sleep in a wait for a futex, or if this kernel does not tell. */
static bool read_futex(pid_t thread, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 && text[0] != 'r' && atol(text) == SYS_futex; /* "running" */
}

void uat_stuck_look(pid_t thread)
{
    static char last[256]; /* what the last look saw; "": no wait */
    static uint64_t last_ran;
    static bool reported;
    char now[sizeof(last)];
    bool waits = !reported && uat_stall_doing() == UAT_DOING_TASK && read_futex(thread, now, sizeof(now));
    uint64_t ran = uat_process_ran(thread); /* the wait is the same if the thread has not run meanwhile */
    if (!waits) {
        last[0] = '\0';
    } else if (strcmp(last, now) == 0 && last_ran == ran) {
        reported = true;
        uat_warn(
            "a task has waited %d s for a lock of the C library. A lock, the initialiser of a static local variable or "
            "call_once() that a task holds over a spawn or a join blocks other tasks forever: initialise before "
            "uat_run(), or use a mutex of uat/sync.h; gdb -p %d shows the place (UAT_STALL_TIMEOUT=%d)",
            uat_job_settings.stall_timeout, (int)getpid(), uat_job_settings.stall_timeout);
    } else {
        memcpy(last, now, sizeof(last));
        last_ran = ran;
    }
}
