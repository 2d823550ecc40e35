/* SPDX-License-Identifier: MIT */
/* The steps of a channel's operations, for tasks that wait for several channels: see select.c. */
#ifndef UAT_SYNC_CHANNEL_H
#define UAT_SYNC_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "include/uat/channel.h"
#include "include/uat/sync.h"

enum uat_channel_outcome { UAT_CHANNEL_DONE, UAT_CHANNEL_SHUT, UAT_CHANNEL_MUST_WAIT };

/* With the guard held: ends the job if the handle's size is not the channel's. what: the caller. */
void uat_channel_check(uat_channel_t c, const char *what);

/* With the guard held: send uat_sync_staging()->value, or receive a value into it, if this is possible at once. These
 * functions free the guard, unless they return UAT_CHANNEL_MUST_WAIT: then the caller still holds it. */
enum uat_channel_outcome uat_channel_send_now(uat_channel_t c);
enum uat_channel_outcome uat_channel_receive_now(uat_channel_t c);

/*
 * With the guard held: uat_channel_queue() queues a waiter whose operation must wait. uat_channel_remove() removes a
 * waiter, if it is still queued.
 */
void uat_channel_queue(uint64_t waiter, bool sends);
void uat_channel_remove(uint64_t waiter);

#endif
