/* SPDX-License-Identifier: MIT */
#ifndef UAT_SIM_HOOKS_H
#define UAT_SIM_HOOKS_H

/* Install the hooks of base/virtual.h. From then on, this process runs in virtual time. */
void uat_sim_hooks_set(void);

/* Enter or leave a hook of the transport. From leaving one hook to entering the next, this worker's clock advances by
 * the processor time that the program uses. */
void uat_sim_hook_enter(void);
void uat_sim_hook_leave(void);

#endif
