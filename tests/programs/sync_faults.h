/* SPDX-License-Identifier: MIT */
/* What the files of the program sync-faults share. */
#ifndef UAT_TEST_SYNC_FAULTS_H
#define UAT_TEST_SYNC_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "uat/channel.h"
#include "uat/sync.h"

UAT_FUTURE(long, number);
UAT_CHANNEL(long, longs);

/* Whether a task waits in this object's queue. */
bool sync_faults_waited_for(uint64_t object);

/* If `what` begins with "lost-", lose a worker while a task waits for one of its tasks. */
void sync_faults_lost(const char *what);

#endif
