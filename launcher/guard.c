/* SPDX-License-Identifier: MIT */
#include "launcher/launcher.h"

#include "include/uat/checkpoint.h"
#include "launcher/control.h"
#include "launcher/live.h"
#include "launcher/recovery.h"
#include "launcher/signals.h"
#include "runtime/checkpoint/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_VERDICT = -1 };

static struct {
    bool to_end; /* a signal has asked the job to end: do not start it again */
    bool termed; /* a first SIGTERM has arrived: it asks for a checkpoint; the next one asks the job to end */
    int asked;   /* SIGUSR2 after a signal that asks for a checkpoint and then the end, or 0; a restarted job gets this
                  * signal, too */
} told;

/* The request of another uatrun that the job shall change its size: see control.h. */
static struct {
    int control;      /* descriptor of uat_control_open(), or below 0 */
    bool is_possible; /* the job can write checkpoints */
    int connection;   /* to the sender of the pending request */
    int workers;      /* the wanted number; 0: no request is pending */
} resize = {.control = -1};

/* Answer the pending request, if there is one. */
static void answer(int status, const char *line)
{
    if (resize.workers > 0)
        uat_control_answer(resize.connection, status, line);
    resize.workers = 0;
}

/* Has the sender of the pending request given up? Then another request may take its place. */
static bool is_given_up(void)
{
    char byte;
    if (resize.workers == 0 || recv(resize.connection, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
        return false;
    close(resize.connection);
    return true;
}

/* Take the request of the sender at `connection` to change the size of the job, which has `now` workers. The job is
 * asked for a checkpoint and its end, as by SIGUSR2. */
static void take_resize(int connection, int workers, pid_t job, int now)
{
    if (workers < 1 || workers > UAT_WORKERS_MAX) {
        uat_control_answer(connection, UAT_STATUS_FAILED, "the number of workers is out of range");
    } else if (!resize.is_possible) {
        uat_control_answer(
            connection, UAT_STATUS_FAILED,
            "the job cannot write checkpoints; start it with --resizable, or with UAT_CHECKPOINT=FOLDER");
    } else if ((resize.workers > 0 || told.to_end || told.asked) && !is_given_up()) {
        uat_control_answer(connection, UAT_STATUS_FAILED, "the job already has a request to change its size or to end");
    } else if (resize.workers == 0 && workers == now) {
        uat_control_answer(connection, 0, "the job already has this number of workers");
    } else {
        resize.connection = connection;
        resize.workers = workers;
        /* After a request that was given up, this asks once more, because its checkpoint may have been dropped. */
        kill(job, SIGUSR2);
    }
}

static void take_request(pid_t job, int now)
{
    struct uat_wish wish;
    int connection = uat_control_take(resize.control, &wish);
    if (connection < 0)
        return;
    if (wish.kind == UAT_WISH_RESTART)
        take_resize(connection, wish.workers, job, now);
    else
        uat_live_ask(connection, wish.kind == UAT_WISH_LIMIT ? wish.workers : 0, now);
}

/* Note a signal. Returns the signal to pass on. */
static int note(int signal)
{
    bool leave = uat_checkpoint_settings.sigterm == UAT_SIGTERM_LEAVE;
    bool spares = uat_checkpoint_settings.sigterm != UAT_SIGTERM_END && uat_checkpoint_settings.folder[0] &&
                  (!leave || sigismember(uat_signals_set(), SIGUSR2)); /* if it is ignored, no worker would hear it */
    bool spared = signal == SIGTERM && spares && !told.termed;
    told.termed |= spared;
    if (signal == SIGUSR2 || spared)
        told.asked = SIGUSR2;
    else if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT)
        told.to_end = true;
    /* With sigterm=leave, SIGTERM would ask each worker to leave. */
    return spared && leave ? SIGUSR2 : signal;
}

/* Pass one signal on. If it is the end of the job's process, sets *status as waitpid() does, and returns true. */
static bool take_signal(const struct signalfd_siginfo *info, pid_t job, int *status)
{
    int signal = (int)info->ssi_signo;
    if (signal == SIGCHLD) {
        pid_t pid;
        while ((pid = waitpid(-1, status, WNOHANG)) > 0)
            if (pid == job)
                return true;
        return false;
    }
    int passed_on = note(signal);
    if (told.to_end || told.asked)
        answer(UAT_STATUS_FAILED, "a signal has asked the job to end");
    if (uat_signals_to_forward(info->ssi_code))
        kill(job, passed_on);
    if (signal == SIGTSTP)
        raise(SIGSTOP);
    return false;
}

/* Pass signals on and take requests until the job's process has ended. Returns the status of this process as from
 * waitpid(). */
static int watch(pid_t job, int signals, int workers)
{
    struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                           {.fd = resize.control, .events = POLLIN},
                           {.fd = uat_live_replies(), .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo info;
        int status;
        while (read(signals, &info, sizeof(info)) == sizeof(info))
            if (take_signal(&info, job, &status))
                return status;
        poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
        if (fds[1].revents)
            take_request(job, workers);
        if (fds[2].revents)
            uat_live_hear();
    }
}

/* Shared memory for the job's verdict. The job's process stores the verdict before it ends the workers. If it is killed
 * meanwhile, the stored verdict stays valid. */
static struct uat_verdict *make_verdict(void)
{
    void *p = mmap(NULL, sizeof(struct uat_verdict), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Called if the job's process was killed. Returns uatrun's status. If the job was not over, sets *lost to -1. */
static int killed(int signal, const struct uat_verdict *verdict, int *lost)
{
    if (verdict->status == NO_VERDICT) {
        uat_say("the process that ran the job was killed by signal %d (%s); all workers were ended", signal,
                strsignal(signal));
        *lost = -1;
    }
    uat_descendants_end();
    return verdict->status == NO_VERDICT ? 128 + signal : verdict->status;
}

/* Start the job's process, and wait for its end. Returns uatrun's status. *lost: the number of lost workers; 0: the job
 * is over; -1: the job's process was lost. *left: the number of workers that have left. */
static int run(const struct uat_arguments *arguments, struct uat_verdict *verdict, int *lost, int *left)
{
    int life[2]; /* when the guard ends, the job's process reads the end of this pipe */
    int signals = signalfd(-1, uat_signals_set(), SFD_CLOEXEC | SFD_NONBLOCK);
    pid_t job = -1, guard = getpid();
    *lost = *left = 0;
    if (verdict && signals >= 0 && pipe2(life, O_CLOEXEC) == 0) {
        *verdict = (struct uat_verdict){.status = NO_VERDICT};
        job = fork();
    }
    if (job < 0) {
        uat_say("cannot start: %s", strerror(errno));
        return UAT_STATUS_FAILED;
    }
    if (job == 0) {
        close(life[1]);
        int status = uat_job_run(arguments, life[0], verdict);
        if (getppid() != guard) /* the guard was killed, and cannot do this any more */
            uat_scratch_remove();
        _exit(status); /* without the guard's buffers and exit handlers */
    }
    close(life[0]);
    uat_live_again();
    if (told.asked || resize.workers > 0)
        kill(job, SIGUSR2);
    int status = watch(job, signals, arguments->workers);
    close(life[1]);
    close(signals);
    *lost = verdict->lost;
    *left = verdict->left;
    return WIFEXITED(status) ? WEXITSTATUS(status) : killed(WTERMSIG(status), verdict, lost);
}

/* Listen for requests, and let a job with --resizable write checkpoints. Returns false after reporting an error. */
static bool open_control(struct uat_arguments *arguments)
{
    bool asks = sigismember(uat_signals_set(), SIGUSR2); /* else it is ignored; the workers inherit this */
    if (arguments->resizable && !asks) {
        uat_say("--resizable: SIGUSR2 is ignored here (trap), so the job cannot be asked for a checkpoint");
        return false;
    }
    if (arguments->resizable && !uat_checkpoint_settings.folder[0]) {
        const char *folder = uat_scratch_make();
        if (!folder)
            return false;
        snprintf(uat_checkpoint_settings.folder, sizeof(uat_checkpoint_settings.folder), "%s", folder);
        uat_checkpoint_settings.keep = 1;
        uat_arguments_pass_checkpoint(arguments);
    }
    if (arguments->simulated > 0 || arguments->doctor)
        return true;
    resize.is_possible = asks && uat_checkpoint_settings.folder[0];
    resize.control = uat_control_open();
    if (resize.control >= 0)
        uat_live_open(arguments);
    if (resize.control >= 0 || !arguments->resizable)
        return true;
    uat_say("--resizable: cannot listen for requests: %s", strerror(-resize.control));
    uat_scratch_remove();
    return false;
}

/* Remove the checkpoints in memory. Returns uatrun's status: UAT_CHECKPOINT_STATUS would promise a checkpoint from
 * which a later job can go on. */
static int end_scratch(int status)
{
    if (!uat_scratch_remove() || status != UAT_CHECKPOINT_STATUS)
        return status;
    uat_say("--resizable: the checkpoint was in memory, and is gone with the job; UAT_CHECKPOINT=FOLDER would keep it");
    return UAT_STATUS_FAILED;
}

/* The job has ended with `status`, perhaps after a request to change its size, which is answered, or because `left`
 * workers have left. Returns whether the job must start again. */
static bool start_resized(struct uat_recovery *recovery, int status, int left)
{
    char line[128];
    int workers = resize.workers;
    if (workers == 0 && left > 0 && !told.asked && !told.to_end)
        return uat_recovery_resize(recovery, recovery->arguments.workers - left);
    if (workers > 0 && status == UAT_CHECKPOINT_STATUS && uat_recovery_resize(recovery, workers)) {
        snprintf(line, sizeof(line), "the job goes on with %d worker%s", workers, workers == 1 ? "" : "s");
        answer(0, line);
        return true;
    }
    snprintf(line, sizeof(line), "the job ended with status %d before it could change its size", status);
    answer(UAT_STATUS_FAILED, line);
    return false;
}

int uat_guard_run(struct uat_arguments *arguments)
{
    struct uat_verdict *verdict = make_verdict();
    struct uat_recovery recovery;
    int status, lost, left;
    uat_descendants_adopt();
    if (!open_control(arguments))
        return UAT_STATUS_FAILED;
    uat_recovery_begin(&recovery, arguments);
    do
        status = run(&recovery.arguments, verdict, &lost, &left);
    while (lost ? !told.to_end && uat_recovery_next(&recovery, lost) : start_resized(&recovery, status, left));
    if (lost)
        start_resized(&recovery, status, 0);
    uat_live_end();
    return end_scratch(status);
}
