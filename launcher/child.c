/* SPDX-License-Identifier: MIT */
/*
 * A worker starts by vfork(): it runs in uatrun's memory, and uatrun's thread waits, until it has executed the program.
 * fork() would copy the page tables of uatrun for each worker, and both processes would fault on the pages that they
 * write. So before exec the worker changes no variable that uatrun reads afterwards: only errno, and the scratch space
 * `core_mask`. It makes only async-signal-safe calls. No handler of a signal runs in it, because uatrun has none. If
 * the exec fails, the worker reports the reason through a pipe. A successful exec closes the pipe.
 */
#include "launcher/child.h"

#include "launcher/arguments.h"
#include "launcher/launcher.h"
#include "launcher/signals.h"
#include "runtime/checkpoint/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    FILES_SPARE = 64, /* descriptors of uatrun that do not belong to a worker */
    FILES_LEAST = 16  /* the minimum that uatrun needs to start */
};

enum step { STEP_BIND, STEP_INPUT, STEP_OUTPUT, STEP_EXECUTE };

struct failure {
    enum step step;
    int error;
};

static struct rlimit original_files;

int uat_child_raise_files(int n, int more)
{
    struct rlimit limit;
    rlim_t needed = (rlim_t)n * (rlim_t)more + FILES_SPARE, least = (rlim_t)n * (rlim_t)more + FILES_LEAST;
    if (getrlimit(RLIMIT_NOFILE, &original_files) < 0 || original_files.rlim_cur >= needed)
        return 0;
    limit = original_files;
    if (limit.rlim_max < least) {
        uat_say("only %llu files may be open at once (ulimit -n), but %d workers need %llu; raise the limit",
                (unsigned long long)limit.rlim_max, n, (unsigned long long)least);
        return -EMFILE;
    }
    limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
    setrlimit(RLIMIT_NOFILE, &limit);
    return 0;
}

/* Turn address-space randomisation off for what this process executes, so that a worker need not execute itself a
 * second time. If the kernel forbids it, the worker says so. */
static void turn_randomisation_off(void)
{
    int persona = personality(0xffffffffUL); /* only asks */
    if (persona >= 0)
        personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
}

static int open_null_input(void)
{
    int fd = open("/dev/null", O_RDONLY);
    if (fd < 0 || (fd != STDIN_FILENO && dup2(fd, STDIN_FILENO) < 0))
        return -errno;
    if (fd != STDIN_FILENO)
        close(fd);
    return 0;
}

/* Make the new process a worker: prepare the process as the plan says, and execute the plan's program. Returns only on
 * failure. Not inline: the worker must not write to the frame of uat_child_start(), which uatrun goes on to use. */
static __attribute__((noinline)) struct failure become_worker(const struct uat_child_plan *plan, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent died before prctl(), so no signal of its death will arrive */
        _exit(UAT_STATUS_FAILED);
    int rc = plan->core >= 0 ? uat_cpus_bind(plan->core_mask, plan->core) : 0;
    if (rc < 0)
        return (struct failure){STEP_BIND, -rc};
    rc = plan->null_input ? open_null_input() : 0;
    if (rc < 0)
        return (struct failure){STEP_INPUT, -rc};
    if ((plan->output >= 0 && dup2(plan->output, STDOUT_FILENO) < 0) ||
        (plan->error >= 0 && dup2(plan->error, STDERR_FILENO) < 0))
        return (struct failure){STEP_OUTPUT, errno};
    for (size_t i = 0; i < sizeof(plan->inherited) / sizeof(plan->inherited[0]); i++)
        if (plan->inherited[i] >= 0) /* of this process only: a vfork() copies the table of descriptors */
            fcntl(plan->inherited[i], F_SETFD, 0);
    if (original_files.rlim_cur > 0)
        setrlimit(RLIMIT_NOFILE, &original_files);
    turn_randomisation_off();
    uat_signals_restore();
    if (uat_checkpoint_settings.folder[0])
        uat_signals_hold(SIGUSR2); /* a SIGUSR2 before uat_init() stays pending until the library catches it */
    execve(plan->path, plan->argv, plan->env);
    return (struct failure){STEP_EXECUTE, errno};
}

static int say_failure(const struct uat_child *child, const struct uat_child_plan *plan, struct failure failure,
                       int *exit_status)
{
    const char *reason = strerror(failure.error);
    *exit_status = UAT_STATUS_FAILED;
    switch (failure.step) {
    case STEP_BIND:
        uat_say("cannot bind rank %d to core %d: %s (--bind none avoids this)", child->rank, plan->core, reason);
        break;
    case STEP_INPUT:
        uat_say("cannot give rank %d its input, /dev/null: %s", child->rank, reason);
        break;
    case STEP_OUTPUT:
        uat_say("cannot give rank %d its output: %s", child->rank, reason);
        break;
    case STEP_EXECUTE:
        *exit_status = UAT_STATUS_CANNOT_RUN;
        uat_say("%s: cannot be executed: %s", plan->path, reason);
        break;
    }
    return -failure.error;
}

int uat_child_start(struct uat_child *child, const struct uat_child_plan *plan, int *exit_status)
{
    int report[2];
    pid_t parent = getpid(), pid = -1;
    if (pipe2(report, O_CLOEXEC) == 0)
        pid = vfork(); /* see the beginning of this file */
    if (pid < 0) {
        int error = errno;
        uat_say("cannot start rank %d: %s (ulimit -u and -n bound the number of workers)", child->rank,
                strerror(error));
        *exit_status = UAT_STATUS_FAILED;
        return -error;
    }
    if (pid == 0) {
        struct failure failure = become_worker(plan, parent);
        ssize_t ignored = write(report[1], &failure, sizeof(failure));
        (void)ignored;
        _exit(UAT_STATUS_CANNOT_RUN);
    }
    child->pid = pid;
    close(report[1]);
    struct failure failure;
    ssize_t n;
    do
        n = read(report[0], &failure, sizeof(failure));
    while (n < 0 && errno == EINTR);
    close(report[0]);
    return n == sizeof(failure) ? say_failure(child, plan, failure, exit_status) : 0;
}
