/* SPDX-License-Identifier: MIT */
/* Tasks that an exception has left: see uat/detail/failure.h. A failed task's end takes the slow path of
 * uat_spawn(). */
#include "runtime/sched/failure.h"

#include "base/delay.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/sched/stop.h"
#include "runtime/task/worker.h"
#include "runtime/segment/record.h"
#include "runtime/segment/segment.h"
#include "runtime/segment/settings.h"

_Static_assert(sizeof(struct uat_failure) <= UAT_RESULT_MAX_MIN, "a failure travels in the place of a result");

/* Local buffers of this worker's own operations. */
struct staging {
    uint64_t old; /* old value that an atomic returns */
    struct uat_failure failure;
};

static struct uat_area staging_area = {
    .name = "staging of failures", .size = sizeof(struct staging), .peers = UAT_PEERS_NOTHING};

void uat_failure_reserve(void)
{
    uat_segment_reserve(&staging_area);
}

void uat_fail(const struct uat_failure *failure)
{
    if (failure != &uat_failing.failure)
        uat_failing.failure = *failure;
    uat_failing.yes = 1;
    if (uat_worker.running)
        uat_stop_watch();
}

void uat_failure_take(struct uat_failure *failure)
{
    if (failure)
        *failure = uat_failing.failure;
    uat_failing.yes = 0;
    if (uat_worker.running)
        uat_stop_watch();
}

void uat_failure_refuse(const char *what)
{
    if (uat_failing.yes)
        uat_fatal("an exception has left %s (%s: %s); catch it in the task", what, uat_failing.failure.type,
                  uat_failing.failure.what);
}

void uat_failure_leave(uint64_t name)
{
    struct staging *staging = staging_area.at;
    struct uat_record *record = uat_record_address(name);
    uat_failure_take(&staging->failure);
    struct uat_op chain[] = {
        uat_op_write(&staging->failure, record->result, sizeof(struct uat_failure)),
        /* Takes effect after the WRITE (O1), as in uat_meet_child(); pairs with the FETCH_ADD of uat_meet_joiner(). */
        uat_op_fetch_add(&staging->old, &record->state, UAT_RECORD_FAILED + 1),
    };
    uat_delay();
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, 2));
}

void uat_failure_settle(uint64_t name, bool take)
{
    struct staging *staging = staging_area.at;
    struct uat_record *record = uat_record_address(name);
    struct uat_op chain[] = {
        uat_op_fetch_add(&staging->old, &record->state, -UAT_RECORD_FAILED),
        /* The child's WRITE came before its FETCH_ADD (O1), whose sum this worker has seen. */
        uat_op_read(&staging->failure, record->result, sizeof(struct uat_failure)),
    };
    uat_check(uat_transport_do(uat_self.transport, uat_record_rank(name), chain, take ? 2 : 1));
    if (!take)
        return;
    staging->failure.type[sizeof(staging->failure.type) - 1] = 0; /* peers may have written it */
    staging->failure.what[sizeof(staging->failure.what) - 1] = 0;
    uat_fail(&staging->failure);
}
