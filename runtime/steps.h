/* SPDX-License-Identifier: MIT */
/* A list of steps, each with the function that undoes it. */
#ifndef UAT_STEPS_H
#define UAT_STEPS_H

#include <stddef.h>

/* A step, and how to undo it. */
struct uat_step {
    int (*open)(void);   /* returns 0, or reports an error and returns its negative errno. An error changes nothing */
    void (*close)(void); /* NULL if there is nothing to undo */
    const char *why;
};

enum { UAT_STEPS_LONGEST = 4 };

/* The time that steps took, in seconds: the total, then the longest steps in descending order. An entry without
 * `why` is unused. */
struct uat_steps_time {
    double all;
    struct {
        double took;
        const char *why; /* of the step */
    } longest[UAT_STEPS_LONGEST];
};

/* Run the steps, and add their times to *time. Returns 0, or the negative errno of the step that failed. If a step
 * failed, the steps before it have been undone. failed() has been called, too, unless it is NULL. */
int uat_steps_open(const struct uat_step *steps, size_t count, void (*failed)(void), struct uat_steps_time *time);

/* Undo the steps, the last one first. */
void uat_steps_close(const struct uat_step *steps, size_t count);

#endif
