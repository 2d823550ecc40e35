/* SPDX-License-Identifier: MIT */
/*
 * The views of reducers: runtime/task/views.c, with V1 to V4 of views.h.
 *
 * A program adds the numbers 1 to LAST in its serial order. A view is the range [lo, hi] of the numbers that were added
 * to it. lo = 0 stands for the identity. In each combination the right operand must begin where the left one ends.
 * Otherwise the result would be wrong for an operation that does not commute.
 *
 *   Root    adds 1; spawns Outer; adds 6; spawns Waiter; adds 9; joins Waiter, then Outer; adds 10
 *   Outer   adds 2; spawns Inner; adds 4; joins Inner; adds 5
 *   Inner   adds 3
 *   Waiter  adds 7; waits for an event; adds 8
 *
 * With -DGROUP, three children are like Waiter. The first child adds 2 and 3, the second 4 and 5, the third 7 and 8.
 * Root adds 1, spawns the first and the second child, adds 6, spawns the third child and adds 9. Then Root waits for
 * all three at once, and adds 10. With -DGROUP -DSLOTS, each child WRITEs its views to its own slot, and then marks the
 * record, as the parts of a team's loop do (V6).
 *
 * Each worker has one register for the views of its strand, as in the C code. While a child runs or waits, an idle
 * worker may take its spawner's continuation. Otherwise the spawner continues where the child ends. Records are those
 * of group.pml: a record counts children that have ended, and the joiner subtracts the number of children that it waits
 * for. Chains are { WRITE; atomic; READ }, so their operations are steps in order.
 */
#define LAST 10
#ifndef WORKERS
#define WORKERS 3
#endif
#define NOBODY WORKERS
#define CHILDREN 3 /* each has its own record; with -DGROUP all share one */
#ifdef GROUP
#define RECORD(c) 0
#else
#define RECORD(c) c
#endif

/* Workers. */
byte lo[WORKERS], hi[WORKERS];
bool busy[WORKERS];

/* Children. */
byte where[CHILDREN];  /* the worker on which the child begins, and on which it has ended */
bool parted[CHILDREN]; /* the continuation was taken */
bool ended[CHILDREN];  /* the child ended while its spawner's continuation ran on another worker */
byte block_lo[CHILDREN], block_hi[CHILDREN];

/* Records. */
short count[CHILDREN];
byte resumer[CHILDREN] = NOBODY; /* the worker on which the joiner continues */
byte list[CHILDREN];             /* children whose blocks are on the list, in push order */
byte length;                     /* length of the list. Without -DGROUP a record's list has at most one child, and
                                  * `pushed` says whether it has one */
bool pushed[CHILDREN];
bool marked; /* with -DSLOTS: the record's list is the name of the slots, which are block_lo and block_hi */
bool over;

/* uat_views_add() of one view. */
inline combine(l, h)
{
    if
    :: l == 0
    :: l != 0 && lo[w] == 0 -> lo[w] = l; hi[w] = h
    :: l != 0 && lo[w] != 0 -> assert(l == hi[w] + 1); hi[w] = h
    fi
}

/* An addition to the view of the strand. */
inline add(n)
{
    atomic { combine(n, n) }
}

/* uat_views_put_aside(): V1. */
inline put_aside(l, h)
{
    l = lo[w];
    h = hi[w];
#ifndef M_VIEWS_KEPT
    lo[w] = 0;
    hi[w] = 0
#endif
}

#define SOME_IDLE (!busy[0] || !busy[1] || !busy[WORKERS - 1])

inline take_worker()
{
    atomic {
        if
        :: !busy[0] -> w = 0
        :: !busy[1] -> w = 1
        :: !busy[WORKERS - 1] -> w = WORKERS - 1
        fi;
        busy[w] = 1
    }
}

/* Child c has started on this worker. Continue after the child, or on the worker that takes the continuation. */
inline spawned(c)
{
    if
    :: ended[c] -> w = where[c]
    :: atomic { !ended[c] && SOME_IDLE -> parted[c] = 1 };
       take_worker()
    fi
}

/* V2: uat_views_suspend(). */
inline wait_event()
{
#ifdef M_NOT_ASIDE_IN_WAIT
    a = 0;
    busy[w] = 0;
#else
    atomic { put_aside(a, b); busy[w] = 0 };
#endif
    take_worker();
    atomic { combine(a, b) }
}

