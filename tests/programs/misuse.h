/* SPDX-License-Identifier: MIT */
/* The mistakes of tasks in misuse_tasks.c. Each mistake ends the job. */
#ifndef UAT_TEST_MISUSE_H
#define UAT_TEST_MISUSE_H

int misuse_spawn_from_thread(void);
int misuse_join_of_another(void);
int misuse_join_twice(void);
int misuse_foreign_handle(void);
int misuse_copied_group(void);
int misuse_group_without_wait(void);
int misuse_static_group(void);
int misuse_group_of_another(void);
int misuse_identity_of_reduction(void);
int misuse_identity_of_reducer(void);

#endif
