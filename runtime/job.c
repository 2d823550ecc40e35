/* SPDX-License-Identifier: MIT */
/* The life of a job on this worker: start and end. */
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/virtual.h"
#include "global/global.h"
#include "include/uat.h"
#include "runtime/collective/collective.h"
#include "runtime/doctor.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/record.h"
#include "runtime/memory/segment.h"
#include "runtime/replica.h"
#include "runtime/start/bootstrap.h"
#include "runtime/start/self.h"
#include "runtime/startup.h"
#include "runtime/task/park.h"
#include "runtime/task/steal.h"
#include "runtime/task/victims.h"
#include "runtime/task/worker.h"
#include "runtime/trace/trace.h"
#include "runtime/watch/call.h"
#include "runtime/watch/die.h"
#include "runtime/watch/fault.h"
#include "runtime/watch/lost.h"
#include "runtime/watch/neighbour.h"
#include "runtime/watch/stall.h"

static bool is_open; /* between a start that succeeded and the end */

int uat_init(void)
{
    int refused = uat_call_check_init();
    if (refused)
        return refused;
    int rc = uat_startup_go();
    if (rc) {
        uat_self.transport = NULL; /* runs are refused */
        uat_bootstrap_abort(1);
        return rc;
    }
    is_open = true;
    uat_call_open();
    uat_die_at_exit(uat_self.size > 1);
    if (uat_doctor_wanted()) {
        bool good = uat_doctor_examine(uat_startup.transport_reason);
        exit(uat_finalize() || !good);
    }
    return 0;
}

/* Complete all operations of all workers. */
static int part_workers(void)
{
    int rc = uat_self.transport->class_->quiet(uat_self.transport);
    if (!rc)
        rc = uat_collective_barrier();
    if (!rc) /* the barrier's own FETCH_ADDs may still be on their way to a peer that would unmap their target */
        rc = uat_bootstrap_barrier();
    return rc;
}

int uat_finalize(void)
{
    int refused = uat_call_check(UAT_CALL_FINALIZE);
    if (refused)
        return refused;
    uat_call_enter(UAT_CALL_FINALIZE);
    uat_global_before_barrier();
    int traced = uat_trace_close(), rc = part_workers();
    uat_global_close();
    uat_call_close();
    uat_stall_close();
    uat_neighbour_close();
    uat_lost_close();
    uat_fault_close();
    uat_replica_close();
    uat_park_close();
    uat_steal_close();
    uat_victims_close();
    uat_self.transport->class_->close(uat_self.transport);
    uat_self.transport = NULL;
    uat_self.size = 1;
    uat_deque_close(&uat_worker.deque);
    uat_heap_close(&uat_heap);
    uat_record_pool_close(&uat_records);
    uat_segment_close();
    is_open = false;
    uat_die_at_exit(false);
    int closed = uat_bootstrap_close();
    return rc ? rc : closed ? closed : traced;
}

const char *uat_setting(const char *name)
{
    if (!is_open)
        return NULL;
    if (strcmp(name, "transport") == 0)
        return uat_self.transport->class_->name;
    if (strcmp(name, "transport_reason") == 0)
        return uat_startup.transport_reason;
    if (strcmp(name, "deque") == 0)
        return uat_options_deque(&uat_startup.options);
    if (strcmp(name, "torture") == 0)
        return uat_options_torture(&uat_startup.options);
    if (strcmp(name, "time") == 0)
        return UAT_IS_VIRTUAL() ? "virtual" : "real";
    if (strcmp(name, "launcher") == 0)
        return uat_startup.job.launcher;
    return NULL;
}
