/* SPDX-License-Identifier: MIT */
/* A queued SIGTERM with this value tells a worker that the job ends. If a worker was lost, the value also contains its
 * rank. A SIGTERM without this value comes from outside the job. */
#ifndef UAT_BASE_LOST_H
#define UAT_BASE_LOST_H

#include <stdbool.h>

enum {
    UAT_LOST_MARK = 0x55,    /* upper byte of the value; a value without it is from another sender and names no rank */
    UAT_LOST_NONE = 0xffffff /* in place of a rank: the job ends, but no worker was lost */
};

static inline int uat_lost_value(int rank)
{
    return UAT_LOST_MARK << 24 | rank;
}
static inline bool uat_lost_is_value(int value)
{
    return value >> 24 == UAT_LOST_MARK;
}
static inline int uat_lost_rank(int value)
{
    return value & 0xffffff;
}

#endif
