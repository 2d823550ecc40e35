/* SPDX-License-Identifier: MIT */
/*
 * Requests to a job that runs: `uatrun --resize M PID`. The guard of a job that can write checkpoints listens on a
 * socket in the abstract namespace, whose name holds the guard's process number. Such a socket leaves no file behind.
 * Anybody on the host can connect to it, so the guard asks the kernel for the user at the other end, and hears only its
 * own user.
 */
#ifndef UAT_LAUNCHER_CONTROL_H
#define UAT_LAUNCHER_CONTROL_H

#include <sys/types.h>

/* Listen for requests to this process. Returns a descriptor that becomes readable when a request arrives, or a negative
 * errno. */
int uat_control_open(void);

/*
 * Take one request from the descriptor of uat_control_open(). Returns the connection, and sets *workers to the number
 * of workers that the sender wants. The caller answers and closes the connection by uat_control_answer(). Returns a
 * negative errno if there is no request, or none of this user in the form that this uatrun knows; this is not reported.
 */
int uat_control_take(int control, int *workers);

/* Answer a request: `status` becomes the sender's exit status, `line` is what it prints. */
void uat_control_answer(int connection, int status, const char *line);

/* Ask the uatrun with process number pid for `workers` workers, wait for its answer, at most `timeout` seconds if that
 * is not 0, and print the answer. Returns the exit status. */
int uat_control_resize(pid_t pid, int workers, double timeout);

#endif
