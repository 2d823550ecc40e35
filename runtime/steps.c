/* SPDX-License-Identifier: MIT */
#include "runtime/steps.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note(struct uat_steps_time *time, double took, const char *why)
{
    time->all += took;
    int at = UAT_STEPS_LONGEST;
    for (; at > 0 && took > time->longest[at - 1].took; at--)
        if (at < UAT_STEPS_LONGEST)
            time->longest[at] = time->longest[at - 1];
    if (at == UAT_STEPS_LONGEST)
        return;
    time->longest[at].took = took;
    time->longest[at].why = why;
}

int uat_steps_open(const struct uat_step *steps, size_t count, void (*failed)(void), struct uat_steps_time *time)
{
    size_t done = 0;
    int rc = 0;
    for (double begin = now(); done < count && !rc; begin = now()) {
        rc = steps[done].open();
        note(time, now() - begin, steps[done].why);
        done += !rc;
    }
    if (!rc)
        return 0;
    if (failed)
        failed();
    uat_steps_close(steps, done);
    return rc;
}

void uat_steps_close(const struct uat_step *steps, size_t count)
{
    while (count-- > 0)
        if (steps[count].close)
            steps[count].close();
}
