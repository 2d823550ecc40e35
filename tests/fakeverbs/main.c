/* SPDX-License-Identifier: MIT */
/* Description: the command `fakeverbs`, which runs a command whose processes have simulated verbs devices. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakeverbs/describe.h"

#define FAKE_CALL_TEXT(name, text) text,
const char *const fake_call_names[FAKE_CALLS] = {FAKE_CALL_LIST(FAKE_CALL_TEXT)};

static const char usage[] =
    "usage: fakeverbs [OPTION]... -- COMMAND [ARG]...\n"
    "  Runs COMMAND with made-up verbs devices in place of this machine's.\n"
    "  --devices FILE            devices to add; may be repeated\n"
    "  --hosts N                 let workers see N hosts; a worker's host is its rank modulo N\n"
    "  --apart                   each worker sees a PID namespace of its own, as in a container\n"
    "  --fail [RANK:]CALL[:K]:E  the K-th call of a kind (without K: each) fails with errno E; may be repeated\n"
    "  --count FILE              when the command has ended, write a line for each kind of call: its name, the total,\n"
    "                            and the most of one worker; and a line for each device: the bytes that it served\n"
    "  --calls                   list the kinds of calls\n";

static pid_t child;

static void pass_on(int signal)
{
    kill(child, signal);
}

static int write_counts(const struct fake_state *state, const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file) {
        fprintf(stderr, "fakeverbs: %s: %s\n", path, strerror(errno));
        return -1;
    }
    for (int call = 0; call < FAKE_CALLS; call++) {
        unsigned long long total = 0, most = 0;
        for (int rank = 0; rank < FAKE_RANKS; rank++) {
            total += state->count[rank][call];
            most = state->count[rank][call] > most ? state->count[rank][call] : most;
        }
        fprintf(file, "%s %llu %llu\n", fake_call_names[call], total, most);
    }
    for (int host = 0; host < state->hosts; host++)
        for (int i = 0; i < state->devices; i++)
            fprintf(file, "served:%d:%s %llu 0\n", host, state->device[i].name,
                    (unsigned long long)state->served[host][i]);
    return fclose(file);
}

/* Make the state. Its descriptor stays open in this process, so that the other processes can open it by its path. */
static struct fake_state *make_state(void)
{
    char path[64];
    int fd = memfd_create("fakeverbs", MFD_CLOEXEC);
    void *map = MAP_FAILED;
    if (fd >= 0 && !ftruncate(fd, sizeof(struct fake_state)))
        map = mmap(NULL, sizeof(struct fake_state), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        perror("fakeverbs: no memory for the state");
        exit(125);
    }
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
    setenv(FAKE_VARIABLE, path, 1);
    return map;
}

/* Make LD_PRELOAD load the library, which is in the same folder as this program, before all others. LD_PRELOAD accepts
 * no path with a space. So the path leads through a descriptor of the folder, which this process keeps open until the
 * command has ended. */
static void preload(void)
{
    char own[1024], list[4096];
    const char *old = getenv("LD_PRELOAD");
    ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
    own[n > 0 ? n : 0] = '\0';
    *(strrchr(own, '/') ? strrchr(own, '/') : own) = '\0';
    int folder = open(own, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        fprintf(stderr, "fakeverbs: %s: %s\n", own, strerror(errno));
        exit(125);
    }
    snprintf(list, sizeof(list), "/proc/%d/fd/%d/libfakeverbs.so%s%s", getpid(), folder, old ? ":" : "",
             old ? old : "");
    setenv("LD_PRELOAD", list, 1);
}

static int run(char **command)
{
    int status;
    preload();
    child = fork();
    if (child == 0) {
        execvp(command[0], command);
        fprintf(stderr, "fakeverbs: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    if (child < 0) {
        perror("fakeverbs: fork");
        return 125;
    }
    const struct sigaction action = {.sa_handler = pass_on};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 125;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int list_calls(void)
{
    for (int call = 0; call < FAKE_CALLS; call++)
        puts(fake_call_names[call]);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"devices", required_argument, NULL, 'd'},
                                            {"hosts", required_argument, NULL, 'h'},
                                            {"apart", no_argument, NULL, 'a'},
                                            {"fail", required_argument, NULL, 'f'},
                                            {"count", required_argument, NULL, 'c'},
                                            {"calls", no_argument, NULL, 'l'},
                                            {0}};
    struct fake_state *state = make_state();
    const char *counts = NULL;
    int option, rc = 0;
    state->hosts = 1;
    while (!rc && (option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
        if (option == 'l')
            return list_calls();
        if (option == 'a')
            state->apart = true;
        if (option == 'c')
            counts = optarg;
        if (option == 'h' && ((state->hosts = atoi(optarg)) < 1 || state->hosts > FAKE_HOSTS))
            option = '?';
        if (option == 'd')
            rc = fake_describe(state, optarg);
        if (option == 'f')
            rc = fake_describe_failure(state, optarg);
        if (option == '?') {
            fputs(usage, stderr);
            return 2;
        }
    }
    if (rc || optind == argc) {
        fputs(rc ? "" : usage, stderr);
        return 2;
    }
    int status = run(argv + optind);
    if (counts && write_counts(state, counts))
        return 125;
    return status;
}
