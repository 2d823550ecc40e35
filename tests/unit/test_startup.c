/* SPDX-License-Identifier: MIT */
/*
 * Description: a start that fails at any step undoes the steps before it. No descriptor, mapping, thread or signal
 * handler is left. The same holds for a start that succeeds and is closed. The test runs in a single worker and in a
 * job of two workers. With sigterm=checkpoint, a worker survives a SIGTERM that it gets at the end of the start's
 * barrier: another worker may already run the program, and then a user may send signals.
 *
 * usage: test_startup [UATRUN]    all steps
 *        test_startup --step K    one step, in this process
 *        test_startup --term S    with UAT_CHECKPOINT=S, SIGTERM at the barrier's end, in this process
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/job/aslr.h"
#include "runtime/job/bootstrap.h"
#include "runtime/meeting.h"

enum {
    STEPS_MAX = 64,
    RIGHT = 42 /* status of a worker that found no fault; not 0, because uatrun refuses 0 before uat_init() */
};

struct state {
    int descriptors, threads, mappings;
    struct sigaction handler[4];
    stack_t stack;
};

static const int watched[] = {SIGUSR1, SIGTERM, SIGSEGV, SIGBUS};

static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int n = 0;
    while (dir && readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Mappings that neither malloc() nor the loader makes: memory objects, and mappings in the places of the segment and of
 * global memory. */
static int mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    int n = 0;
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long start = strtoul(line, NULL, 16);
        n += strstr(line, "memfd:") || (start >= 0x200000000000 && start < 0x500000000000) ||
             (start >= 0x7e0000000000 && start < 0x7f0000000000);
    }
    fclose(maps);
    return n;
}

static void look(struct state *s)
{
    memset(s, 0, sizeof(*s));
    s->descriptors = entries("/proc/self/fd");
    s->threads = entries("/proc/self/task");
    s->mappings = mappings();
    for (int i = 0; i < 4; i++)
        sigaction(watched[i], NULL, &s->handler[i]);
    sigaltstack(NULL, &s->stack);
}

/* Compare two states. Print a line for each difference, and return their number. */
static int compare(size_t step, const struct state *before, const struct state *after)
{
    int n = 0;
#define SAME(field)                                                                                                    \
    if (before->field != after->field) {                                                                               \
        n++;                                                                                                           \
        fprintf(stderr, "test_startup: step %zu (%s): " #field " %d before, %d after\n", step,                         \
                step < uat_startup_count ? uat_startup_steps[step].why : "none fails", (int)before->field,             \
                (int)after->field);                                                                                    \
    }
    SAME(descriptors)
    SAME(threads)
    SAME(mappings)
    SAME(stack.ss_flags)
#undef SAME
    for (int i = 0; i < 4; i++)
        if (before->handler[i].sa_handler != after->handler[i].sa_handler) {
            n++;
            fprintf(stderr, "test_startup: step %zu: the handler of signal %d stays\n", step, watched[i]);
        }
    return n;
}

static int fail(void)
{
    return -EIO;
}

/* Start, and make this step fail; uat_startup_count: no step fails. Return the number of faults. */
static int try_step(size_t step)
{
    struct uat_step steps[STEPS_MAX];
    struct state before, after;
    memcpy(steps, uat_startup_steps, uat_startup_count * sizeof(steps[0]));
    if (step < uat_startup_count)
        steps[step].open = fail;
    look(&before);
    struct uat_steps_time time = {0};
    int rc = uat_steps_open(steps, uat_startup_count, NULL, &time), wanted = step < uat_startup_count ? -EIO : 0;
    if (!rc)
        uat_steps_close(steps, uat_startup_count);
    look(&after);
    bool right = rc == wanted || (wanted && rc < 0 && getenv("UATRUN_RANK")); /* or the start failed because the other
                                                                             * worker had ended */
    if (!right)
        fprintf(stderr, "test_startup: step %zu: the start returned %d, not %d\n", step, rc, wanted);
    return !right + compare(step, &before, &after);
}

static int term_after_barrier(void)
{
    int rc = uat_bootstrap_barrier();
    raise(SIGTERM);
    return rc;
}

/* Start with sigterm=checkpoint, and get a SIGTERM as soon as the barrier is over. */
static int try_term(const char *setting)
{
    struct uat_step steps[STEPS_MAX];
    struct uat_steps_time time = {0};
    int replaced = 0;
    memcpy(steps, uat_startup_steps, uat_startup_count * sizeof(steps[0]));
    for (size_t i = 0; i < uat_startup_count; i++)
        if (steps[i].open == uat_bootstrap_barrier) {
            steps[i].open = term_after_barrier;
            replaced++;
        }
    if (replaced != 1)
        return 1;
    setenv("UAT_CHECKPOINT", setting, 1);
    int rc = uat_steps_open(steps, uat_startup_count, NULL, &time);
    if (!rc)
        uat_steps_close(steps, uat_startup_count);
    return rc;
}

/* Run a command. Return whether it failed. */
static bool run(char *const *command)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        execv(command[0], command);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != RIGHT;
}

/* Run this program with --term and with its own folder for checkpoints. Return whether it failed. */
static bool run_term(char *program)
{
    const char *place = getenv("TMPDIR");
    char folder[256], setting[300], lock[300], option[] = "--term";
    snprintf(folder, sizeof(folder), "%s/test_startup-XXXXXX", place ? place : "/tmp");
    if (!mkdtemp(folder))
        return true;
    snprintf(setting, sizeof(setting), "%s,sigterm=checkpoint", folder);
    snprintf(lock, sizeof(lock), "%s/lock", folder);
    bool failed = run((char *[]){program, option, setting, NULL});
    unlink(lock);
    return rmdir(folder) || failed;
}

int main(int argc, char **argv)
{
    uat_aslr_off(); /* may execute this program a second time, so call it before anything is counted */
    if (argc == 3 && strcmp(argv[1], "--step") == 0)
        return try_step(strtoul(argv[2], NULL, 10)) ? 1 : RIGHT;
    if (argc == 3 && strcmp(argv[1], "--term") == 0)
        return try_term(argv[2]) ? 1 : RIGHT;
    int wrong = uat_startup_count > STEPS_MAX;
    char two[] = "2", workers[] = "-n", option[] = "--step";
    if (run_term(argv[0])) {
        fprintf(stderr, "test_startup: a SIGTERM after the barrier has ended the worker\n");
        wrong++;
    }
    for (size_t step = 0; step <= uat_startup_count; step++) {
        char number[24];
        snprintf(number, sizeof(number), "%zu", step);
        wrong += run((char *[]){argv[0], option, number, NULL});
        if (argc == 2)
            wrong += run((char *[]){argv[1], workers, two, argv[0], option, number, NULL});
    }
    return wrong > 0;
}
