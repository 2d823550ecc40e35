/* SPDX-License-Identifier: MIT */
/* The workers that do something together: what barriers and trees share. */
#ifndef UAT_MEMBERS_H
#define UAT_MEMBERS_H

#include <stdint.h>

#include "transport/transport.h"

enum { UAT_BARRIER_ROUNDS = 24 };

/* What a worker tells its partner in a round of a barrier, or in a tree. */
struct uat_told {
    uint64_t call;  /* the collective call that the sender is in: runtime/job/call.h */
    int64_t status; /* the lowest status that the sender knows of: see UAT_STATUS_MIN */
    uint64_t word;  /* in a barrier: rank 0's word, if the sender has heard of it */
};

struct uat_members {
    struct uat_transport *transport;
    uint64_t runs;     /* number of completed runs */
    uint64_t barriers; /* number of barriers entered */
    uint64_t ups;      /* number of passes up a tree */
    uint64_t downs;    /* number of passes down a tree */
};

extern struct uat_members uat_members __attribute__((visibility("hidden")));

/* Ends the job if *told has a status that no worker sends. */
void uat_members_check(const struct uat_told *told);

/* Wait until *word is at least `number`. The rank `partner` increases *word. Returns 0 or a negative errno of
 * the transport. */
int uat_members_await(const uint64_t *word, uint64_t number, int partner);

#endif
