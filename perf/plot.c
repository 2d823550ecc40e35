/* SPDX-License-Identifier: MIT */
#include "perf/plot.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { NOT_FOUND = 127 };

/* Between single quotes gnuplot takes two of them for one. */
void uat_plot_quote(FILE *gnuplot, const char *text)
{
    fputc('\'', gnuplot);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', gnuplot);
        fputc(*text, gnuplot);
    }
    fputc('\'', gnuplot);
}

/* gnuplot's own words about a file that it cannot write are many. */
static int touch(const char *program, const char *file)
{
    FILE *out = fopen(file, "w");

    if (out && fclose(out) == 0)
        return 0;
    fprintf(stderr, "%s: cannot write %s: %s\n", program, file, strerror(errno));
    return 1;
}

int uat_plot_draw(const char *program, const char *file,
                  void (*script)(FILE *gnuplot, const char *file, const void *context), const void *context)
{
    int status;

    if (touch(program, file))
        return 1;
    FILE *gnuplot = popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot", "w");
    if (!gnuplot) {
        fprintf(stderr, "%s: cannot start gnuplot: %s\n", program, strerror(errno));
        return 1;
    }
    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early tells why by its status */
    script(gnuplot, file, context);
    status = pclose(gnuplot);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        fprintf(stderr, "%s: --plot needs gnuplot, which is not installed; on Debian: apt-get install gnuplot-nox\n",
                program);
    else
        fprintf(stderr, "%s: gnuplot could not draw %s\n", program, file);
    remove(file);
    return 1;
}
