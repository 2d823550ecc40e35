/* SPDX-License-Identifier: MIT */
/*
 * Waiting for several channels: runtime/sync/select.c. There are two rendezvous channels. Each has one sender, which
 * sends MESSAGES numbers. SELECTS tasks receive from both channels until both channels are closed. A waiting task has a
 * select waiter with an entry in each queue. The worker that dequeues an entry claims the select waiter under that
 * queue's guard. The resumed task removes its other entry and gives the select waiter back. Each number must arrive
 * once, no task may use a select waiter that was given back, and all tasks must end.
 */
#ifndef MESSAGES
#define MESSAGES 1
#endif
#ifndef SELECTS
#define SELECTS 2
#endif
#define CHANNELS 2
#define ENTRIES  4 /* maximum waiters in a queue */
#define SENDER   10 /* a waiter: SENDER, or a select's number */
#define NONE     255

typedef channel {
    bool guard, closed;
    byte count, line[ENTRIES]
};
channel c[CHANNELS];

typedef select_waiter {
    bool alive, claimed, ready;
    byte fired, value /* the answer: the channel, and the number, or NONE if the channel is closed */
};
select_waiter t[SELECTS];

byte offered[CHANNELS]; /* the waiting sender's number */
bool taken[CHANNELS];   /* the number was taken, so the sender may continue */
byte got;               /* received numbers, as bits */
byte sent;              /* number of senders that have ended */

inline take(at_c)
{
    atomic { !c[at_c].guard -> c[at_c].guard = true }
}

inline leave(of_c)
{
    c[of_c].guard = false
}

inline enqueue(to_c, waiter)
{
    c[to_c].line[c[to_c].count] = waiter;
    c[to_c].count++
}

/* Remove the entry at index `place`. The caller holds the guard. */
inline drop(from_c, place)
{
    d_step {
        k = place;
        do
        :: k + 1 < c[from_c].count -> c[from_c].line[k] = c[from_c].line[k + 1]; k++
        :: else -> break
        od;
        c[from_c].count--;
        c[from_c].line[c[from_c].count] = 0;
        k = 0
    }
}

/* Dequeue the first waiter that can be woken, and store it in `first`. If there is none, store NONE. */
inline unqueue(in_c, first)
{
    first = NONE;
    do
    :: c[in_c].count == 0 -> break
    :: else ->
        first = c[in_c].line[0];
        drop(in_c, 0);
        if
        :: first == SENDER -> break
        :: else ->
            assert(t[first].alive);
#ifdef M_NO_CLAIM
            t[first].claimed = true;
            break
#else
            if
            :: atomic { !t[first].claimed -> t[first].claimed = true };
                break
            :: else ->
#ifdef M_LOST_COUNTS
                break /* continue as if it had been woken */
#else
                first = NONE
#endif
            fi
#endif
        fi
    od
}

inline wake(task, by_c, number)
{
    t[task].fired = by_c;
    t[task].value = number;
    atomic { assert(!t[task].ready); t[task].ready = true }
}

proctype Sender(byte ch)
{
    byte i, k, who;
    for (i : 0 .. MESSAGES - 1) {
        take(ch);
        unqueue(ch, who);
        if
        :: who != NONE ->
            leave(ch);
            wake(who, ch, ch * MESSAGES + i)
        :: else ->
            offered[ch] = ch * MESSAGES + i;
            enqueue(ch, SENDER);
            leave(ch);
            atomic { taken[ch] -> taken[ch] = false }
        fi
    };
    /* close */
    take(ch);
    c[ch].closed = true;
#ifdef M_CLOSE_OUTSIDE
    byte list[ENTRIES], n;
    d_step {
        do
        :: n < c[ch].count -> list[n] = c[ch].line[n]; n++
        :: else -> break
        od;
        c[ch].count = 0
    };
    leave(ch);
    for (i : 1 .. n) {
        who = list[i - 1];
        assert(t[who].alive);
        if
        :: atomic { !t[who].claimed -> t[who].claimed = true };
            wake(who, ch, NONE)
        :: else
        fi
    }
#else
    do
    :: c[ch].count > 0 ->
        unqueue(ch, who);
        if
        :: who != NONE -> wake(who, ch, NONE)
        :: else
        fi
    :: else -> break
    od;
    leave(ch)
#endif
}

inline receive(number)
{
    d_step {
        assert(!(got & (1 << number)));
        got = got | (1 << number)
    }
}

/* Take the waiting sender's number. The caller holds the channel's guard. */
inline receive_now(open_c)
{
    drop(open_c, 0);
    value = offered[open_c];
    leave(open_c);
    taken[open_c] = true;
    receive(value)
}

/* The task's worker after the evacuation. It holds both guards. The task may be resumed elsewhere before this process
 * ends. */
proctype Park(byte me)
{
#ifdef M_ONE_BY_ONE
    leave(1);
    enqueue(0, me);
    leave(0);
    take(1);
    enqueue(1, me);
    leave(1)
#else
    enqueue(0, me);
    enqueue(1, me);
    leave(0);
    leave(1)
#endif
}

proctype Select(byte me)
{
    byte k, i, value;
    do
    :: c[0].closed && c[1].closed -> break
    :: else ->
        take(0);
        take(1); /* guards are taken in order */
        if
        :: c[0].count > 0 && c[0].line[0] == SENDER ->
            leave(1);
            receive_now(0)
        :: c[1].count > 0 && c[1].line[0] == SENDER ->
            leave(0);
            receive_now(1)
        :: (c[0].count == 0 || c[0].line[0] != SENDER) && (c[1].count == 0 || c[1].line[0] != SENDER) &&
           (c[0].closed || c[1].closed) -> /* leave out the closed channel, and receive from the open one */
            leave(0);
            leave(1);
            if
            :: c[0].closed && c[1].closed -> break
            :: else -> skip
            fi;
            goto one
        :: else ->
            d_step {
                t[me].alive = true;
                t[me].claimed = false
            };
            run Park(me);
            atomic { t[me].ready -> t[me].ready = false };
            value = t[me].value;
            i = 1 - t[me].fired;
            if
            :: value != NONE -> receive(value)
            :: else
            fi;
#ifndef M_NOT_REMOVED
            take(i);
            k = 0;
            do
            :: k < c[i].count && c[i].line[k] != me -> k++
            :: else -> break
            od;
            if
            :: k < c[i].count -> value = k; drop(i, value)
            :: else
            fi;
            leave(i);
#endif
            t[me].alive = false
        fi
    od;
    goto over;

one: /* one channel is closed: receive from the open one, as a plain receiver that is in no queue */
    i = (c[0].closed -> 1 : 0);
    do
    :: take(i);
        if
        :: c[i].count > 0 && c[i].line[0] == SENDER -> receive_now(i)
        :: c[i].count == 0 && c[i].closed -> leave(i); break
        :: else -> leave(i)
        fi
    od;
over:
    skip
}

init {
    byte i;
    atomic {
        run Sender(0);
        run Sender(1);
        for (i : 0 .. SELECTS - 1) {
            run Select(i)
        }
    }
    (_nr_pr == 1);
    assert(got == (1 << (2 * MESSAGES)) - 1);
    assert(c[0].count == 0 && c[1].count == 0)
}
