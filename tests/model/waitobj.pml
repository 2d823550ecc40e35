/* SPDX-License-Identifier: MIT */
/*
 * An object that tasks wait for: runtime/sync/waitobj.c, as a channel of capacity 0 or more, or as a mutex. A home
 * keeps the object's words under a guard. A task takes the guard before it reads the words. A task that must wait is
 * evacuated and enqueued under that guard. The task that wakes a waiter writes the answer to the waiter's block. Then
 * it makes the waiter ready, exactly once.
 *
 * With -DMUTEX, each of TASKS tasks locks and unlocks ROUNDS times. At most one task may hold the mutex. Otherwise the
 * object is a channel of capacity CAPACITY. A sender sends MESSAGES numbers, and two receivers take them. Each number
 * must arrive once, and a receiver must get its numbers in ascending order. A lost wake-up would be a deadlock, which
 * is an invalid end state.
 */
#ifndef CAPACITY
#define CAPACITY 1
#endif
#ifndef MESSAGES
#define MESSAGES 4
#endif
#ifdef MUTEX
#define TASKS 3
#define ROUNDS 2
#else
#define TASKS 3 /* 0: the sender; 1, 2: receivers */
#endif
#define NONE 255

byte guard;              /* 0, or the holder's number + 1 */
byte head = NONE, tail = NONE;
byte next[TASKS];        /* a field of each waiter's block */
byte reply[TASKS];       /* a field of each waiter's block: the value that was passed */
bool ready[TASKS];       /* made ready: it may be resumed */
bool out[TASKS];         /* evacuated: the waiter's block is marked so */

inline take(me)
{
    atomic { guard == 0 -> guard = me + 1 }
}

inline leave(me)
{
    atomic { assert(guard == me + 1); guard = 0 }
}

inline queue(me)
{
    next[me] = NONE;
    if
    :: head == NONE -> head = me
    :: else -> next[tail] = me
    fi;
    tail = me
}

/* Dequeue the first waiter into `who`. If the queue is empty, `who` becomes NONE. */
inline unqueue(who)
{
    who = head;
    if
    :: who != NONE ->
        if
        :: head == tail -> head = NONE
        :: else -> head = next[who]
        fi
    :: else
    fi
}

/* Answer, then make ready: S5. */
inline wake(who, value)
{
    assert(out[who]);
#ifdef M_READY_BEFORE_REPLY
    atomic { assert(!ready[who]); ready[who] = true };
    reply[who] = value
#else
    reply[who] = value;
    atomic { assert(!ready[who]); ready[who] = true }
#endif
}

/* Wait. The caller holds the guard when it calls this, but not when it is resumed. */
inline wait(me)
{
#ifdef M_LEAVE_BEFORE_QUEUE
    leave(me);
    out[me] = true;
    take(me);
    queue(me);
    leave(me);
#else
#ifdef M_QUEUE_BEFORE_EVACUATION
    queue(me);
    leave(me);
    out[me] = true;
#else
    out[me] = true; /* evacuated under the guard: S3 */
    queue(me);
    leave(me);
#endif
#endif
    atomic { ready[me] -> ready[me] = false; out[me] = false }
}

#ifdef MUTEX
bool locked;
byte inside;

proctype Task(byte me)
{
    byte round, who;
    for (round : 1 .. ROUNDS) {
        take(me);
        if
        :: locked ->
            wait(me)
        :: else ->
            locked = true;
            leave(me)
        fi;
        inside++;
        assert(inside == 1);
        inside--;
        take(me);
        unqueue(who);
#ifdef M_FREE_AND_WAKE
        locked = false; /* unlocks the mutex, and also hands it over */
#else
        locked = (who != NONE);
#endif
        leave(me);
        if
        :: who != NONE -> wake(who, 0)
        :: else
        fi
    }
}

init {
    atomic { run Task(0); run Task(1); run Task(2) }
}
#else
byte buffer[CAPACITY + 1], first, count;
bool closed, senders;
byte got;     /* values received, as bits */

proctype Sender()
{
    byte value, who;
    for (value : 0 .. MESSAGES - 1) {
        take(0);
        who = NONE;
        if
        :: !senders && head != NONE ->
            unqueue(who);
            leave(0);
            wake(who, value)
        :: else ->
            if
            :: count < CAPACITY ->
                buffer[(first + count) % CAPACITY] = value;
                count++;
                leave(0)
            :: else ->
                senders = true;
                reply[0] = value; /* the waiting sender's value is in its block */
                wait(0)
            fi
        fi
    };
    /* close: all waiters get NONE. */
    take(0);
    closed = true;
    do
    :: head != NONE ->
        unqueue(who);
        wake(who, NONE)
    :: else -> break
    od;
    leave(0)
}

proctype Receiver(byte me)
{
    byte value, last = NONE, who;
    do
    :: take(me);
        who = NONE;
        if
        :: count > 0 || senders ->
            if
            :: senders -> unqueue(who)
            :: else
            fi;
            if
            :: count > 0 ->
                value = buffer[first % (CAPACITY + (CAPACITY == 0))];
                if
                :: who != NONE ->
#ifdef M_SENDER_OVERTAKES
                    buffer[(first + 1) % (CAPACITY + (CAPACITY == 0))] = reply[who];
#else
                    buffer[first % (CAPACITY + (CAPACITY == 0))] = reply[who]; /* the sender's value is now the youngest
                                                                                * in the buffer */
#endif
                :: else -> count--
                fi;
                first = (first + 1) % (CAPACITY + (CAPACITY == 0))
            :: else -> value = reply[who]
            fi;
            if
            :: head == NONE -> senders = false
            :: else
            fi;
            leave(me);
            if
            :: who != NONE -> wake(who, 0)
            :: else
            fi
        :: else ->
            if
            :: closed ->
                leave(me);
                break
            :: else ->
#ifdef M_LOST_AT_CLOSE
                leave(me);
                take(me);
#endif
                wait(me);
                value = reply[me];
                if
                :: value == NONE -> break
                :: else
                fi
            fi
        fi;
        atomic {
            assert(value < MESSAGES && !(got & (1 << value))); /* once each */
            assert(last == NONE || value > last);             /* in order */
            got = got | (1 << value);
            last = value
        }
    od
}

init {
    atomic { run Sender(); run Receiver(1); run Receiver(2) }
    (_nr_pr == 1);
    assert(got == (1 << MESSAGES) - 1)
}
#endif
