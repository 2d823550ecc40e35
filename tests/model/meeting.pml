/* SPDX-License-Identifier: MIT */
/*
 * The workers of uatrun in its memory: meeting_barrier() and meeting_exchange() of runtime/job/meeting.c. WORKERS workers
 * pass EXCHANGES exchanges. After the barrier of an exchange, each finds what every worker has published in it, although
 * a fast worker may publish for the next one meanwhile. All workers end.
 */
#define WORKERS   3
#define EXCHANGES 4
#ifdef M_ONE_PLACE
#define PLACE(number, worker) (worker)
#else
#define PLACE(number, worker) ((number) % 2 * WORKERS + (worker))
#endif

byte entered, ended;      /* struct uat_meeting of base/meeting.h */
byte blob[2 * WORKERS];   /* the number of the exchange, from 1 */
byte left;

proctype Worker(byte me)
{
    byte number, before, count, i;
    do
    :: number < EXCHANGES ->
        before = ended;
        blob[PLACE(before, me)] = number + 1;
        atomic { entered++; count = entered };
        if
#ifdef M_ONE_IS_ENOUGH
        :: count >= WORKERS - 1 ->
#else
        :: count == WORKERS ->
#endif
#ifdef M_RESET_LATE
            ended = before + 1;
            entered = 0
#else
#ifndef M_NO_RESET
            entered = 0;
#endif
            ended = before + 1
#endif
        :: else
        fi;
        (ended != before);
        i = 0;
        do
        :: i < WORKERS -> assert(blob[PLACE(before, i)] == number + 1); i++
        :: else -> break
        od;
        number++
    :: else -> break
    od;
    left++
}

init
{
    atomic { run Worker(0); run Worker(1); run Worker(2) };
    (left == WORKERS)
}
