/* SPDX-License-Identifier: MIT */
/*
 * Description: uatrun from outside: good jobs, bad command lines, workers that fail in every way, signals, time limit,
 * and that nothing is left afterwards. argv: uatrun, the client of this folder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/launcher/run.h"

enum { ARGUMENTS_MAX = 16 };

static char *uatrun, *client;
static struct run run;

/* Start uatrun with arguments up to NULL; "CLIENT" stands for the client's path. */
static void start(int input, const char *first, ...)
{
    char *argv[ARGUMENTS_MAX + 2] = {uatrun};
    int n = 1;
    va_list args;
    va_start(args, first);
    for (const char *word = first; word && n < ARGUMENTS_MAX; word = va_arg(args, const char *))
        argv[n++] = strcmp(word, "CLIENT") == 0 ? client : (char *)word;
    va_end(args);
    run_start(&run, argv, input);
}

#define RUN(...)                                                                                                       \
    do {                                                                                                               \
        start(-1, __VA_ARGS__, NULL);                                                                                  \
        run_finish(&run);                                                                                              \
    } while (0)

/* The status, and exactly one line of uatrun's, which holds `what`. */
static void assert_ends(int status, const char *what)
{
    if (run.status != status || run_count(run.err, "uatrun: ") != 1 || !strstr(run.err, what))
        fail_msg("expected status %d and '%s', got status %d and '%s'", status, what, run.status, run.err);
}

static void assert_good(void)
{
    if (run.status != 0 || run.err[0])
        fail_msg("status %d, stderr '%s'", run.status, run.err);
}

static int allowed_cores(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return CPU_COUNT(&set);
}

static void test_good_jobs(void **state)
{
    (void)state;
    const char *sizes[] = {"1", "2", "3", "4", "9"};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        RUN("-n", sizes[i], "CLIENT", "ok");
        assert_good();
    }
    RUN("--np=2", "--bind", "none", "--timeout", "600", "--", "CLIENT", "ok");
    assert_good();
}

static void test_default_workers(void **state)
{
    (void)state;
    RUN("CLIENT", "cores");
    assert_good();
    assert_int_equal(run_count(run.out, "may use"), allowed_cores() < 1024 ? allowed_cores() : 1024);
}

static void test_binding(void **state)
{
    (void)state;
    int cores = allowed_cores();
    RUN("-n", "4", "CLIENT", "cores");
    assert_good();
    assert_int_equal(run_count(run.out, "may use 1 cores"), 4);
    for (int core = 0, used = 0, most = (4 + cores - 1) / cores; core < 1024; core++) {
        char text[32];
        snprintf(text, sizeof(text), "has core %d\n", core);
        int here = run_count(run.out, text);
        used += here;
        assert_true(here <= most); /* round robin */
        assert_true(core < 1023 || used == 4);
    }
    char text[64];
    snprintf(text, sizeof(text), "may use %d cores", cores);
    RUN("-n", "4", "--bind", "none", "CLIENT", "cores");
    assert_good();
    assert_int_equal(run_count(run.out, text), 4);
}

static void test_clean_state(void **state)
{
    (void)state;
    setenv("PMIX_RANK", "77", 1); /* as if uatrun ran in another launcher's job */
    setenv("PMIX_NAMESPACE", "other", 1);
    setenv("PMIX_SERVER_URI41", "other.0;tcp4://127.0.0.1:1", 1);
    RUN("-n", "2", "--env", "TEST_VALUE=x", "--env", "TEST_VALUE=a=b c", "CLIENT", "state");
    unsetenv("PMIX_RANK");
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMIX_SERVER_URI41");
    assert_good();
    assert_int_equal(run_count(run.out, "blocks 0 signals"), 2);
    assert_int_equal(run_count(run.out, "has 0 other dispositions"), 2);
    assert_int_equal(run_count(run.out, "has 0 more files"), 2);
    assert_int_equal(run_count(run.out, "has the value"), 2);
}

