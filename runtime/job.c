/* SPDX-License-Identifier: MIT */
/* The life of a job on this worker: start and end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/virtual.h"
#include "include/uat.h"
#include "runtime/doctor.h"
#include "runtime/global/global.h"
#include "runtime/job/alike.h"
#include "runtime/job/bootstrap.h"
#include "runtime/job/call.h"
#include "runtime/job/collective.h"
#include "runtime/job/fatal.h"
#include "runtime/job/self.h"
#include "runtime/meeting.h"
#include "runtime/rooms.h"
#include "runtime/torture/statics.h"
#include "runtime/torture/torture.h"
#include "runtime/trace/trace.h"

enum { START_SECONDS = 30 /* a start that takes longer is worth a warning */ };

static bool is_open; /* true after a start that succeeded, until the end */

static void abort_job(void)
{
    uat_bootstrap_abort(1);
}

/* Log on rank 0 how long the start took. Rank 0's times stand for all workers, because most steps wait for the slowest
 * worker. */
static void say_time(const struct uat_steps_time *time)
{
    char text[UAT_STEPS_LONGEST * 128] = ""; /* a step's `why` has fewer than 110 bytes */
    if (uat_self.rank != 0 || UAT_IS_VIRTUAL())
        return;
    for (size_t i = 0, used = 0; i < UAT_STEPS_LONGEST && time->longest[i].took * 50 > time->all; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "; %s %.2f s: %s", i ? "then" : "its longest step,",
                                 time->longest[i].took, time->longest[i].why);
    uat_log(time->all < START_SECONDS ? UAT_LOG_INFO : UAT_LOG_WARN,
            "the start took %.2f s%s; to shorten it, name one device in UAT_NET_DEVICES, use huge pages, or start "
            "fewer workers on a host",
            time->all, text);
}

/* Complete all operations of all workers before any of them unmaps its segment. */
static int part_workers(void)
{
    int rc = uat_self.transport->class_->flush(uat_self.transport);
    if (!rc)
        rc = uat_collective_barrier();
    if (!rc) /* the barrier's FETCH_ADDs may still be in flight, and their target must stay mapped */
        rc = uat_bootstrap_barrier();
    return rc;
}

/* uat_startup.leave: all workers leave after a checkpoint that ends the job. */
static _Noreturn void leave(int status)
{
    uat_trace_write();
    uat_global_run_ends();
    uat_statics_protect(false); /* the loader may have put variables that closing writes into the program */
    /* srun --kill-on-bad-exit sends SIGTERM to the other workers once the first one has ended */
    signal(SIGTERM, SIG_IGN);
    int rc = part_workers();
    is_open = false;
    uat_call_close();
    uat_steps_close(uat_startup_steps, uat_startup_count);
    exit(rc ? EXIT_FAILURE : status);
}

int uat_init(void)
{
    int refused = uat_call_check_init();
    if (refused)
        return refused;
    struct uat_steps_time time = {0};
    uat_startup.leave = leave;
    int rc = uat_steps_open(uat_startup_steps, uat_startup_count, abort_job, &time);
    uat_alike_close();
    if (rc)
        return rc;
    uat_torture_heap_settle();
    say_time(&time);
    is_open = true;
    uat_call_open();
    uat_fatal_at_exit(uat_self.size > 1);
    if (uat_doctor_wanted()) {
        bool good = uat_doctor_examine(uat_startup.transport_reason);
        exit(uat_finalize() || !good);
    }
    return 0;
}

int uat_finalize(void)
{
    int refused = uat_call_check(UAT_CALL_FINALIZE);
    if (refused)
        return refused;
    uat_call_enter(UAT_CALL_FINALIZE);
    uat_global_before_barrier();
    int traced = uat_trace_write(), rc = part_workers();
    is_open = false;
    uat_call_close();
    uat_steps_close(uat_startup_steps, uat_startup_count);
    return rc ? rc : uat_startup.left ? uat_startup.left : traced;
}

const char *uat_setting(const char *name)
{
    static char text[UAT_SETTING_TEXT_MAX]; /* static, since the settings of a process do not change */
    if (!is_open || !name)
        return NULL;
    if (strcmp(name, "transport") == 0)
        return uat_self.transport->class_->name;
    if (strcmp(name, "transport_reason") == 0)
        return uat_startup.transport_reason;
    if (strcmp(name, "deque") == 0)
        return uat_settings_text(uat_settings, "UAT_DEQUE", text);
    if (strcmp(name, "torture") == 0)
        return uat_settings_text(uat_settings, "UAT_TORTURE", text);
    if (strcmp(name, "time") == 0)
        return UAT_IS_VIRTUAL() ? "virtual" : "real";
    if (strcmp(name, "launcher") == 0)
        return uat_startup.job.launcher;
    return NULL;
}
