/* SPDX-License-Identifier: MIT */
/* Only this file defines the structs of the components' settings and instantiates the tables in their headers. */
#define UAT_SETTINGS_ROWS
#include "runtime/settings.h"

#include "deque/settings.h"
#include "runtime/checkpoint/settings.h"
#include "runtime/global/settings.h"
#include "runtime/job/settings.h"
#include "runtime/sched/settings.h"
#include "runtime/segment/settings.h"
#include "runtime/trace/settings.h"
#include "transport_ibv/settings.h"
#include "transport_sim/settings.h"

struct uat_job_settings uat_job_settings;
struct uat_segment_settings uat_segment_settings;
struct uat_deque_settings uat_deque_settings;
struct uat_sched_settings uat_sched_settings;
struct uat_global_settings uat_global_settings;
struct uat_trace_settings uat_trace_settings;
struct uat_checkpoint_settings uat_checkpoint_settings;
struct uat_ibv_settings uat_ibv_settings;
struct uat_sim_settings uat_sim_settings;

const struct uat_settings uat_settings[] = {
    {"The job", uat_job_rows, &uat_job_settings},
    {"Memory of a worker", uat_segment_rows, &uat_segment_settings},
    {"Deque and thieves", uat_deque_rows, &uat_deque_settings},
    {"Scheduler", uat_sched_rows, &uat_sched_settings},
    {"Global memory", uat_global_rows, &uat_global_settings},
    {"Checkpoints", uat_checkpoint_rows, &uat_checkpoint_settings},
    {"Timelines", uat_trace_rows, &uat_trace_settings},
    {"InfiniBand and RoCE", uat_ibv_rows, &uat_ibv_settings},
    {"Simulation", uat_sim_rows, &uat_sim_settings},
    {NULL, NULL, NULL},
};
