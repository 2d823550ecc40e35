/* SPDX-License-Identifier: MIT */
#include "races/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/uat.h"
#include "include/uat/checkpoint.h"
#include "races/report.h"
#include "races/shadow.h"
#include "runtime/job/fatal.h"
#include "runtime/torture/settings.h"
#include "runtime/segment/settings.h"

_Thread_local bool uat_races_active;
_Thread_local int uat_races_initializing;
bool uat_races_in_run;

int __real_uat_init(void);
int __wrap_uat_init(void);

static void end(void)
{
    uat_races_active = false;
    int n = uat_races_reports();
    if (n == 0)
        fprintf(stderr, "uat-races: no fault found for this input (%u strands with accesses)\n",
                uat_races_strand_count - 1);
    else
        fprintf(stderr, "uat-races: %d report%s%s\n", n, n == 1 ? "" : "s",
                n > UAT_RACES_SHOWN ? ", the first ones are above" : "");
    fflush(NULL);
    if (n > 0)
        _exit(UAT_RACES_STATUS);
}

int __wrap_uat_init(void)
{
    int rc = __real_uat_init();
    if (!rc && uat_restarted() > 0) /* the tasks' frames have addresses of the earlier process's detector */
        uat_fatal("this program is linked with the race detector, which cannot follow tasks over a restart: start it "
                  "without UAT_CHECKPOINT, with restart=no in it, or with another folder");
    if (rc || uat_torture_settings.races == UAT_RACES_OFF)
        return rc;
    if (uat_size() > 1)
        uat_fatal(
            "this program is linked with the race detector, which watches one worker: start it without uatrun, or with "
            "uatrun -n 1; UAT_TORTURE=races=off switches the detector off");
    if (uat_segment_settings.stacks == UAT_STACKS_ISO)
        uat_fatal("the race detector knows only stacks of UAT_STACKS=uni");
    if (uat_torture_settings.torture == UAT_TORTURE_ROLLBACK)
        uat_fatal("the race detector cannot follow tasks back to a copy of the run: start the program without "
                  "UAT_TORTURE=rollback");
    uat_races_order_open();
    uat_races_shadow_open();
    atexit(end);
    uat_races_active = true;
    return 0;
}
