/* SPDX-License-Identifier: MIT */
/*
 * Shared mutexes: runtime/sync/shared_mutex.c. TASKS tasks take the mutex TURNS times, each time for reading or for
 * writing, and wait or, without -DNO_TRIES, only try. A writer is alone with the mutex (X3). A task that does not wait
 * overtakes none that does (X1). All tasks end, so no wake-up is lost (X2). The queue is that of waitobj.pml: it keeps the
 * order.
 *
 * What one worker does with the guard is one step, because the guard excludes all others (waitobj.pml). Tasks are woken
 * after the guard is free, one after another.
 */
#ifndef TASKS
#define TASKS 3
#endif
#ifndef TURNS
#define TURNS 2
#endif
#define READS  1
#define WRITES 2

byte readers, writers;                 /* word[READERS] and word[WRITERS] of shared_mutex.c */
chan queue = [TASKS] of { byte, byte } /* task, tag */
bit woken[TASKS];

byte reading, writing; /* ghost state: the tasks that are in their critical sections */

/* hold() of shared_mutex.c */
#ifdef M_OVERTAKE
#define CAN_HOLD(how) (writers == 0 && (how == READS || readers == 0))
#else
#define CAN_HOLD(how) (empty(queue) && writers == 0 && (how == READS || readers == 0))
#endif

inline count(how)
{
    if
    :: how == READS -> readers++
    :: else -> writers++
    fi
}

/* dequeue_next(): the first task of the queue and, if it reads, the readers after it. The batch is `first` to wake. */
inline dequeue_next()
{
    do
    :: empty(queue) -> break
    :: nempty(queue) ->
        queue ? <task, tag>;
        if
#ifndef M_WRITER_WITH_READERS
        :: tag == WRITES && batch > 0 -> break
#endif
        :: else
            queue ? task, tag;
#ifndef M_COUNTED_LATE
            count(tag);
#endif
            wake[batch] = task;
            batch++;
            if
            :: tag == WRITES -> break
#ifdef M_ONE_READER
            :: else -> break
#else
            :: else
#endif
            fi
        fi
    od
}

proctype Task(byte self)
{
    byte turn, how, task, tag, batch, at;
    byte wake[TASKS];
    bit holds, tries, waited;
    do
    :: turn == TURNS -> break
    :: else ->
        atomic { /* wait_to_hold() and try_to_hold(): with the guard */
            if
            :: how = READS
            :: how = WRITES
            fi;
            if
            :: tries = 0
#ifndef NO_TRIES
            :: tries = 1
#endif
            fi;
            holds = 0;
            if
            :: CAN_HOLD(how) -> count(how); assert(empty(queue)); holds = 1
            :: else ->
                if
                :: tries
#ifndef M_QUEUES_LATER
                :: else -> queue ! self, how
#else
                :: else
#endif
                fi
            fi
        }
#ifdef M_QUEUES_LATER
        atomic {
            if
            :: !holds && !tries -> queue ! self, how
            :: else
            fi
        }
#endif
        if
        :: !holds && !tries -> atomic { woken[self]; woken[self] = 0; holds = 1; waited = 1 }
        :: else
        fi;
        if
        :: holds ->
            atomic {
#ifdef M_COUNTED_LATE
                if
                :: waited -> count(how)
                :: else
                fi;
#endif
                reading = reading + (how == READS -> 1 : 0);
                writing = writing + (how == WRITES -> 1 : 0);
                assert(writing == 0 || (writing == 1 && reading == 0))
            }
            atomic { /* unlock(): with the guard */
                reading = reading - (how == READS -> 1 : 0);
                writing = writing - (how == WRITES -> 1 : 0);
                if
                :: how == READS -> assert(readers > 0); readers--
                :: else -> assert(writers > 0); writers--
                fi;
                if
#ifdef M_EACH_READER_HANDS_OVER
                :: true -> dequeue_next()
#else
                :: readers + writers == 0 -> dequeue_next()
                :: else
#endif
                fi;
                at = 0
            }
            do
            :: at == batch -> break
            :: else -> atomic { woken[wake[at]] = 1; wake[at] = 0; at++ }
            od;
            atomic { at = 0; batch = 0; task = 0; tag = 0 }
        :: else
        fi;
        atomic { how = 0; tries = 0; holds = 0; waited = 0; turn++ }
    od
}

init {
    byte i;
    atomic {
        do
        :: i < TASKS -> run Task(i); i++
        :: else -> break
        od
    };
    _nr_pr == 1;
    assert(readers == 0 && writers == 0 && empty(queue))
}
