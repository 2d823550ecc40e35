/* SPDX-License-Identifier: MIT */
#include "runtime/job/aslr.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/job/bootstrap.h"

#define ASK  0xffffffffUL      /* makes personality(2) change nothing */
#define MARK "UATRUN_EXECUTED" /* the pid of the process that is executing its program a second time */

static bool executed; /* this is the second execution */

bool uat_aslr_is_off(void)
{
    int persona = personality(ASK);
    return persona >= 0 && (persona & ADDR_NO_RANDOMIZE) != 0;
}

bool uat_aslr_matters(void)
{
    const char *checkpoints = getenv("UAT_CHECKPOINT");
    return uat_launched() != UAT_LAUNCHED_ALONE || (checkpoints && *checkpoints);
}

/* The arguments that this program was started with, from /proc: uat_init() does not get them. */
static char **read_arguments(void)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    size_t size = 0, capacity = 4096;
    char *text = malloc(capacity);
    ssize_t n = 0;
    while (text && (n = read(fd, text + size, capacity - size)) > 0) {
        size += (size_t)n;
        if (size == capacity)
            text = realloc(text, capacity *= 2);
    }
    close(fd);
    if (!text || n < 0 || size == 0)
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == 0;
    char **arguments = calloc(count + 1, sizeof(*arguments));
    for (size_t i = 0; arguments && i < count; i++) {
        arguments[i] = text;
        text += strlen(text) + 1;
    }
    return arguments;
}

/* Stop this process's interval timers, which would outlive the handlers of their signals, or start them again. */
static void stop_timers(struct itimerval old[3])
{
    const struct itimerval none = {{0, 0}, {0, 0}};
    for (int i = 0; i < 3; i++)
        setitimer((__itimer_which_t)i, &none, &old[i]);
}

static void restart_timers(const struct itimerval old[3])
{
    for (int i = 0; i < 3; i++)
        setitimer((__itimer_which_t)i, &old[i], NULL);
}

/* Execute the program a second time. Returns if that fails. */
static void execute(void)
{
    struct itimerval timers[3];
    char pid[16];
    char **arguments = read_arguments();
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    if (!arguments || setenv(MARK, pid, 1))
        return;
    fflush(NULL);
    uat_library_path_set();
    stop_timers(timers);
    execv("/proc/self/exe", arguments);
    restart_timers(timers);
    uat_library_path_restore();
    unsetenv(MARK);
}

/* Execute the program without randomisation if that is possible and has not been done. Returns true if it should have
 * been possible. */
static bool try_execute(void)
{
    /* AT_SECURE: exec clears the flag in a set-user-id program. */
    int persona = personality(ASK);
    if (persona < 0 || (persona & ADDR_NO_RANDOMIZE) || getauxval(AT_SECURE))
        return false;
    if (executed || personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0)
        return executed;
    bool off = uat_aslr_is_off();
    if (off)
        execute();
    personality((unsigned long)persona);
    return off;
}

void uat_aslr_off(void)
{
    if (try_execute())
        uat_warn("address-space randomisation is on: %s",
                 executed ? "the program has executed itself without it, and a preloaded library or a security module "
                            "has turned it on again"
                          : "the program could not be executed again");
}

/* Runs before main(). The mark is valid only in the process that set it: a process that was started between the two
 * executions may have inherited it. */
__attribute__((constructor(101))) static void start(void)
{
    const char *mark = getenv(MARK);
    executed = mark && strtol(mark, NULL, 10) == getpid();
    unsetenv(MARK);
    uat_library_path_restore();
    if (uat_aslr_matters() && uat_linked())
        try_execute();
}
