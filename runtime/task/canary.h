/* SPDX-License-Identifier: MIT */
/*
 * The stack protector's canary. A frame carries the canary of the process that entered the function and is checked in
 * the process that leaves it, so inside uat_run() all workers use the same one. Functions that are active while it
 * changes are not protected themselves (UAT_NO_CANARY).
 */
#ifndef UAT_CANARY_H
#define UAT_CANARY_H

#define UAT_NO_CANARY __attribute__((no_stack_protector, noinline))

#endif
