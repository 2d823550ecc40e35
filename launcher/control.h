/* SPDX-License-Identifier: MIT */
/*
 * Requests to a job that runs: `uatrun --resize` and `--ctl`. The guard of a job listens on a socket in the abstract
 * namespace, whose name holds the guard's process number. Such a socket leaves no file behind. Anybody on the host can
 * connect to it, so the guard asks the kernel for the user at the other end, and hears only its own user.
 */
#ifndef UAT_LAUNCHER_CONTROL_H
#define UAT_LAUNCHER_CONTROL_H

#include "launcher/arguments.h"

/* Listen for requests to this process. Returns a descriptor that becomes readable when a request arrives, or a negative
 * errno. */
int uat_control_open(void);

/*
 * Take one request from the descriptor of uat_control_open(). Returns the connection, and sets *wish. The caller
 * answers the request and closes the connection by uat_control_answer(). Returns a negative errno if there is no
 * request, or none of this user in the form that this uatrun knows; this is not reported.
 */
int uat_control_take(int control, struct uat_wish *wish);

/* Answer a request: `status` becomes the sender's exit status, `line` is what it prints. */
void uat_control_answer(int connection, int status, const char *line);

/* Send the wish to the uatrun that it names, wait for the answer, at most `timeout` seconds if that is not 0, and print
 * the answer. Returns the exit status. */
int uat_control_ask(const struct uat_wish *wish, double timeout);

#endif
