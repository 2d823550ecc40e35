/* SPDX-License-Identifier: MIT */
/*
 * The inbox of deque/inbox.h: a home, and SENDERS senders. Each sender sends its one block ROUNDS times. (A CMP_SWAP
 * could confuse two sends of the same block.) The home takes all tasks at once, READs their headers, and gives each
 * block back. A sender may use its block again when it has got the block back. Each send must be received exactly once.
 * Meanwhile rank 0 looks for a deadlock, as in runtime/sched/deadlock.c. Rank 0 must not report a deadlock before all
 * is done.
 *
 * With -DWEAK the sender's store to its block, and the home's notice, reach memory late.
 *
 * work[] is odd for each worker that has work. The home has no work at first; a sender has work until its last send.
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define HOME SENDERS
#define NAME (self + 1)

byte head;              /* name of the task that was sent last; 0: none */
byte next[SENDERS + 1]; /* indexed by name */
bool free[SENDERS];     /* the block was given back */
bool there[SENDERS];    /* the block holds a task that was sent and not yet received */
byte work[SENDERS + 1]; /* the notices */
byte received;

#define STORERS (SENDERS + 1)
#include "weak.pml"
#ifdef WEAK
inline reach(who, word)
{
    if
    :: who == HOME -> work[HOME] = value
    :: else -> next[who + 1] = value
    fi
}

active proctype StoreBuffers()
{
    byte value;
end:
    do
    :: REACH(0, 0)
    :: REACH(1, 0)
    :: REACH(HOME, 0)
    od
}
#endif
#ifdef M_NO_RELEASE_BY_HOME
#define RELEASED_BY_HOME true
#else
#define RELEASED_BY_HOME RELEASED(HOME)
#endif
#ifdef M_NO_RELEASE_BY_SENDER
#define RELEASED_BY_SENDER true
#else
#define RELEASED_BY_SENDER RELEASED(self)
#endif

proctype Sender(byte self)
{
    byte expected, old, round;
    for (round : 1 .. ROUNDS) {
        (free[self]);
        free[self] = false;
        there[self] = true;
        expected = 0;
        do
        ::
#ifndef M_NEXT_AFTER_SWAP
            STORE(self, 0, next[NAME], expected);
#endif
#ifdef M_SEND_BY_WRITE
            old = head; /* a READ, then a WRITE */
            next[NAME] = old;
            head = NAME;
            break
#else
            atomic {
                RELEASED_BY_SENDER;
                old = head;
                if
                :: old == expected -> head = NAME
                :: else
                fi
            };
#ifdef M_NEXT_AFTER_SWAP
            if
            :: old == expected -> next[NAME] = expected
            :: else
            fi;
#endif
            if
            :: old == expected -> break
            :: else ->
#ifdef M_LOSER_LEAVES
                break
#else
                expected = old
#endif
            fi
#endif
        od
    }
    work[self]++ /* even: no work any more */
}

inline receive(name)
{
    assert(there[name - 1]);
    there[name - 1] = false;
    received++;
#ifdef M_GIVEN_BACK_EARLY
    free[name - 1] = true;
    after = next[name]
#else
    after = next[name];
    free[name - 1] = true
#endif
}

proctype Home()
{
    byte first, old, at, after, notice;
    do
    :: head != 0 ->
#ifndef M_WORK_AFTER_TAKE
        notice++;
        STORE(HOME, 0, work[HOME], notice); /* uat_notice_begin() */
#endif
        first = head;
        do
        ::
#ifdef M_TAKE_BY_WRITE
            first = head;
            head = 0;
            break
#else
            atomic {
                RELEASED_BY_HOME;
                old = head;
                if
                :: old == first -> head = 0
                :: else
                fi
            };
            if
            :: old == first -> break
            :: else -> first = old
            fi
#endif
        od;
#ifdef M_WORK_AFTER_TAKE
        notice++;
        STORE(HOME, 0, work[HOME], notice);
#endif
        at = first;
        do
        :: at != 0 -> receive(at); at = after
        :: else -> break
        od;
        notice++;
        atomic { RELEASED_BY_HOME; STORE(HOME, 0, work[HOME], notice) } /* uat_notice_end() */
    :: received == SENDERS * ROUNDS -> break
    od
}

/* READ a worker's notice and inbox. In this model only the home has an inbox. */
inline look(worker)
{
    queued = 0;
#ifdef M_WORK_BEFORE_INBOX
    seen = work[worker];
    if
    :: worker == HOME -> queued = head
    :: else
    fi
#else
#ifndef M_NO_INBOX
    if
    :: worker == HOME -> queued = head
    :: else
    fi;
#endif
    seen = work[worker]
#endif
}

proctype Rank0()
{
    byte i, round, sum, before, seen, queued;
    bool busy;
    do
    :: received == SENDERS * ROUNDS -> break
    :: else ->
        busy = false;
        before = 0;
        for (round : 1 .. 2) {
            sum = 0;
            for (i : 0 .. SENDERS) {
                look(SENDERS - i); /* look at the home first; otherwise rank 0 would always see a send in time */
                sum = sum + seen;
                busy = busy || (seen % 2 == 1) || queued != 0
            }
            if
            :: round == 1 -> before = sum
            :: else
            fi
        }
        assert(busy || sum != before || received == SENDERS * ROUNDS)
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. SENDERS - 1) {
            free[i] = true;
            work[i] = 1;
            run Sender(i)
        }
        run Home();
        run Rank0()
    }
    (received == SENDERS * ROUNDS && _nr_pr == 1 + BUFFERS);
    assert(head == 0)
}