static void test_input(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "hello, rank 0", 13), 13);
    close(ends[1]);
    start(ends[0], "-n", "3", "CLIENT", "input", NULL);
    close(ends[0]);
    run_finish(&run);
    assert_good();
    assert_int_equal(run_count(run.out, "rank 0 read 13 bytes"), 1);
    assert_int_equal(run_count(run.out, "read 0 bytes"), 2);
}

static void test_information(void **state)
{
    (void)state;
    RUN("--help");
    assert_good();
    assert_non_null(strstr(run.out, "Usage: uatrun"));
    assert_non_null(strstr(run.out, "UAT_STACK_SIZE"));
    RUN("--version");
    assert_good();
    assert_int_equal(strncmp(run.out, "uatrun 0.", 9), 0);
}

static void test_bad_command_lines(void **state)
{
    (void)state;
    RUN("--nonsense", "CLIENT");
    assert_ends(2, "--nonsense");
    RUN("-z", "CLIENT");
    assert_ends(2, "-z");
    const char *numbers[] = {"0", "-1", "x", "2x", "", "1025", "1000000000", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        RUN("-n", numbers[i], "CLIENT");
        assert_ends(2, "from 1 to 1024");
    }
    RUN("-n");
    assert_ends(2, "needs a value");
    RUN("-n", "2");
    assert_ends(2, "which program?");
    RUN("--bind", "socket", "CLIENT");
    assert_ends(2, "must be core or none");
    const char *times[] = {"0", "-3", "soon", "nan", "inf", "1s"};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        RUN("--timeout", times[i], "CLIENT");
        assert_ends(2, "--timeout");
    }
    RUN("--env", "NAME", "CLIENT");
    assert_ends(2, "NAME=VALUE");
    RUN("--env", "=VALUE", "CLIENT");
    assert_ends(2, "NAME=VALUE");
}

static void test_bad_settings(void **state)
{
    (void)state;
    RUN("--env", "UAT_STAKSIZE=1M", "CLIENT", "hang");
    assert_ends(2, "did you mean UAT_STACK_SIZE?");
    RUN("--env", "UAT_PEEK=7", "CLIENT", "hang");
    assert_ends(2, "UAT_PEEK=7: must be");
    setenv("UAT_TRANSPROT", "shm", 1);
    RUN("CLIENT", "hang");
    unsetenv("UAT_TRANSPROT");
    assert_ends(2, "did you mean UAT_TRANSPORT?");
    RUN("-n", "2", "--env", "UAT_LOG=info", "CLIENT", "ok");
    assert_good();
}

static void test_bad_programs(void **state)
{
    (void)state;
    RUN("./no-such-program");
    assert_ends(127, "no such program");
    RUN("no-such-program");
    assert_ends(127, "no such program in PATH");
    RUN("/");
    assert_ends(126, "directory");
    char path[256];
    snprintf(path, sizeof(path), "%s/garbage", run_directory());
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "\177garbage\n", 9), 9);
    close(fd);
    RUN(path);
    assert_ends(126, "ermission denied");
    assert_int_equal(chmod(path, 0700), 0);
    RUN("-n", "2", path);
    assert_ends(126, "cannot be executed");
}

static void test_no_uat_program(void **state)
{
    (void)state;
    RUN("-n", "2", "/bin/true");
    assert_ends(1, "/bin/true is not a uat program");
    RUN("-n", "2", "/bin/false");
    assert_ends(1, "exited with status 1, before uat_init()");
}

/* Rank 1 of four fails; the others are in a fence, or fail in it. */
static void test_failing_workers(void **state)
{
    (void)state;
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
        {"pmix-abort", 5, "rank 1 aborted the job with status 5: no luck"},
        {"stray", 7, "rank 1 exited with status 7"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        RUN("-n", "4", "CLIENT", cases[i].mode);
        assert_ends(cases[i].status, cases[i].line);
    }
}

static void test_stray_processes(void **state)
{
    (void)state;
    RUN("-n", "2", "CLIENT", "leave");
    assert_good();
}

