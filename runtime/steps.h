/* SPDX-License-Identifier: MIT */
/* A list of steps, each with what takes it back. */
#ifndef UAT_STEPS_H
#define UAT_STEPS_H

#include <stddef.h>

/* A step, and what gives back what it took. */
struct uat_step {
    int (*open)(void);   /* 0, or a negative errno, reported: then it has taken nothing */
    void (*close)(void); /* NULL: there is nothing to give back */
    const char *why;
};

/* Take these steps. 0, or the negative errno of the one that failed: then failed() is called, unless it is NULL, and
 * the steps before it are taken back. */
int uat_steps_open(const struct uat_step *steps, size_t count, void (*failed)(void));

/* Take the steps back, the last one first. */
void uat_steps_close(const struct uat_step *steps, size_t count);

#endif