#ifdef SLOTS
/* V6: uat_views_leave_in_slot(). */
inline push(c)
{
    if
    :: lo[w] != 0 ->
        atomic { put_aside(block_lo[c], block_hi[c]) };
        marked = 1
    :: else
    fi
}
#else
/* V3: uat_views_leave(). */
inline push(c)
{
    atomic {
        put_aside(block_lo[c], block_hi[c]);
        if
        :: block_lo[c] != 0 ->
#ifdef M_PUSH_OVERWRITES
            length = 0;
#endif
            list[length] = c;
            length++;
            pushed[c] = 1
        :: else
        fi
    }
}
#endif

/* uat_task_returned(), uat_join_child_ended() */
inline end_child(c)
{
    atomic {
        if
        :: !parted[c] -> where[c] = w; ended[c] = 1
        :: else
        fi
    };
    if
    :: parted[c] ->
#ifndef M_ADD_BEFORE_PUSH
        push(c);
#endif
        atomic { old = count[RECORD(c)]; count[RECORD(c)]++ };
#ifdef M_ADD_BEFORE_PUSH
        push(c);
#endif
        if
        :: old == -1 -> resumer[RECORD(c)] = w
        :: else -> busy[w] = 0
        fi
    :: else
    fi
}

/* V4: uat_views_take_left(). */
inline take_left(r)
{
#ifdef SLOTS
    i = 0;
    do
    :: i < CHILDREN && marked ->
#ifdef M_SLOTS_BACKWARDS
        combine(block_lo[CHILDREN - 1 - i], block_hi[CHILDREN - 1 - i]);
#else
        combine(block_lo[i], block_hi[i]);
#endif
        i++
    :: else -> break
    od
#elif defined(GROUP)
    i = 0;
#ifdef M_LIST_NOT_SORTED
    do
    :: i < length -> combine(block_lo[list[length - 1 - i]], block_hi[list[length - 1 - i]]); i++
    :: else -> break
    od;
#else
    do
    :: i < CHILDREN ->
        j = 0; /* is it on the list? */
        do
        :: j < length && list[j] != i -> j++
        :: else -> break
        od;
        if
        :: j < length -> combine(block_lo[i], block_hi[i])
        :: else
        fi;
        i++
    :: else -> break
    od;
#endif
    length = 0
#else
    if
    :: pushed[r] -> combine(block_lo[r], block_hi[r])
    :: else
    fi
#endif
}

/* uat_join_wait() of `number` children that have parted. */
inline join(r, number)
{
    if
    :: (number) > 0 ->
#ifdef M_NOT_ASIDE_IN_JOIN
        a = 0;
#else
        atomic { put_aside(a, b) };
#endif
        atomic { old = count[r]; count[r] = count[r] - (number) };
        if
        :: old == (number)
        :: else ->
            busy[w] = 0;
            atomic { resumer[r] != NOBODY -> w = resumer[r]; resumer[r] = NOBODY }
        fi;
        atomic {
#ifdef M_OWN_ON_THE_LEFT
            combine(a, b);
            take_left(r)
#else
            take_left(r);
            combine(a, b)
#endif
        }
    :: else
    fi
}

/* A child that waits. */
proctype Waiter(byte c; byte n)
{
    byte w = where[c], a, b;
    short old;
    add(n);
    wait_event();
    add(n + 1);
    end_child(c)
}

proctype Inner(byte c)
{
    byte w = where[c];
    short old;
    add(3);
    end_child(c)
}

proctype Outer(byte c)
{
    byte w = where[c], a, b, i, j;
    short old;
    add(2);
    where[2] = w;
    run Inner(2);
    spawned(2);
    add(4);
    join(2, parted[2]);
    add(5);
    end_child(c)
}

proctype Root()
{
    byte w = 0, a, b, i, j;
    short old;
    busy[0] = 1;
    add(1);
#ifdef GROUP
    where[0] = w;
    run Waiter(0, 2);
    spawned(0);
    where[1] = w;
    run Waiter(1, 4);
    spawned(1);
    add(6);
    where[2] = w;
    run Waiter(2, 7);
    spawned(2);
    add(9);
    join(0, parted[0] + parted[1] + parted[2]);
#else
    where[0] = w;
    run Outer(0);
    spawned(0);
    add(6);
    where[1] = w;
    run Waiter(1, 7);
    spawned(1);
    add(9);
    join(1, parted[1]);
    join(0, parted[0]);
#endif
    add(10);
    assert(lo[w] == 1 && hi[w] == LAST);
    over = 1
}

init
{
    run Root();
    over /* otherwise an invalid end state */
}
