/* SPDX-License-Identifier: MIT */
#include "runtime/meeting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/relax.h"
#include "base/virtual.h"
#include "runtime/job/neighbour.h"
#include "runtime/job/self.h"
#include "runtime/rooms.h"
#include "runtime/sched/steal.h"
#include "runtime/segment/room.h"
#include "runtime/segment/segment.h"
#include "runtime/torture/settings.h"
#include "runtime/torture/torture.h"

struct uat_startup uat_startup;

int uat_meeting_collect(void)
{
    return uat_roster_collect(&uat_startup.roster, uat_self.size, &uat_startup.identity, uat_self.transport);
}

int uat_meeting_refuse_differences(void)
{
    int rc = uat_identity_compare(&uat_startup.identity, uat_startup.roster.blobs[0], uat_startup.roster.sizes[0],
                                  uat_settings, NULL);
    return rc ? rc : uat_roster_check_transports(&uat_startup.roster, uat_self.rank, uat_startup.transport_reason);
}

int uat_meeting_refuse_processes(void)
{
    return uat_roster_check(&uat_startup.roster, uat_self.rank);
}

int uat_meeting_list_colours(void)
{
    uint8_t *colours = uat_roster_colours(&uat_startup.roster);
    if (!colours)
        return -ENOMEM;
    uat_segment_set_colours(colours);
    return 0;
}

int uat_meeting_attach(void)
{
    return uat_roster_attach(&uat_startup.roster, uat_self.transport);
}

int uat_meeting_compare_bindings(void)
{
    if (UAT_IS_VIRTUAL()) /* one simulated worker runs at a time, and waits are in virtual time */
        return 0;
    /* No advice under uatrun, which already uses all cores that it is allowed to use. */
    bool advise = strcmp(uat_startup.job.launcher, "uatrun") != 0;
    int rc = uat_roster_oversubscribed(&uat_startup.roster, uat_self.rank, advise);
    if (rc < 0)
        return rc;
    uat_relax_oversubscribed = rc;
    if (uat_relax_oversubscribed)
        uat_info("more workers than cores: a worker that waits yields its core to others");
    return 0;
}

int uat_meeting_share_canary(void)
{
    uat_run_set_canary(uat_startup.roster.identity[0]->canary);
    return 0;
}

int uat_meeting_watch(void)
{
    int rc = uat_torture_block_open(&uat_startup.roster);
    return rc ? rc : uat_neighbour_open(&uat_startup.roster, uat_startup.job.launcher);
}

int uat_meeting_list_victims(void)
{
    uat_victims_open(uat_startup.roster.endpoint, uat_startup.job.host);
    return 0;
}

int uat_meeting_connect(void)
{
    return uat_self.transport->class_->connect(uat_self.transport, uat_startup.roster.endpoint);
}

int uat_meeting_open_rooms(void)
{
    int *host_of = malloc((size_t)uat_self.size * sizeof(*host_of));
    if (!host_of) {
        uat_error("no memory for the list of hosts");
        return -ENOMEM;
    }
    uat_roster_hosts(&uat_startup.roster, host_of);
    int leader = uat_roster_leader(&uat_startup.roster, uat_self.rank);
    const struct uat_room_job job = {.host = uat_startup.job.host,
                                     .host_of = host_of,
                                     .leader = leader,
                                     .leader_pid = (long)uat_startup.roster.identity[leader]->pid,
                                     .torture = uat_torture_settings.torture || uat_torture_delays(),
                                     .delays = uat_torture_delays(),
                                     .seed = uat_torture_seed()};
    int rc = uat_rooms_open(&job);
    free(host_of);
    return rc;
}

void uat_meeting_free(void)
{
    uat_roster_free(&uat_startup.roster);
}

int uat_meeting_end(void)
{
    uat_meeting_free();
    return 0;
}