static void test_time_limit(void **state)
{
    (void)state;
    RUN("-n", "2", "--timeout", "0.5", "CLIENT", "hang");
    assert_ends(124, "did not end within 0.5 s (--timeout)");
    RUN("-n", "2", "--timeout", "0.5", "CLIENT", "deaf");
    assert_ends(124, "did not end within 0.5 s (--timeout)");
    RUN("-n", "1", "--timeout", "0.5", "/bin/sleep", "1000");
    assert_ends(124, "did not end within 0.5 s (--timeout)");
}

static void test_signals_passed_on(void **state)
{
    (void)state;
    const int signals[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "got signal %d\n", signals[i]);
        start(-1, "-n", "2", "CLIENT", "signal", NULL);
        run_wait_output(&run, "is ready", 2);
        kill(run.pid, signals[i]);
        run_finish(&run);
        assert_good();
        assert_int_equal(run_count(run.out, text), 2);
    }
}

static void test_ended_by_signals(void **state)
{
    (void)state;
    const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        start(-1, "-n", "2", "CLIENT", "hang", NULL);
        run_wait_output(&run, "is ready", 2);
        kill(run.pid, signals[i]);
        run_finish(&run);
        assert_ends(128 + signals[i], "the job was ended by signal");
    }
}

/* The state letter of a process; 0 if it has gone. */
static char process_state(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    char *got = fgets(text, sizeof(text), f);
    fclose(f);
    char *end = got ? strrchr(text, ')') : NULL;
    return end ? end[2] : (char)0;
}

static void test_stop_and_continue(void **state)
{
    (void)state;
    start(-1, "-n", "2", "CLIENT", "signal", NULL);
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

/* The process below uatrun that runs the job; 0 if the kernel does not tell. */
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

static void test_killed_itself(void **state)
{
    (void)state;
    const char *modes[] = {"hang", "deaf", "stray-hang"};
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        start(-1, "-n", "3", "CLIENT", modes[i], NULL);
        run_wait_output(&run, "is ready", 3);
        kill(run.pid, SIGKILL);
        run_finish(&run);
        assert_int_equal(run.status, 128 + SIGKILL);
    }
}

/* The process that runs the job is killed: the one above ends all. Both are killed at once: the kernel ends the
 * workers. */
static void test_job_process_killed(void **state)
{
    (void)state;
    start(-1, "-n", "2", "CLIENT", "stray-hang", NULL);
    run_wait_output(&run, "is ready", 2);
    pid_t job = job_process();
    if (job == 0) {
        print_message("skipped: the kernel does not list the children of a process in /proc\n");
        skip();
    }
    kill(job, SIGKILL);
    run_finish(&run);
    assert_ends(128 + SIGKILL, "the process that ran the job was killed");
    start(-1, "-n", "2", "CLIENT", "deaf", NULL);
    run_wait_output(&run, "is ready", 2);
    job = job_process();
    assert_true(job > 0);
    kill(run.pid, SIGSTOP); /* so that it does not see the other one's end */
    kill(job, SIGKILL);
    kill(run.pid, SIGKILL);
    run_finish(&run);
    assert_int_equal(run.status, 128 + SIGKILL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, run_setup, run_teardown)

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s UATRUN CLIENT\n", argv[0]);
        return 1;
    }
    uatrun = argv[1];
    client = argv[2];
    const struct CMUnitTest tests[] = {
        TEST(test_good_jobs),
        TEST(test_default_workers),
        TEST(test_binding),
        TEST(test_clean_state),
        TEST(test_input),
        TEST(test_information),
        TEST(test_bad_command_lines),
        TEST(test_bad_settings),
        TEST(test_bad_programs),
        TEST(test_no_uat_program),
        TEST(test_failing_workers),
        TEST(test_stray_processes),
        TEST(test_time_limit),
        TEST(test_signals_passed_on),
        TEST(test_ended_by_signals),
        TEST(test_stop_and_continue),
        TEST(test_killed_itself),
        TEST(test_job_process_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
