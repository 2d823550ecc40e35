/* SPDX-License-Identifier: MIT */
/* The figure of uat-steal: one stacked bar of phases for each report, by gnuplot. */
#include "perf/steal.h"

#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { REPORTS_MAX = 16, COLUMNS = 6, NOT_FOUND = 127 };

static const char *const columns[COLUMNS] = {"peek", "lock", "claim", "look", "stack", "acknowledge"};

struct bar {
    char label[64];
    double ns[COLUMNS];
};

static json_object *member(json_object *object, const char *key, json_type type)
{
    json_object *value;

    return json_object_object_get_ex(object, key, &value) && json_object_is_type(value, type) ? value : NULL;
}

/* Median nanoseconds of a phase; one that did not occur takes no time. */
static double median(json_object *phases, const char *phase)
{
    json_object *one = member(phases, phase, json_type_object);
    json_object *value = one ? member(one, "median_ns", json_type_double) : NULL;

    return value ? json_object_get_double(value) : 0.0;
}

/* Returns 0, or -EINVAL with one line about the file. */
static int read_bar(const char *file, struct bar *bar)
{
    json_object *report = json_object_from_file(file);
    json_object *program = report ? member(report, "program", json_type_string) : NULL;
    json_object *phases = report ? member(report, "phases", json_type_object) : NULL;
    json_object *deque = report ? member(report, "deque", json_type_string) : NULL;
    json_object *bytes = report ? member(report, "stack_bytes", json_type_int) : NULL;
    bool good = program && phases && deque && bytes && strcmp(json_object_get_string(program), "uat-steal") == 0;

    if (good) {
        snprintf(bar->label, sizeof(bar->label), "%.20s, %lld B", json_object_get_string(deque),
                 (long long)json_object_get_int64(bytes));
        for (int i = 0; i < COLUMNS; i++)
            bar->ns[i] = median(phases, columns[i]);
    } else {
        fprintf(stderr, "uat-steal: %s is not a report of uat-steal --json\n", file);
    }
    json_object_put(report);
    return good ? 0 : -EINVAL;
}

/* A name between single quotes, where gnuplot takes two of them for one. */
static void write_quoted(FILE *gnuplot, const char *text)
{
    fputc('\'', gnuplot);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', gnuplot);
        fputc(*text, gnuplot);
    }
    fputc('\'', gnuplot);
}

static void write_script(FILE *gnuplot, const char *file, const struct bar *bars, int count)
{
    fprintf(gnuplot, "set terminal svg size 640,480 background 'white'\nset output ");
    write_quoted(gnuplot, file);
    fprintf(gnuplot, "\n$steals << END\n");
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < COLUMNS; k++)
            fprintf(gnuplot, "%.1f ", bars[i].ns[k]);
        fprintf(gnuplot, "\"%s\"\n", bars[i].label);
    }
    fprintf(gnuplot, "END\n"
                     "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.8 border -1\n"
                     "set boxwidth 0.6\nset yrange [0:*]\nset ylabel 'median ns'\nset title 'One steal, by phases'\n"
                     "set key outside right reverse invert\nset grid y\nplot ");
    for (int k = 0; k < COLUMNS; k++)
        fprintf(gnuplot, "%s$steals using %d:xtic(%d) title '%s'", k ? ", " : "", k + 1, COLUMNS + 1, columns[k]);
    fprintf(gnuplot, "\n");
}

/* gnuplot's own words about a file that it cannot write are many. */
static int touch(const char *file)
{
    FILE *out = fopen(file, "w");

    if (out && fclose(out) == 0)
        return 0;
    fprintf(stderr, "uat-steal: cannot write %s: %s\n", file, strerror(errno));
    return 1;
}

static int draw(const char *file, const struct bar *bars, int count)
{
    FILE *gnuplot = popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot", "w");
    int status;

    if (!gnuplot) {
        fprintf(stderr, "uat-steal: cannot start gnuplot: %s\n", strerror(errno));
        return 1;
    }
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early tells why by its status */
    write_script(gnuplot, file, bars, count);
    status = pclose(gnuplot);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        fprintf(stderr,
                "uat-steal: --plot needs gnuplot, which is not installed; on Debian: apt-get install gnuplot-nox\n");
    else
        fprintf(stderr, "uat-steal: gnuplot could not draw %s\n", file);
    remove(file);
    return 1;
}

int steal_plot(int argc, char **argv)
{
    struct bar bars[REPORTS_MAX];
    int count = argc - 1;

    if (count < 1 || count > REPORTS_MAX) {
        fprintf(stderr, "uat-steal: --plot needs a file to write and 1 to %d reports; see uat-steal --help\n",
                REPORTS_MAX);
        return 2;
    }
    for (int i = 0; i < count; i++)
        if (read_bar(argv[1 + i], &bars[i]) < 0)
            return 2;
    return touch(argv[0]) ? 1 : draw(argv[0], bars, count);
}
