/* SPDX-License-Identifier: MIT */
/* The steps of a channel's operations, for those that wait for several of them: see select.c. */
#ifndef UAT_SYNC_CHANNEL_H
#define UAT_SYNC_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat/sync.h"

enum uat_channel_outcome { UAT_CHANNEL_DONE, UAT_CHANNEL_SHUT, UAT_CHANNEL_MUST_WAIT };

/* With the guard held: ends the job if the handle's size is not the channel's. what: the caller. */
void uat_channel_check(uat_channel_t c, const char *what);

/* With the guard held: send uat_segment.staged_result, or receive to it, if that can be done at once; the guard is left
 * unless it must wait. */
enum uat_channel_outcome uat_channel_send_now(uat_channel_t c);
enum uat_channel_outcome uat_channel_receive_now(uat_channel_t c);

/*
 * With the guard held, after the operation had to wait: queue this waiter. And take one out again, if it is still
 * there.
 */
void uat_channel_queue(uint64_t waiter, bool sends);
void uat_channel_remove(uint64_t waiter);

#endif
