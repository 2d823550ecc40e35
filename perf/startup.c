/* SPDX-License-Identifier: MIT */
/*
 * uat-startup: the time from the launcher's exec to the first task, and the memory of a worker, for several numbers of
 * workers. It starts itself through the launcher and reads the workers' lines from the launcher's standard output.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf/startup.h"

enum { COUNTS_MAX = 32, WORKERS_MAX = 100000, WORDS_MAX = 64, REPEAT_MAX = 1000 };

struct arguments {
    int counts[COUNTS_MAX], count; /* numbers of workers to try */
    int repeat;
    bool json;
    char **launcher; /* the command's words; "{}" stands for the number of workers; NULL: uatrun */
};

/* One start: the slowest worker's times, and the mean of the workers' memory. */
struct start {
    double main, init, task, end;
    double own, shared, anonymous, tables, pinned; /* KiB */
};

static void usage(FILE *out)
{
    fputs("usage: uat-startup [-n N[,N...]] [--repeat R] [--json] [-- LAUNCHER...]\n"
          "Time from the launcher's exec to the first task, and memory of a worker.\n\n"
          "  -n N[,N...]   numbers of workers (2,16,64)\n"
          "  --repeat R    starts of each number of workers, of which the median counts (5)\n"
          "  --json        one JSON object per line instead of a table\n"
          "  -- LAUNCHER   words that start N workers, with {} for N (uatrun -n {}); for example\n"
          "                uat-startup -n 64,128 -- srun --mpi=pmix -n {}\n",
          out);
}

static bool read_number(const char *text, int most, int *out)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end || value < 1 || value > most)
        return false;
    *out = (int)value;
    return true;
}

static bool read_counts(char *text, struct arguments *a)
{
    a->count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
        if (a->count == COUNTS_MAX || !read_number(word, WORKERS_MAX, &a->counts[a->count++]))
            return false;
    return a->count > 0;
}

static bool read_arguments(int argc, char **argv, struct arguments *a)
{
    *a = (struct arguments){.counts = {2, 16, 64}, .count = 3, .repeat = 5};
    for (int i = 1; i < argc; i++) {
        bool valued = i + 1 < argc;
        if (strcmp(argv[i], "--json") == 0) {
            a->json = true;
        } else if (strcmp(argv[i], "-n") == 0 && valued) {
            if (!read_counts(argv[++i], a))
                return false;
        } else if (strcmp(argv[i], "--repeat") == 0 && valued) {
            if (!read_number(argv[++i], REPEAT_MAX, &a->repeat))
                return false;
        } else if (strcmp(argv[i], "--") == 0 && valued && argc - i < WORDS_MAX - 4) {
            a->launcher = argv + i + 1;
            return true;
        } else {
            return false;
        }
    }
    return true;
}

/* The uatrun of this build or installation: next to this program or its folder; otherwise the one found by PATH. */
static const char *find_uatrun(const char *self)
{
    static char path[PATH_MAX + 32];
    static const char *const places[] = {"/uatrun", "/../launcher/uatrun"};
    int folder = (int)(strrchr(self, '/') - self);

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        snprintf(path, sizeof(path), "%.*s%s", folder, self, places[i]);
        if (access(path, X_OK) == 0)
            return path;
    }
    return "uatrun";
}

