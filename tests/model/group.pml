/* SPDX-License-Identifier: MIT */
/*
 * The wait of a task group: runtime/sched/join.c and meet.c for handles of groups, with J4 of runtime/segment/record.h.
 *
 * CHILDREN children of one spawner run on other workers. They share one record, which is used ROUNDS times. In each
 * round exactly one process continues the spawner, after all children have ended. That process is the spawner itself or
 * the child that ends last. After that `count` is 0 again, without a reset. As in join.pml, chains are steps in order.
 * The record's owner and the blocks are left out, because they would be the same as in join.pml.
 */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef CHILDREN
#define CHILDREN 3
#endif

short count;   /* number of FETCH_ADDs by children and spawner */
byte waiter;   /* WRITE of the spawner's worker: the round in which the stack was evacuated */
byte ended;    /* children of this round whose writes are complete */
byte goes_on;  /* number of rounds whose spawner continued */
bool returned;
byte left;     /* processes of this round that have not finished */

inline go_on(round)
{
    assert(goes_on == round - 1);
    assert(ended == CHILDREN);
    assert(count == 0);
    goes_on = round
}

/* uat_meet_child_of_group(), resume_joiner() */
proctype Child(byte r)
{
    short old;
    byte where;
#ifdef M_ADD_BEFORE_WRITES
    atomic { old = count; count++ };
    ended++;
    where = waiter;
#else
    ended++; /* uat_global_before_end() */
#ifdef M_WAITER_BEFORE_ADD
    where = waiter;
#endif
    atomic { old = count; count++ };
#ifndef M_WAITER_BEFORE_ADD
    where = waiter;
#endif
#endif
    if
#ifdef M_ANY_CHILD_BELOW_0
    :: old < 0 ->
#else
    :: old == -1 ->
#endif
        assert(where == r); /* this round's stack */
        atomic { go_on(r) };
        assert(!returned);
        returned = 1
    :: else
    fi;
    left--
}

/* uat_join_wait_at(). */
proctype Spawner(byte r)
{
    short old;
    bool has_ended;
    if
#ifdef M_ONE_CHILD_IS_ENOUGH
    :: atomic { count > 0 -> has_ended = 1 }
#else
    :: atomic { count == CHILDREN -> has_ended = 1 } /* uat_meet_asks() */
#endif
    :: has_ended = 0
    fi;
    if
    :: has_ended ->
#ifndef M_NO_ADD_WHEN_ENDED
        atomic { old = count; count = count - CHILDREN };
#endif
        atomic { go_on(r) };
        returned = 1
    :: else ->
#ifdef M_ADD_BEFORE_WAITER
        atomic { old = count; count = count - CHILDREN };
        waiter = r;
#else
        waiter = r;
        atomic { old = count; count = count - CHILDREN };
#endif
        if
        :: old == CHILDREN -> /* all children ended after the test: the stack is still in place */
            atomic { go_on(r) };
#ifndef M_RACED_SPAWNER_KEEPS_RECORD
            returned = 1
#endif
        :: else
        fi
    fi;
    left--
}

init
{
    byte r = 1, i;
    do
    :: r <= ROUNDS ->
        atomic {
            returned = 0;
            ended = 0;
            left = CHILDREN + 1;
            i = 0;
            do
            :: i < CHILDREN -> run Child(r); i++
            :: else -> break
            od;
            run Spawner(r)
        };
        atomic { left == 0 && returned -> r++ }
    :: r > ROUNDS -> break
    od;
    assert(goes_on == ROUNDS)
}
