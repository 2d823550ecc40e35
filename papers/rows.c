/* SPDX-License-Identifier: MIT */
/* A program that links this file has the papers' protocols and iso-address. */
#include "papers/berth.h"
#include "papers/grant.h"
#include "papers/thief_paper.h"
#include "runtime/sched/steal.h"

static __attribute__((constructor)) void add(void)
{
    uat_protocols[UAT_DEQUE_PAPER] = (struct uat_protocol){uat_paper_steal, uat_paper_poke, NULL};
    uat_protocols[UAT_DEQUE_PAPER_MESSAGE] =
        (struct uat_protocol){uat_paper_message_steal, uat_message_poke, uat_grant_open};
    uat_stacks_linked = &uat_berths;
}