/* Become the launcher. The child process calls it. */
static _Noreturn void launch(const struct arguments *a, int workers, int output)
{
    static char self[PATH_MAX], count[16], since[32];
    const char *words[WORDS_MAX];
    int n = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length <= 0 || dup2(output, STDOUT_FILENO) < 0)
        _exit(126);
    snprintf(count, sizeof(count), "%d", workers);
    if (!a->launcher) {
        words[n++] = find_uatrun(self);
        words[n++] = "-n";
        words[n++] = count;
    }
    for (char **word = a->launcher; word && *word; word++)
        words[n++] = strcmp(*word, "{}") == 0 ? count : *word;
    words[n++] = self;
    words[n++] = "--worker";
    words[n++] = since;
    words[n] = NULL;
    snprintf(since, sizeof(since), "%.6f", uat_startup_now());
    execvp(words[0], (char *const *)words);
    fprintf(stderr, "uat-startup: %s cannot be started: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* Read the workers' lines until the launcher closes its output. Returns their number. */
static int collect(FILE *lines, struct start *out)
{
    struct uat_startup_report r;
    char line[512];
    int n = 0;

    *out = (struct start){.task = -1};
    while (fgets(line, sizeof(line), lines)) {
        if (!uat_startup_read(line, &r))
            continue;
        n++;
        out->main = r.main > out->main ? r.main : out->main;
        out->init = r.init > out->init ? r.init : out->init;
        out->task = r.task > out->task ? r.task : out->task;
        out->own += (double)r.own;
        out->shared += (double)r.shared;
        out->anonymous += (double)r.anonymous;
        out->tables += (double)r.tables;
        out->pinned += (double)r.pinned;
    }
    if (n > 0) {
        out->own /= n;
        out->shared /= n;
        out->anonymous /= n;
        out->tables /= n;
        out->pinned /= n;
    }
    return n;
}

/* Start a job of `workers` once. Returns 0, or -1 after printing the reason. */
static int start(const struct arguments *a, int workers, struct start *out)
{
    int ends[2], status;

    fflush(stdout);
    if (pipe(ends)) {
        perror("uat-startup: pipe");
        return -1;
    }
    double since = uat_startup_now();
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        launch(a, workers, ends[1]);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    int n = child > 0 && lines ? collect(lines, out) : 0;
    if (lines)
        fclose(lines);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("uat-startup: the launcher");
        return -1;
    }
    out->end = uat_startup_now() - since;
    if (!status && n == workers && out->task >= 0)
        return 0;
    fprintf(stderr, "uat-startup: %d of %d workers have reported, the launcher has ended with status %d\n", n, workers,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return -1;
}

static int by_task(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    return (x->task > y->task) - (x->task < y->task);
}

static int measure(const struct arguments *a, int workers)
{
    static struct start starts[REPEAT_MAX];
    const struct start *median = &starts[a->repeat / 2];

    for (int i = 0; i < a->repeat; i++)
        if (start(a, workers, &starts[i]))
            return -1;
    qsort(starts, (size_t)a->repeat, sizeof(starts[0]), by_task);
    printf(a->json ? "{\"program\":\"uat-startup\",\"workers\":%d,\"repeat\":%d,\"main_seconds\":%.6f,"
                     "\"init_seconds\":%.6f,\"first_task_seconds\":%.6f,\"first_task_seconds_min\":%.6f,"
                     "\"first_task_seconds_max\":%.6f,\"end_seconds\":%.6f,\"own_kib\":%.0f,\"shared_kib\":%.0f,"
                     "\"anonymous_kib\":%.0f,\"page_tables_kib\":%.0f,\"pinned_kib\":%.0f}\n"
                   : "%7d %7d  %7.3f %7.3f %10.3f  (%6.3f to %6.3f) %7.3f  %9.0f %10.0f %8.0f %10.0f %10.0f\n",
           workers, a->repeat, median->main, median->init, median->task, starts[0].task, starts[a->repeat - 1].task,
           median->end, median->own, median->shared, median->anonymous, median->tables, median->pinned);
    return 0;
}

int main(int argc, char **argv)
{
    struct arguments a;

    if (argc == 3 && strcmp(argv[1], "--worker") == 0)
        return uat_startup_work(strtod(argv[2], NULL));
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (!read_arguments(argc, argv, &a)) {
        usage(stderr);
        return 2;
    }
    if (!a.json)
        printf("seconds from the launcher's exec, the slowest worker's; KiB of a worker, in the mean\n"
               "workers repeats     main    init first task        (of repeats)     end    own KiB shared KiB "
               "anon KiB tables KiB pinned KiB\n");
    for (int i = 0; i < a.count; i++)
        if (measure(&a, a.counts[i]))
            return 1;
    return 0;
}
