/* SPDX-License-Identifier: MIT */
#include "perf/plot.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { NOT_FOUND = 127 };

struct picture {
    const struct uat_plot *plot;
    const char *program;
    json_object *reports[UAT_PLOT_REPORTS_MAX];
    int count;
};

json_object *uat_plot_member(json_object *object, const char *key, json_type type)
{
    json_object *value;

    return json_object_object_get_ex(object, key, &value) && json_object_is_type(value, type) ? value : NULL;
}

double uat_plot_number(json_object *object, const char *key)
{
    json_object *value = uat_plot_member(object, key, json_type_double);

    if (!value)
        value = uat_plot_member(object, key, json_type_int);
    return value ? json_object_get_double(value) : 0.0;
}

const char *uat_plot_text(json_object *object, const char *key)
{
    json_object *value = uat_plot_member(object, key, json_type_string);

    return value ? json_object_get_string(value) : "";
}

/* Between single quotes gnuplot takes two of them for one. A line's end would end the command, and what follows be
 * another. */
void uat_plot_quote(FILE *gnuplot, const char *text)
{
    fputc('\'', gnuplot);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', gnuplot);
        fputc((unsigned char)*text < ' ' ? '?' : *text, gnuplot);
    }
    fputc('\'', gnuplot);
}

/* gnuplot's own words about a file that it cannot write are many, and uat_plot_quote() gives it names of one line. */
static int touch(const char *program, const char *file)
{
    FILE *out = NULL;

    if (strpbrk(file, "\n\r"))
        errno = EINVAL;
    else
        out = fopen(file, "w");
    if (out && fclose(out) == 0)
        return 0;
    fprintf(stderr, "%s: cannot write %s: %s\n", program, file, strerror(errno));
    return 1;
}

/* Draw to a file that is there. 0, or 1 after a line. */
static int draw(const struct picture *p, const char *file)
{
    FILE *gnuplot = popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot", "w");

    if (!gnuplot) {
        fprintf(stderr, "%s: cannot start gnuplot: %s\n", p->program, strerror(errno));
        return 1;
    }
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early tells why by its status */
    fprintf(gnuplot, "set terminal svg size %d,%d background 'white'\nset output ", p->plot->width, p->plot->height);
    uat_plot_quote(gnuplot, file);
    fprintf(gnuplot, "\n");
    p->plot->script(gnuplot, p->reports, p->count);
    int status = pclose(gnuplot);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        fprintf(stderr, "%s: --plot needs gnuplot, which is not installed; on Debian: apt-get install gnuplot-nox\n",
                p->program);
    else
        fprintf(stderr, "%s: gnuplot could not draw %s\n", p->program, file);
    return 1;
}

/* An older picture stands until the new one is whole. */
static int draw_beside(const struct picture *p, const char *file)
{
    char *part;

    if (asprintf(&part, "%s.part", file) < 0) {
        fprintf(stderr, "%s: no memory for the name of %s\n", p->program, file);
        return 1;
    }
    int status = touch(p->program, part);
    if (!status) {
        status = draw(p, part);
        if (!status && rename(part, file) < 0) {
            fprintf(stderr, "%s: cannot write %s: %s\n", p->program, file, strerror(errno));
            status = 1;
        }
        if (status)
            remove(part);
    }
    free(part);
    return status;
}

/* 0, or 2 after a line. */
static int read_report(struct picture *p, const char *file)
{
    json_object *report = json_object_from_file(file);

    p->reports[p->count++] = report;
    if (report && strcmp(uat_plot_text(report, "program"), p->program) == 0 && p->plot->accepts(report))
        return 0;
    fprintf(stderr, "%s: %s is not a report of %s --json\n", p->program, file, p->program);
    return 2;
}

int uat_plot_main(const struct uat_plot *plot, const char *program, int argc, char **argv)
{
    struct picture picture = {.plot = plot, .program = program};
    int status = 0;

    if (argc < 2 || argc - 1 > UAT_PLOT_REPORTS_MAX) {
        fprintf(stderr, "%s: --plot needs a file to write and 1 to %d reports; see %s --help\n", program,
                UAT_PLOT_REPORTS_MAX, program);
        return 2;
    }
    for (int i = 1; i < argc && !status; i++)
        status = read_report(&picture, argv[i]);
    if (!status)
        status = draw_beside(&picture, argv[0]);
    for (int i = 0; i < picture.count; i++)
        json_object_put(picture.reports[i]);
    return status;
}
