/* SPDX-License-Identifier: MIT */
/*
 * A biased mutex of runtime/sync/mutex.c: TASKS tasks on WORKERS workers lock and unlock it ROUNDS times each. Worker 0
 * is the mutex's home. A worker runs one task at a time. A task leaves its worker only where it waits or migrates. Each
 * plain load and store below is one step. Between two steps, tasks on other workers may act, but no other task on the
 * same worker.
 *
 * At most one task holds the mutex. All tasks end, so none waits forever. The holder may be moved to any worker, as by
 * a steal.
 *
 * Task 0 owns the mutex. It waits for the other tasks, and then destroys the mutex on any worker, without a migration,
 * because an exception that unwinds it cannot migrate. So the destruction is the operation that H1 leaves out. No other
 * operation starts before the destruction has ended, or runs after it: the wait orders them. The model's memory is
 * sequentially consistent. In the program the end of a child and its join order the home's plain stores before the
 * destruction.
 */
#define TASKS 3
#define WORKERS 2
#define ROUNDS 2
#define NONE 255

byte runs[WORKERS] = NONE; /* the task that a worker runs */
byte locked;
byte head = NONE, tail = NONE;
byte next[TASKS];
bool ready[TASKS]; /* the task was handed the mutex */
byte inside;
byte ended;     /* the tasks that the owner need not wait for any more */
bool destroyed; /* the memory of the mutex may belong to another object */

inline leave()
{
    runs[at] = NONE
}

/* Continue on `to`, once that worker runs nothing. */
inline migrate(to)
{
    if
    :: at != to ->
        leave();
        atomic { runs[to] == NONE -> runs[to] = self; at = to }
    :: else
    fi
}

inline lock()
{
#ifndef M_LOCK_ANYWHERE
    migrate(0);
#endif
    assert(!destroyed);
    if
    :: locked == 0 -> locked = 1
    :: else ->
        next[self] = NONE;
        if
        :: head == NONE -> head = self
        :: else -> next[tail] = self
        fi;
        tail = self;
        leave();
#ifdef M_WAITER_RESUMED_ANYWHERE
        atomic { ready[self] && runs[1] == NONE -> runs[1] = self; at = 1 };
#else
        atomic { ready[self] && runs[0] == NONE -> runs[0] = self; at = 0 };
#endif
        ready[self] = false
    fi;
    assert(at == 0)
}

inline unlock()
{
#ifndef M_UNLOCK_ANYWHERE
    migrate(0);
#endif
    assert(locked && !destroyed);
    if
    :: head == NONE -> locked = 0
    :: else ->
        waiter = head;
        if
        :: head == tail -> head = NONE
        :: else -> head = next[waiter]
        fi;
#ifdef M_FREED_AND_HANDED
        locked = 0;
#endif
        ready[waiter] = true
    fi
}

/* The owner's end. It may be woken on any worker. */
inline destroy()
{
    leave();
#ifndef M_DESTROYED_BEFORE_THE_JOIN
    ended == TASKS - 1;
#endif
    if
    :: atomic { runs[0] == NONE -> runs[0] = self; at = 0 }
    :: atomic { runs[1] == NONE -> runs[1] = self; at = 1 }
    fi;
#ifdef M_DESTROYED_AT_HOME
    assert(at == 0); /* an exception unwinds the task: it cannot migrate */
#endif
    assert(locked == 0 && head == NONE);
    destroyed = true
}

proctype Task(byte self)
{
    byte at, round, waiter;
    if
    :: atomic { runs[0] == NONE -> runs[0] = self; at = 0 }
    :: atomic { runs[1] == NONE -> runs[1] = self; at = 1 }
    fi;
    for (round : 1 .. ROUNDS) {
        lock();
        inside++;
        assert(inside == 1);
        if
        :: migrate(1) /* stolen */
        :: skip
        fi;
        inside--;
        unlock();
        if
        :: migrate(1)
        :: skip
        fi
    }
    if
    :: self == 0 -> destroy()
    :: else
    fi;
    leave();
    ended++
}

init {
    byte i;
    atomic {
        for (i : 0 .. TASKS - 1) { run Task(i) }
    }
    (_nr_pr == 1);
    assert(locked == 0 && head == NONE && destroyed)
}
