/* SPDX-License-Identifier: MIT */
/*
 * The barrier that carries a status and a word of rank 0: uat_collective_agree_on() in runtime/job/collective.c.
 * WORKERS workers pass BARRIERS barriers, each with a status that the worker chooses freely. No worker leaves a barrier
 * before all have entered it. All leave it with the lowest status and with rank 0's word. A partner's message always
 * belongs to the current barrier, so no call is mistaken for another one.
 *
 * A chain { WRITE; FETCH_ADD } is two steps in order (O1). The counts are never reset.
 */
#ifndef WORKERS
#define WORKERS 4
#endif
#ifndef BARRIERS
#define BARRIERS 2
#endif
#define ROUNDS 2 /* rounds of distance 1 and 2: for 3 or 4 workers */

#ifdef M_ONE_SLOT
#define SLOT(worker, number, round) ((worker) * 2 * ROUNDS + (round))
#else
#define SLOT(worker, number, round) (((worker) * 2 + (number) % 2) * ROUNDS + (round))
#endif
#define COUNT(worker, round)        ((worker) * ROUNDS + (round))

byte count[WORKERS * ROUNDS];         /* words.barrier of collective.c: FETCH_ADDs of the partner */
byte call[WORKERS * 2 * ROUNDS];      /* struct uat_told: WRITEs of the partner */
bit failed[WORKERS * 2 * ROUNDS];
byte word[WORKERS * 2 * ROUNDS]; /* rank 0 passes the barrier's number, the other ranks pass 0 */

byte entered[BARRIERS + 1]; /* ghost state: how many workers have entered, and whether one has failed */
bit any_failed[BARRIERS + 1];

inline tell(to, number, round, status, its)
{
#ifdef M_COUNT_BEFORE_WORD
    count[COUNT(to, round)]++;
#endif
    atomic {
        slot = SLOT(to, number, round);
        call[slot] = number;
        failed[slot] = status;
        word[slot] = its;
        slot = 0
    }
#ifndef M_COUNT_BEFORE_WORD
    count[COUNT(to, round)]++
#endif
}

inline hear(self, number, round, status, its)
{
#ifndef M_NO_WAIT
    count[COUNT(self, round)] >= number;
#endif
    atomic {
        slot = SLOT(self, number, round);
        assert(call[slot] == number);
        status = status | failed[slot];
        if
#ifdef M_ANY_WORD
        :: true
#else
        :: (self + WORKERS - distance) % WORKERS < distance /* the sender already has rank 0's word */
#endif
            -> its = word[slot]
        :: else
        fi;
        slot = 0;
        round++;
        distance = distance * 2
    }
}

proctype Worker(byte self)
{
    byte number = 1, round, distance, slot;
    bit own, lowest;
    byte mine, its; /* its own word, and the word to leave with */
    do
    :: number > BARRIERS -> break
    :: else ->
        atomic {
            if
            :: own = 0
            :: own = 1
            fi;
            mine = (self == 0 -> number : 0);
            its = mine;
            entered[number]++;
            any_failed[number] = any_failed[number] | own;
            lowest = own;
            round = 0;
            distance = 1
        }
        do
        :: distance >= WORKERS -> break
#ifdef M_LAST_ROUND_LEFT_OUT
        :: distance == 2 -> break
#endif
        :: else ->
#ifdef M_OWN_STATUS_ONLY
            tell((self + distance) % WORKERS, number, round, own, its);
#else
#ifdef M_OWN_WORD_ONLY
            tell((self + distance) % WORKERS, number, round, lowest, mine);
#else
            tell((self + distance) % WORKERS, number, round, lowest, its);
#endif
#endif
            hear(self, number, round, lowest, its)
        od;
        atomic {
            assert(entered[number] == WORKERS);
            assert(lowest == any_failed[number]);
            assert(its == number);
            number++
        }
    od
}

init {
    byte i;
    atomic {
        do
        :: i < WORKERS -> run Worker(i); i++
        :: else -> break
        od
    }
}
