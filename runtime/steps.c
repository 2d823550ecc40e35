/* SPDX-License-Identifier: MIT */
#include "runtime/steps.h"

int uat_steps_open(const struct uat_step *steps, size_t count, void (*failed)(void))
{
    size_t done = 0;
    int rc = 0;
    while (done < count && !rc)
        if (!(rc = steps[done].open()))
            done++;
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
