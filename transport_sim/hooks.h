/* SPDX-License-Identifier: MIT */
#ifndef UAT_SIM_HOOKS_H
#define UAT_SIM_HOOKS_H

/* Virtual time begins for this process: set the table of base/virtual.h. */
void uat_sim_hooks_set(void);

/* A hook of the transport itself begins or ends: what lies between two of them is the program's processor time. */
void uat_sim_hook_enter(void);
void uat_sim_hook_leave(void);

#endif
