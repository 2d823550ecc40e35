/* SPDX-License-Identifier: MIT */
/* A list of steps, each with the function that undoes it. */
#ifndef UAT_STEPS_H
#define UAT_STEPS_H

#include <stddef.h>

/* A step, and how to undo it. */
struct uat_step {
    int (*open)(void);   /* returns 0 or a negative errno, reported; after an error it has changed nothing */
    void (*close)(void); /* NULL if there is nothing to undo */
    const char *why;
};

/* Run the steps. Returns 0, or the negative errno of the step that failed. In that case the steps before the failed one
 * have been undone, and failed() has been called, unless it is NULL. */
int uat_steps_open(const struct uat_step *steps, size_t count, void (*failed)(void));

/* Undo the steps, the last one first. */
void uat_steps_close(const struct uat_step *steps, size_t count);

#endif
