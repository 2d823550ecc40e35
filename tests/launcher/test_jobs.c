/* SPDX-License-Identifier: MIT */
/*
 * Description: uatrun runs good jobs, and refuses bad command lines, settings and programs. Afterwards no process and
 * no temporary file may be left.
 * argv: uatrun, the client of this folder.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/launcher/job.h"
#include "tests/test.h"

static int allowed_cores(void)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return CPU_COUNT(&set);
}

JOB_TEST(good_jobs)
{
    const char *sizes[] = {"1", "2", "3", "4", "9"};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        JOB_RUN("-n", sizes[i], "CLIENT", "ok");
        assert_good();
    }
    JOB_RUN("--np=2", "--bind", "none", "--timeout", "600", "--", "CLIENT", "ok");
    assert_good();
}

JOB_TEST(default_workers)
{
    JOB_RUN("CLIENT", "cores");
    assert_good();
    assert_int_equal(run_count(run.out, "may use"), allowed_cores() < 1024 ? allowed_cores() : 1024);
}

JOB_TEST(binding)
{
    int cores = allowed_cores();
    JOB_RUN("-n", "4", "CLIENT", "cores");
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
    JOB_RUN("-n", "4", "--bind", "none", "CLIENT", "cores");
    assert_good();
    assert_int_equal(run_count(run.out, text), 4);
    JOB_RUN("-n", "1", "CLIENT", "cores"); /* several such jobs would choose the same core */
    assert_good();
    assert_int_equal(run_count(run.out, text), 1);
    JOB_RUN("-n", "1", "--bind", "core", "CLIENT", "cores");
    assert_good();
    assert_int_equal(run_count(run.out, "may use 1 cores"), 1);
}

JOB_TEST(clean_state)
{
    setenv("PMIX_RANK", "77", 1); /* as if uatrun ran in another launcher's job */
    setenv("PMIX_NAMESPACE", "other", 1);
    setenv("UATRUN_RANK", "77", 1);
    setenv("UATRUN_MEETING", "1:3:other", 1);
    JOB_RUN("-n", "2", "--env", "TEST_VALUE=x", "--env", "TEST_VALUE=a=b c", "CLIENT", "state");
    unsetenv("PMIX_RANK");
    unsetenv("PMIX_NAMESPACE");
    unsetenv("UATRUN_RANK");
    unsetenv("UATRUN_MEETING");
    assert_good();
    assert_int_equal(run_count(run.out, "blocks 0 signals"), 2);
    assert_int_equal(run_count(run.out, "has 0 other dispositions"), 2);
    assert_int_equal(run_count(run.out, "has 1 more files"), 1); /* the memory in which the workers meet */
    assert_int_equal(run_count(run.out, "has 2 more files"), 1); /* also rank 0's connection to uatrun */
    assert_int_equal(run_count(run.out, "has the value"), 2);
}

JOB_TEST(input)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "hello, rank 0", 13), 13);
    close(ends[1]);
    job_start(ends[0], "-n", "3", "CLIENT", "input", NULL);
    close(ends[0]);
    run_finish(&run);
    assert_good();
    assert_int_equal(run_count(run.out, "rank 0 read 13 bytes"), 1);
    assert_int_equal(run_count(run.out, "read 0 bytes"), 2);
}

JOB_TEST(information)
{
    JOB_RUN("--help");
    assert_good();
    assert_non_null(strstr(run.out, "Usage: uatrun"));
    assert_non_null(strstr(run.out, "UAT_STACK_SIZE"));
    JOB_RUN("--version");
    assert_good();
    assert_int_equal(strncmp(run.out, "uatrun 0.", 9), 0);
}

JOB_TEST(bad_command_lines)
{
    JOB_RUN("--nonsense", "CLIENT");
    assert_ends(2, "--nonsense");
    JOB_RUN("-z", "CLIENT");
    assert_ends(2, "-z");
    const char *numbers[] = {"0", "-1", "x", "2x", "", "1025", "1000000000", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        JOB_RUN("-n", numbers[i], "CLIENT");
        assert_ends(2, "from 1 to 1024");
    }
    JOB_RUN("-n");
    assert_ends(2, "needs a value");
    JOB_RUN("-n", "2");
    assert_ends(2, "which program?");
    JOB_RUN("--bind", "socket", "CLIENT");
    assert_ends(2, "must be core or none");
    const char *times[] = {"0", "-3", "soon", "nan", "inf", "1s"};
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        JOB_RUN("--timeout", times[i], "CLIENT");
        assert_ends(2, "--timeout");
    }
    JOB_RUN("--env", "NAME", "CLIENT");
    assert_ends(2, "NAME=VALUE");
    JOB_RUN("--env", "=VALUE", "CLIENT");
    assert_ends(2, "NAME=VALUE");
}

JOB_TEST(bad_settings)
{
    JOB_RUN("--env", "UAT_PEEKS=9", "CLIENT", "hang");
    assert_ends(2, "UAT_PEEKS=9: must be");
    setenv("UAT_TRANSPORT", "shn", 1);
    JOB_RUN("CLIENT", "hang");
    unsetenv("UAT_TRANSPORT");
    assert_ends(2, "UAT_TRANSPORT=shn: must be");
    JOB_RUN("-n", "2", "--env", "UAT_ROOT=/opt/uat", "--env", "UAT_LOG=", "CLIENT", "ok");
    assert_good();
    JOB_RUN("-n", "2", "--env", "UAT_LOG=info", "CLIENT", "ok");
    assert_good();
}

JOB_TEST(bad_programs)
{
    JOB_RUN("./no-such-program");
    assert_ends(127, "no such program");
    JOB_RUN("no-such-program");
    assert_ends(127, "no such program in PATH");
    JOB_RUN("/");
    assert_ends(126, "directory");
    char path[256];
    snprintf(path, sizeof(path), "%s/garbage", run_directory());
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "\177garbage\n", 9), 9);
    close(fd);
    JOB_RUN(path);
    assert_ends(126, "ermission denied");
    assert_int_equal(chmod(path, 0700), 0);
    JOB_RUN("-n", "2", path);
    assert_ends(126, "cannot be executed");
}

JOB_TEST(no_uat_program)
{
    JOB_RUN("-n", "2", "/bin/true");
    assert_ends(1, "/bin/true is not a uat program");
    JOB_RUN("-n", "2", "/bin/false");
    assert_ends(1, "exited with status 1, before uat_init()");
}

int main(int argc, char **argv)
{
    if (!job_take_arguments(argc, argv))
        return 1;
    return tests_run();
}
