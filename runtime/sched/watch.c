/* SPDX-License-Identifier: MIT */
#include "runtime/sched/watch.h"

#include "runtime/task/worker.h"

void (*uat_watch_serve)(void);

void uat_watch_begin(void)
{
    uat_stop_crew_watched = 1;
    uat_stop_watch();
}

void uat_watch_note(void)
{
    uat_stop_crew_watched = 1;
    uat_deque_watch(&uat_worker.deque, true); /* as in uat_stop_note() */
}

void uat_watch_end(void)
{
    uat_stop_crew_watched = 0;
    if (uat_watch_serve)
        uat_watch_serve();
    uat_stop_watch();
}
