/* SPDX-License-Identifier: MIT */
/*
 * The crew, runtime/job/crew.h and runtime/sched/rest.c. A worker with tasks is told to leave, and perhaps to return.
 * It hands its tasks over as ready tasks. A thief takes ready tasks, but looks only at a worker that works, as the
 * thief's own words say. A task may also become ready late, when the worker is away already: the end of a sleep. A peer
 * gives the sleeping worker a reason to wake up: the end of the run, which comes when all tasks have been run.
 *
 * A store of the leaving worker to the thief's memory is one step, and so is each load: the fences of Y6 make them so.
 * The nap has no time limit here, so that a lost wake-up shows as a state in which nobody can go on.
 */
#define TASKS 2

byte ready, ran;         /* tasks that others may take; tasks that have run */
bool late = true;        /* one more task becomes ready late */
bool out;                /* the limit excludes the worker */
bool state;              /* the worker's state, as it has announced it to the thief: true: away */
byte epoch;              /* the thief's: number of announcements */
byte bell;               /* the worker's */
bool over;               /* the run has ended */
bool finished;

inline announce(away)
{
    if
    :: state != away ->
#ifdef M_EPOCH_BEFORE_STATE
        epoch++;
        state = away
#else
        state = away;
        epoch++
#endif
    :: else
    fi
}

/* The worker that is told to leave. It begins with TASKS continuations in its deque. */
proctype Worker()
{
    byte deque = TASKS, rung;
    do
    :: over -> break
    :: !over && late -> late = false; ready++ /* a sleep is over: uat_sleep_wake() */
    :: !over && !out ->
        announce(false);
        if
        :: deque > 0 -> deque--; ran++
        :: deque == 0 && ready > 0 -> atomic { if :: ready > 0 -> ready--; ran++ :: else fi }
        :: else
        fi
    :: !over && out ->
        do /* uat_rest_hand_over_next() */
        :: deque > 0 -> deque--; ready++
        :: else -> break
        od;
#ifdef M_AWAY_WITH_TASKS
        if
#else
        if
        :: ready > 0 ->
            announce(false); /* Y3 */
            (ready == 0 || over || !out) /* it looks again and again */
#endif
        :: else ->
            announce(true);
#ifdef M_BELL_AFTER_LOOK
            if
            :: !over && out && !late -> rung = bell; (bell != rung)
            :: else
            fi
#else
            rung = bell; /* Y6 */
            if
            :: !over && out && !late -> (bell != rung)
            :: else
            fi
#endif
        fi
    od;
    finished = true
}

/* Rank 0: it takes ready tasks of workers that work, as of the epoch that it has seen, and ends the run. */
proctype Thief()
{
    byte seen;
    bool away;
    do
    :: ran == TASKS + 1 -> break
    :: ran < TASKS + 1 ->
        if
        :: seen != epoch -> seen = epoch; away = state /* uat_crew_others() */
        :: else
        fi;
        if
        :: !away -> atomic { if :: ready > 0 -> ready--; ran++ :: else fi }
        :: away -> (seen != epoch || ran == TASKS + 1) /* there is nobody to look at */
        fi
    od;
#ifdef M_STATE_BEFORE_REASON
    away = state;
    over = true;
#else
    over = true;
    away = state;
#endif
#ifndef M_NO_BELL
    if
    :: away -> bell++ /* uat_crew_wake() */
    :: else
    fi
#endif
}

/* uat_resize(): out, and perhaps back. */
proctype Resizer()
{
    out = true;
    if
    :: true ->
        out = false;
        if
        :: state -> bell++
        :: else
        fi
    :: true
    fi
}

init
{
    atomic { run Worker(); run Thief(); run Resizer() };
    (finished);
    assert(ran == TASKS + 1 && ready == 0)
}
