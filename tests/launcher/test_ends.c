/* SPDX-License-Identifier: MIT */
/*
 * Description: uatrun's jobs end as they should if workers fail in any way, if signals arrive, at the time limit, and
 * if uatrun is killed. Afterwards no process and no temporary file may be left.
 * argv: uatrun, the client of this folder.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host.h"
#include "tests/launcher/job.h"
#include "tests/test.h"

/* Rank 1 of four fails; the other ranks wait in a fence, or fail in the fence. */
JOB_TEST(failing_workers)
{
    static const struct {
        const char *mode;
        int status;
        const char *line;
    } cases[] = {
        {"exit", 7, "rank 1 exited with status 7, before uat_finalize()"},
        {"early", 1, "rank 1 exited with status 0, before uat_finalize()"},
        {"absent", 1, "rank 1 exited with status 0"},
        {"absent-3", 3, "rank 1 exited with status 3, before uat_init()"},
        {"late", 9, "rank 1 exited with status 9, after uat_finalize()"},
        {"segv", 128 + SIGSEGV, "rank 1 was killed by signal 11"},
        {"kill", 128 + SIGKILL, "rank 1 was killed by signal 9"},
        {"abort", 128 + SIGABRT, "rank 1 was killed by signal 6"},
        {"job-abort", 5, "rank 1 aborted the job with status 5: a uat worker reported an error"},
        {"stray", 7, "rank 1 exited with status 7"},
        {"crash", 7, "rank 1 exited with status 7"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        JOB_RUN("-n", "4", "CLIENT", cases[i].mode);
        assert_ends(cases[i].status, cases[i].line);
    }
}

JOB_TEST(stray_processes)
{
    JOB_RUN("-n", "2", "CLIENT", "leave");
    assert_good();
}

JOB_TEST(time_limit)
{
    JOB_RUN("-n", "2", "--timeout", "0.5", "CLIENT", "hang");
    assert_ends(124, "did not end within 0.5 s (--timeout)");
    JOB_RUN("-n", "2", "--timeout", "0.5", "CLIENT", "deaf");
    assert_ends(124, "did not end within 0.5 s (--timeout)");
    JOB_RUN("-n", "1", "--timeout", "0.5", "/bin/sleep", "1000");
    assert_ends(124, "did not end within 0.5 s (--timeout)");
}

/* Keep a processor busy for this long. */
static pid_t occupy(int cpu, unsigned seconds)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        _exit(1);
    alarm(seconds); /* ends it */
    for (;;)
        ;
}

/* A worker that gets no processor for some time must still get its time to finalize. */
JOB_TEST(starved_worker)
{
    pid_t busy[3];
    int cpu, status;
    job_start(-1, "-n", "1", "--timeout", "1.5", "CLIENT", "starve", NULL);
    run_wait_output(&run, "computes on ", 1);
    assert_int_equal(sscanf(run.out, "rank 0 computes on %d", &cpu), 1);
    for (int i = 0; i < 3; i++)
        busy[i] = occupy(cpu, 3);
    run_finish(&run);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(waitpid(busy[i], &status, 0), busy[i]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
    }
    assert_ends(124, "did not end within 1.5 s (--timeout)");
    assert_int_equal(run_count(run.out, "left in order"), 1);
}

JOB_TEST(signals_passed_on)
{
    const int signals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "got signal %d\n", signals[i]);
        job_start(-1, "-n", "2", "CLIENT", "signal", NULL);
        run_wait_output(&run, "is ready", 2);
        kill(run.pid, signals[i]);
        run_finish(&run);
        assert_good();
        assert_int_equal(run_count(run.out, text), 2);
    }
}

JOB_TEST(ended_by_signals)
{
    const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        job_start(-1, "-n", "2", "CLIENT", "hang", NULL);
        run_wait_output(&run, "is ready", 2);
        kill(run.pid, signals[i]);
        run_finish(&run);
        assert_ends(128 + signals[i], "the job was ended by signal");
    }
    /* Without a folder there is no checkpoint for which SIGTERM could be spared. */
    job_start(-1, "-n", "2", "--env", "UAT_CHECKPOINT=none,sigterm=leave", "CLIENT", "hang", NULL);
    run_wait_output(&run, "is ready", 2);
    kill(run.pid, SIGTERM);
    run_finish(&run);
    assert_ends(128 + SIGTERM, "the job was ended by signal");
}

/* The program itself may end with the status of a checkpoint on rank 0, and with 0 elsewhere. Nobody has left then. */
JOB_TEST(own_status_75)
{
    JOB_RUN("-n", "3", "CLIENT", "checkpoint-status");
    assert_int_equal(run.status, 75);
    assert_string_equal(run.err, "");
}

/* The state letter of a process; 0 if it has ended. */
static char process_state(pid_t pid)
{
    struct uat_process process;
    return uat_process_look(pid, &process) ? process.state : (char)0;
}

JOB_TEST(stop_and_continue)
{
    job_start(-1, "-n", "2", "CLIENT", "signal", NULL);
    run_wait_output(&run, "is ready", 2);
    kill(run.pid, SIGTSTP);
    for (int i = 0; i < 500 && process_state(run.pid) != 'T'; i++)
        usleep(10000);
    assert_int_equal(process_state(run.pid), 'T');
    kill(run.pid, SIGCONT);
    kill(run.pid, SIGUSR1);
    run_finish(&run);
    assert_good();
    assert_int_equal(run_count(run.out, "got signal"), 2);
}

/* The process below uatrun that runs the job; 0 if the kernel does not report it. */
static pid_t job_process(void)
{
    char path[64], text[64] = "";
    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)run.pid, (int)run.pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    char *got = fgets(text, sizeof(text), f);
    fclose(f);
    return got ? (pid_t)atoi(text) : 0;
}

JOB_TEST(killed_itself)
{
    const char *modes[] = {"hang", "deaf", "stray-hang"};
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        job_start(-1, "-n", "3", "CLIENT", modes[i], NULL);
        run_wait_output(&run, "is ready", 3);
        kill(run.pid, SIGKILL);
        run_finish(&run);
        assert_int_equal(run.status, 128 + SIGKILL);
    }
}

/* If the process that runs the job is killed, the guard ends all workers. If both are killed at once, the kernel ends
 * the workers. */
JOB_TEST(job_process_killed)
{
    job_start(-1, "-n", "2", "CLIENT", "stray-hang", NULL);
    run_wait_output(&run, "is ready", 2);
    pid_t job = job_process();
    if (job == 0) {
        print_message("skipped: the kernel does not list the children of a process in /proc\n");
        skip();
    }
    kill(job, SIGKILL);
    run_finish(&run);
    assert_ends(128 + SIGKILL, "the process that ran the job was killed");
    job_start(-1, "-n", "2", "CLIENT", "deaf", NULL);
    run_wait_output(&run, "is ready", 2);
    job = job_process();
    assert_true(job > 0);
    kill(run.pid, SIGSTOP); /* so that uatrun does not see the end of its job process */
    kill(job, SIGKILL);
    kill(run.pid, SIGKILL);
    run_finish(&run);
    assert_int_equal(run.status, 128 + SIGKILL);
}

int main(int argc, char **argv)
{
    if (!job_take_arguments(argc, argv))
        return 1;
    return tests_run();
}
