/* SPDX-License-Identifier: MIT */
/* The workers that do something together: what barriers and trees share. */
#ifndef UAT_MEMBERS_H
#define UAT_MEMBERS_H

#include <stdint.h>

#include "runtime/memory/segment.h"
#include "transport/transport.h"

struct uat_members {
    struct uat_transport *transport;
    const struct uat_segment *segment;
    uint64_t runs;     /* completed */
    uint64_t barriers; /* entered */
    uint64_t ups;      /* trees that were climbed */
    uint64_t downs;    /* trees that were descended */
};

extern struct uat_members uat_members __attribute__((visibility("hidden")));

/* Wait until a word that `partner` adds to has reached `number`. 0 or a negative errno of the transport. */
int uat_members_await(const uint64_t *word, uint64_t number, int partner);

#endif
