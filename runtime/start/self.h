/* SPDX-License-Identifier: MIT */
/* Who this worker is among how many, and how it reaches them. Set by uat_init() alone. */
#ifndef UAT_SELF_H
#define UAT_SELF_H

#include "transport/transport.h"

struct uat_self {
    int rank, size;                  /* before uat_init(): 0 and 1 */
    struct uat_transport *transport; /* NULL: there is no job now */
};

extern struct uat_self uat_self __attribute__((visibility("hidden")));

#endif
