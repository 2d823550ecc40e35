/* SPDX-License-Identifier: MIT */
/*
 * Waiting tasks in a checkpoint (runtime/sched/waiting.c). A worker wakes TASKS tasks from an object's queue, and
 * keeps them in its list and its ready ring (deque/ready.h). A thief takes some from the ring. At any moment both
 * workers are ordered to stop. A new job then continues from the saved state. Each task runs exactly once, in either
 * job. The thief is rank 0, which looks for a deadlock while it is idle (runtime/sched/deadlock.h).
 *
 * In this model a task ends as soon as it runs. Sets of tasks are bits.
 */
#ifndef TASKS
#define TASKS 3
#endif
#define SLOTS 2
#define ALL ((1 << TASKS) - 1)

byte queue = ALL; /* tasks that wait for the object; they are in blocks, which are saved whole */
byte list;        /* ready tasks that are not yet offered; private to the owner */
byte claims, bottom;
byte state[SLOTS], slot[SLOTS], ack[SLOTS];
byte ran;         /* tasks that have run, in either job */

bool wanted;      /* the order */
bool still[2];    /* the owner and the thief have stopped, and their operations are complete */
bool work[2];     /* each worker's word that says whether the worker has work */
byte job = 1;
byte saved_queue, saved_list;
bool restored; /* the new job's barrier */

#define OFFERED ((claims != bottom -> slot[claims % SLOTS] : 0) | (bottom - claims > 1 -> slot[(claims + 1) % SLOTS] : 0))
#ifdef M_COPY_LIST_ONLY
#define READY list
#else
#define READY (list | OFFERED)
#endif

inline run_task(t)
{
    atomic { assert((ran & t) == 0); ran = ran | t }
}

/* The lowest task of a set. */
#define LOWEST(set) ((set & 1) -> 1 : ((set & 2) -> 2 : 4))

/* Save in the old job. Restore in the new job, where all words are 0 at first. */
inline save()
{
    atomic { saved_queue = queue; saved_list = READY }
}
inline restore()
{
    atomic {
        queue = saved_queue; list = saved_list;
        claims = 0; bottom = 0; wanted = false; job = 2;
        state[0] = 0; state[1] = 0; ack[0] = 0; ack[1] = 0; slot[0] = 0; slot[1] = 0;
        work[0] = false; work[1] = false; still[0] = false; still[1] = false
    };
#ifdef M_WORK_AFTER_BARRIER
    restored = true;
    work[0] = true
#else
    work[0] = (queue | list) != 0; /* K8 */
    restored = true
#endif
}

/* The owner stops. The end of the run may overtake the order (K4). */
inline stand()
{
    still[0] = true;
#ifndef M_COPY_BEFORE_STILL
    (still[1] || ran == ALL);
#endif
    if
    :: ran != ALL -> save(); (still[1] || ran == ALL)
    :: else
    fi;
    if
    :: still[1] && ran != ALL -> restore()
    :: else -> still[0] = false
    fi
}

inline wake()
{
    atomic { hand = LOWEST(queue); queue = queue & ~hand }; /* under the object's guard */
#ifdef M_STOP_IN_WAKE
    if
    :: wanted && job == 1 -> stand(); hand = 0 /* the new process knows nothing of this task */
    :: skip
    fi;
#endif
    atomic { list = list | hand; hand = 0 }
}

active proctype Owner()
{
    byte hand, index;
    bool won;
    work[0] = true;
    do
    :: queue != 0 -> wake()
    :: list != 0 && bottom - claims < SLOTS && (bottom < SLOTS || ack[bottom % SLOTS] == bottom + 1 - SLOTS) ->
        atomic { hand = LOWEST(list); list = list & ~hand; slot[bottom % SLOTS] = hand; hand = 0 };
        atomic { state[bottom % SLOTS] = bottom + 1; bottom++ }
    :: list != 0 -> atomic { hand = LOWEST(list); list = list & ~hand }; run_task(hand); hand = 0
    :: claims != bottom ->
        index = claims;
        atomic { won = (claims == index && index != bottom); if :: won -> claims++ :: else fi };
        if
        :: won -> run_task(slot[index % SLOTS]); ack[index % SLOTS] = index + 1
        :: else
        fi
    :: wanted && job == 1 ->
        stand()
    :: atomic { (queue | list) == 0 && claims == bottom && work[0] -> work[0] = false }
    :: ran == ALL && !work[0] -> break
    od
}

/* The thief. In the new job the thief's process and local variables are new, too. */
active proctype Thief()
{
    byte index, task;
    bool won, seen;
    do
    :: state[claims % SLOTS] == claims + 1 ->
        work[1] = true;
        index = claims;
        atomic { won = (claims == index && state[index % SLOTS] == index + 1); if :: won -> claims++ :: else fi };
        if
        :: won ->
#ifdef M_STILL_IN_CLAIM
            if
            :: atomic { wanted && job == 1 -> still[1] = true }; (restored); goto anew
            :: skip
            fi;
#endif
            task = slot[index % SLOTS];
            run_task(task);
            ack[index % SLOTS] = index + 1
        :: else
        fi;
        work[1] = false
    :: wanted && job == 1 -> /* between two attempts */
        still[1] = true;
        (restored || ran == ALL); /* the end of the run overtakes the order (K4) */
anew:   atomic { index = 0; task = 0; won = false; seen = false }
    :: atomic { !work[0] && state[claims % SLOTS] != claims + 1 && !still[0] && (job == 1 || restored) -> seen = true };
        if
        :: atomic { seen && !work[0] && (job == 1 || restored) ->
               /* two rounds without work: a deadlock, if a task is left */
               assert(job == 1 || ran == ALL);
               seen = false }
        :: else -> seen = false
        fi
    :: ran == ALL -> break
    od
}

active proctype User()
{
    if
    :: atomic { ran != ALL -> wanted = true }
    :: skip
    fi
}
