/* SPDX-License-Identifier: MIT */
/* Progress of a simulation: one line on the terminal, which the keeper rewrites once a second. If stderr is no
 * terminal, there is no line. */
#ifndef UAT_SIM_PROGRESS_H
#define UAT_SIM_PROGRESS_H

#include <stdbool.h>
#include <time.h>

struct sim_world;

/* Called in the keeper before the first fork. */
void uat_sim_progress_begin(void);

/* Write the line if it is due. Only the keeper calls this. */
void uat_sim_progress_look(struct sim_world *world);

/* Time until the keeper should look again; NULL: never. */
const struct timespec *uat_sim_progress_pause(void);

/* Erase the line if it is on the terminal. Any process may call this before it, or the program, writes there. */
void uat_sim_progress_erase(struct sim_world *world);

/* This worker begins or ends a run. Outside of runs the program writes its results, so there is no line. */
void uat_sim_progress_run(bool begins);

#endif
