/* SPDX-License-Identifier: MIT */
/*
 * The orders of a stop (runtime/sched/stop.c): rank 0 and two workers in RUNS runs. In each run, one of the two workers
 * ends the root. A stop is requested REQUESTS times, at any moment. No worker may wait forever. When rank 0 says that
 * all workers are still, each must be still for this very order, in this run (K3, K4, K5). No request may be lost.
 *
 * A checkpoint saves the workers' memory. With -DWEAK a worker's last stores before the stop reach that memory late.
 *
 * Each worker is in a run or between two runs. It may stay between two runs for any time. The end of a run is announced
 * to all workers at once, and a barrier follows.
 */
#ifndef RUNS
#define RUNS 2
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif
#define WORKERS 3 /* rank 0 is one of them */

#define ORDER(now, number) ((now) * 8 + (number))
#ifdef M_ORDER_WITHOUT_RUN
#define OF_THIS_RUN(order, now) ((order) != 0)
#else
#define OF_THIS_RUN(order, now) ((order) / 8 == (now))
#endif

byte order[WORKERS];   /* WRITTEN by rank 0 */
byte still[WORKERS];   /* stored by each worker */
byte verdict[WORKERS]; /* WRITTEN by the parent; here by rank 0 */
byte ended;            /* number of runs whose end was announced */
byte left_run;         /* number of workers that have left the present run, counted by the barrier at its end */
byte run_of[WORKERS];  /* the run in which each worker is; 0: between two runs */
bool stands[WORKERS];  /* whether the worker waits for the verdict */
byte asked;            /* requests that are not served yet, at most 1 */
byte made, served;     /* requests made; completed stops */
bool lost;             /* a request was taken, but neither served nor kept */

byte saved[WORKERS];   /* the state of each worker's memory as last saved: the order at which the worker stood */
#define STORERS WORKERS
#include "weak.pml"
#ifdef WEAK
inline reach(who, word)
{
    saved[who] = value
}

active proctype StoreBuffers()
{
    byte value;
end:
    do
    :: REACH(1, 0)
    :: REACH(2, 0)
    od
}
#endif

#define ANNOUNCED(now) (ended >= (now))

inline leave_run(me)
{
    atomic { run_of[me] = 0; left_run++ };
    atomic { left_run >= WORKERS * now -> skip } /* the barrier */
}

proctype Worker(byte me)
{
    byte now = 1, seen, done;
    do
    :: now <= RUNS ->
        run_of[me] = now;
        do
        :: atomic { ANNOUNCED(now) -> break }
        /* The root ends here. A worker that has a task cannot be still then; a worker without a task can. */
        :: atomic { me == 1 && !ANNOUNCED(now) -> ended++ }
        :: atomic {
               order[me] != done && OF_THIS_RUN(order[me], now) && !ANNOUNCED(now) ->
               seen = order[me];
               done = seen;
               STORE(me, 0, saved[me], seen)
           };
           atomic { /* show() */
               RELEASED(me);
               still[me] = seen;
               stands[me] = true
           };
           if
           :: atomic { verdict[me] == seen -> stands[me] = false }
#ifdef M_END_WHILE_STILL
           :: atomic { me == 1 && !ANNOUNCED(now) -> ended++; stands[me] = false }
#endif
#ifndef M_END_NOT_SEEN
           :: atomic { ANNOUNCED(now) -> stands[me] = false }
#endif
           fi
        od;
        leave_run(me);
        now++
    :: else -> break
    od
}

proctype Leader()
{
    byte now = 1, number, i;
    do
    :: now <= RUNS ->
        run_of[0] = now;
        do
        :: atomic { ANNOUNCED(now) -> break }
        :: atomic { asked && !ANNOUNCED(now) -> asked = 0; number++ };
           i = 1;
           do
           :: i < WORKERS -> order[i] = ORDER(now, number); i++
           :: else -> break
           od;
           i = 1;
           do
           :: i < WORKERS ->
               if
#ifdef M_ANY_STILL
               :: atomic { still[i] != 0 -> i++ }
#else
               :: atomic { still[i] == ORDER(now, number) -> i++ }
#endif
               :: atomic { ANNOUNCED(now) -> break }
               fi
           :: else -> break
           od;
           if
           :: i < WORKERS -> /* the run ended first: the request counts for the next run (K4) */
#ifndef M_REQUEST_DROPPED
               asked = 1
#else
               lost = true
#endif
           :: else ->
               atomic {
                   assert(!ANNOUNCED(now) && stands[1] && stands[2]);
                   assert(run_of[1] == now && run_of[2] == now);
                   assert(still[1] == ORDER(now, number) && still[2] == ORDER(now, number));
               assert(saved[1] == ORDER(now, number) && saved[2] == ORDER(now, number));
                   served++;
                   verdict[1] = ORDER(now, number);
                   verdict[2] = ORDER(now, number)
               }
           fi
        od;
        leave_run(0);
        now++
    :: else -> break
    od;
    assert(!lost)
}

/* Requests come at any time. A request that arrives while another one waits is served together with it. */
active proctype User()
{
end:
    do
    :: atomic { made < REQUESTS -> made++; asked = 1 }
    od
}

init { atomic { run Leader(); run Worker(1); run Worker(2) } }
