/* SPDX-License-Identifier: MIT */
/* The files that describe devices: see docs/testing.md. */
#ifndef FAKE_DESCRIBE_H
#define FAKE_DESCRIBE_H

#include "tests/fakeverbs/state.h"

/* Add the devices of a file to the state. Returns 0, or -1 after a message on standard error. */
int fake_describe(struct fake_state *state, const char *path);

/* Add a failure in the format of --fail: [RANK:]CALL[:K]:ERROR. Returns 0, or -1 after a message on standard error. */
int fake_describe_failure(struct fake_state *state, const char *text);

#endif
