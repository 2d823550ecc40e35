/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "perf/progress.h"

/* Write a number with three digits and a prefix: 12.3 M. */
static void shorten(double number, char *text, size_t size)
{
    static const char *const prefix[] = {"", " k", " M", " G", " T", " P"};
    size_t i = 0;

    while (number >= 999.5 && i + 1 < sizeof(prefix) / sizeof(prefix[0])) {
        number /= 1000;
        i++;
    }
    snprintf(text, size, "%.*f%s", i == 0 || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2, number, prefix[i]);
}

void uat_progress_line(const char *program, const struct uat_progress_sum *sum, const struct uat_progress_sum *last,
                       char *line, size_t size)
{
    struct uat_progress_sum none = {0};
    char tasks[16], rate[16], steals[16], heard[32] = "", idle[32] = "";

    last = last ? last : &none;
    double seconds = sum->seconds - last->seconds;
    shorten((double)sum->tasks, tasks, sizeof(tasks));
    shorten((double)sum->steals, steals, sizeof(steals));
    shorten(seconds > 0 ? (double)(sum->tasks - last->tasks) / seconds : 0, rate, sizeof(rate));
    if (sum->heard < sum->workers)
        snprintf(heard, sizeof(heard), " (%d heard from)", sum->heard);
    if (sum->looks > last->looks)
        snprintf(idle, sizeof(idle), ", idle %.0f %%",
                 100.0 * (double)(sum->idle - last->idle) / (double)(sum->looks - last->looks));
    snprintf(line, size, "%s: %.1f s, %d worker%s%s, %s tasks (%s/s), %s steal%s%s", program, sum->seconds,
             sum->workers, sum->workers == 1 ? "" : "s", heard, tasks, rate, steals, sum->steals == 1 ? "" : "s", idle);
}
