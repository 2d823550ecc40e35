/* SPDX-License-Identifier: MIT */
#include "tests/launcher/run.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/test.h"

enum { STEP_MS = 10, GONE_LIMIT_MS = 5000 };

/* A variable in the environment of a test's processes, by which the processes can be found. */
static char mark[64];

/* The folder of the test's files, and the folder inside it that replaces /tmp. */
static char directory[256], temporary[264];

static void sleep_step(void)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    nanosleep(&step, NULL);
}

static bool is_marked(const char *pid)
{
    static char environment[1 << 20];
    char path[64];
    snprintf(path, sizeof(path), "/proc/%.16s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t size = 0;
    ssize_t n;
    while (size < sizeof(environment) && (n = read(fd, environment + size, sizeof(environment) - size)) > 0)
        size += (size_t)n;
    close(fd);
    return size > 0 && memmem(environment, size, mark, strlen(mark) + 1);
}

/* Count the marked processes, and send them a signal unless it is 0. */
static int each_process(int signal)
{
    int count = 0;
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));) {
        if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == getpid() || !is_marked(entry->d_name))
            continue;
        count++;
        if (signal)
            kill((pid_t)atoi(entry->d_name), signal);
    }
    if (proc)
        closedir(proc);
    return count;
}

int run_processes(void)
{
    return each_process(0);
}

const char *run_directory(void)
{
    return directory;
}

int run_setup(void **state)
{
    static int number;
    snprintf(mark, sizeof(mark), "UATRUN_TEST_MARK=%d.%d", (int)getpid(), number++);
    snprintf(directory, sizeof(directory), "/tmp/uatrun-test.XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    snprintf(temporary, sizeof(temporary), "%s/tmp", directory);
    return mkdir(temporary, 0700);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    return remove(path);
}

int run_teardown(void **state)
{
    for (int i = 0; i < GONE_LIMIT_MS / STEP_MS && each_process(SIGKILL) > 0; i++) {
        waitpid(-1, NULL, WNOHANG);
        sleep_step();
    }
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}

static int memory_file(const char *name)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    assert_true(fd >= 0);
    fcntl(fd, F_SETFL, O_APPEND); /* several processes write, each at the end of the file */
    return fd;
}

static void run_child(const struct run *run, char *const *argv, int input)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    for (int fd = 3; fd < 256; fd++) /* do not count descriptors that the test inherited */
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    setpgid(0, 0);
    char *value = strchr(mark, '=');
    *value = '\0';
    setenv(mark, value + 1, 1);
    setenv("TMPDIR", temporary, 1);
    if (input < 0)
        input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(input, 0) < 0 || dup2(run->out_fd, 1) < 0 || dup2(run->err_fd, 2) < 0)
        _exit(99);
    execv(argv[0], argv);
    _exit(99);
}

void run_start(struct run *run, char *const *argv, int input)
{
    memset(run, 0, sizeof(*run));
    run->out_fd = memory_file("stdout");
    run->err_fd = memory_file("stderr");
    run->pid = fork();
    assert_true(run->pid >= 0);
    if (run->pid == 0)
        run_child(run, argv, input);
    setpgid(run->pid, run->pid); /* also done in the parent, because either process may run first */
}

static void collect(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
}

int run_count(const char *text, const char *what)
{
    int count = 0;
    while ((text = strstr(text, what))) {
        count++;
        text += strlen(what);
    }
    return count;
}

void run_wait_output(struct run *run, const char *text, int count)
{
    for (int i = 0; i < RUN_LIMIT_MS / STEP_MS; i++) {
        collect(run->out_fd, run->out, sizeof(run->out));
        if (run_count(run->out, text) >= count)
            return;
        sleep_step();
    }
    collect(run->err_fd, run->err, sizeof(run->err));
    fail_msg("'%s' did not appear %d times; stdout: %s; stderr: %s", text, count, run->out, run->err);
}

static bool temporary_is_empty(void)
{
    int entries = 0;
    DIR *d = opendir(temporary);
    while (d && readdir(d))
        entries++;
    if (d)
        closedir(d);
    return entries == 2; /* . and .. */
}

void run_finish(struct run *run)
{
    int status = 0, waited = 0;
    while (waitpid(run->pid, &status, WNOHANG) == 0) {
        if (waited >= RUN_LIMIT_MS)
            fail_msg("the command does not end");
        sleep_step();
        waited += STEP_MS;
    }
    run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    for (int i = 0; i < GONE_LIMIT_MS / STEP_MS && run_processes() > 0; i++)
        sleep_step();
    collect(run->out_fd, run->out, sizeof(run->out));
    collect(run->err_fd, run->err, sizeof(run->err));
    close(run->out_fd);
    close(run->err_fd);
    if (run_processes() > 0)
        fail_msg("processes are left; stderr: %s", run->err);
    if (!temporary_is_empty())
        fail_msg("files are left in the temporary directory");
}
