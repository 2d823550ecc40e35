/* SPDX-License-Identifier: MIT */
/*
 * The cells of runtime/adaptive/cell.h: an owner that runs ROUNDS intervals in one cell, and two thieves, each with a
 * cell of its own. Each unit of each interval must run once, with the part that was written for it. The owner may take
 * back a part that is still running. Between two parts a thief may run an interval of its own in its cell, a stranger.
 * No other worker may take from a stranger.
 *
 * With -DWEAK the owner's stores to its part and to `taken` reach memory late.
 *
 * With -DREQUESTS this is the model of the mailbox. Two thieves share one slot, post REQUESTS requests each, and cancel
 * them at any time. Each request that is not cancelled gets one answer, for its own data.
 */
#ifndef REQUESTS

#define UNITS  3
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef PARTS_MAX
#define PARTS_MAX 2 /* maximum number of parts that each thief takes */
#endif
#define THIEVES 2

/* A word: used, generation, parts, begin, end */
#define WORD(g, p, b, e) (512 + ((g) & 7) * 64 + (p) * 16 + (b) * 4 + (e))
#define GENERATION(w)    (((w) >> 6) & 7)
#define PARTS(w)         (((w) >> 4) & 3)
#define BEGIN(w)         (((w) >> 2) & 3)
#define END(w)           ((w) & 3)
#define IS_LEFT(w)       ((w) != 0 && BEGIN(w) < END(w))

short word[1 + THIEVES];     /* cell 0 is the owner's */
byte part;                   /* the part of cell 0: the round's number */
byte taken[4];               /* result + 1, for each part of cell 0 */
byte futures;                /* number of results made */
bool set[THIEVES * PARTS_MAX + 1];
byte cell_of[THIEVES * PARTS_MAX + 1];
bool done[ROUNDS * UNITS];
byte ended;                  /* number of rounds that ended */

#define STORERS 1
#include "weak.pml"
#ifdef WEAK
inline reach(who, which)
{
    if
    :: which == 0 -> part = value
    :: else -> taken[which - 1] = value
    fi
}

active proctype StoreBuffer()
{
    byte value;
end:
    do
    :: REACH(0, 0) :: REACH(0, 1) :: REACH(0, 2)
    od
}
#define IS_CLEARED(i) (buffer[0]??[eval(i + 1), f]) /* the owner sees its own buffered 0 in taken[i] */
#else
#define IS_CLEARED(i) false
#endif

inline swap(at, expected, desired, old)
{
    atomic { old = word[at]; if :: old == expected -> word[at] = desired :: else fi }
}

inline run_unit(round, unit)
{
    atomic { assert(!done[(round) * UNITS + unit]); done[(round) * UNITS + unit] = true }
}

active proctype Owner()
{
    short seen, old, w, rest;
    byte parts, f, i, generation;
    do
    :: ended < ROUNDS ->
        STORE(0, 0, part, ended);
        STORE(0, 1, taken[0], 0);
        STORE(0, 2, taken[1], 0);
        atomic { taken[2] = 0; taken[3] = 0 }
        seen = WORD(generation, 0, 0, UNITS);
        atomic { RELEASED(0); word[0] = seen }; /* uat_cell_swap() */
next:   do
        :: IS_LEFT(seen) ->
            swap(0, seen, WORD(generation, PARTS(seen), BEGIN(seen) + 1, END(seen)), old);
            if
            :: old == seen -> run_unit(ended, BEGIN(seen));
                seen = WORD(generation, PARTS(seen), BEGIN(seen) + 1, END(seen))
            :: else -> seen = old
            fi
        :: else -> break
        od;
        parts = PARTS(seen);
        do
        :: parts > 0 ->
            i = parts - 1;
            (taken[i] != 0 && !IS_CLEARED(i));
            f = taken[i] - 1;
            rest = 0;
            if
            :: skip
            :: true -> /* take back */
                w = word[cell_of[f]];
                if
#ifdef M_RESULT_NOT_LOOKED_AT
                :: PARTS(w) == 0 && IS_LEFT(w) ->
#else
                :: PARTS(w) == 0 && IS_LEFT(w) && !set[f] -> /* set[f] is loaded after the word (A5) */
#endif
#ifdef M_NO_GENERATION
                    atomic {
                        old = word[cell_of[f]];
                        if
                        :: (old | 448) == (w | 448) -> word[cell_of[f]] = WORD(GENERATION(old), 0, END(w), END(w)); old = w
                        :: else -> old = 0
                        fi
                    };
#else
                    swap(cell_of[f], w, WORD(GENERATION(w), 0, END(w), END(w)), old);
#endif
                    if
                    :: old == w -> rest = w
                    :: else
                    fi
                :: else
                fi
            fi;
#ifndef M_REST_RUNS_BEFORE_THE_RESULT
            (set[f]);
#endif
            parts = i; w = 0; old = 0;
            if
            :: rest != 0 ->
#ifndef M_NAME_NOT_CLEARED
                taken[i] = 0;
#endif
#ifndef M_ONE_NAME_CLEARED
                do
                :: i + 1 < PARTS(seen) -> i++; taken[i] = 0 /* this part was merged; its number is used again */
                :: else -> break
                od;
#endif
                seen = WORD(generation, parts, BEGIN(rest), END(rest));
                word[0] = seen; /* a swap: no other worker changes an empty word */
                goto next
            :: else
            fi
        :: else -> break
        od;
        assert(done[ended * UNITS] && done[ended * UNITS + 1] && done[ended * UNITS + 2]);
        word[0] = 0;
#ifndef M_SAME_GENERATION
        generation++;
#endif
        seen = 0; old = 0; w = 0; rest = 0; f = 0;
        ended++
    :: else -> break
    od
}

proctype Thief(byte me)
{
    short w, old, own, desired;
    byte round, number, f, generation, taken_parts, ran;
    do
    :: ended == ROUNDS || taken_parts == PARTS_MAX -> w = 0; break
    :: taken_parts < PARTS_MAX ->
        w = word[0];
        if
        :: IS_LEFT(w) && PARTS(w) < 3 ->
#ifdef M_PART_READ_FIRST
            round = part;
#endif
            desired = WORD(GENERATION(w), PARTS(w) + 1, BEGIN(w), BEGIN(w) + (END(w) - BEGIN(w)) / 2);
            swap(0, w, desired, old);
            if
            :: old == w ->
#ifndef M_PART_READ_FIRST
                round = part; /* in the swap's chain, after the swap (A3) */
#endif
                number = PARTS(w);
                own = WORD(generation, 0, 0, 0);
                word[me] = own;
                atomic { f = futures; futures++; cell_of[f] = me };
                taken[number] = f + 1;
                own = WORD(generation, 0, BEGIN(w) + (END(w) - BEGIN(w)) / 2, END(w));
                word[me] = own;
                do
                :: IS_LEFT(own) ->
                    swap(me, own, WORD(generation, 0, BEGIN(own) + 1, END(own)), old);
                    if
                    :: old == own -> run_unit(round, BEGIN(own)); own = WORD(generation, 0, BEGIN(own) + 1, END(own))
                    :: else -> own = old
                    fi
                :: else -> break
                od;
#ifdef M_CELL_FREE_BEFORE_RESULT
                word[me] = 0; generation++;
                ran = 1;
#else
                set[f] = true; /* before the cell is free (A5) */
                word[me] = 0; generation++;
                ran = 0;
#endif
                taken_parts++;
                if
                :: skip
                :: true -> /* a stranger, in the same cell */
                    own = WORD(generation, 0, END(w) - 1, END(w));
                    word[me] = own;
                    swap(me, own, WORD(generation, 0, END(w), END(w)), old);
                    assert(old == own); /* no thief has taken from it */
                    word[me] = 0; generation++
                fi;
                if
                :: ran == 1 -> set[f] = true
                :: else
                fi
            :: else
            fi;
            atomic { old = 0; own = 0; desired = 0; round = 0; number = 0; f = 0; ran = 0 } /* zeroed: fewer states */
        :: else
        fi
    od
}

init { atomic { run Thief(1); run Thief(2) } }

#else

#define CANCELLED 128
byte slot, asked, answers[3], data;
byte posted;

proctype Thief(byte me)
{
    byte n, value, old, before;
    do
    :: n == REQUESTS -> break
    :: n < REQUESTS ->
        value = me * 16 + n + 1;
        atomic { old = slot; if :: old == 0 -> slot = value :: else fi };
        if
        :: old == 0 ->
            before = answers[me];
            data = value;
            atomic { assert(asked == 0); asked++ };
            n++;
            if
            :: (answers[me] != before)
            :: true ->
#ifdef M_CANCEL_FREES
                atomic { old = slot; if :: old == value -> slot = 0 :: else fi };
#else
                atomic { old = slot; if :: old == value -> slot = value + CANCELLED :: else fi };
#endif
                if
                :: old == value -> assert(answers[me] == before)
                :: else ->
#ifndef M_LOST_CANCEL_LEAVES
                    (answers[me] == before + 1)
#endif
                fi
            fi
        :: else -> (slot == 0 || posted == 2) /* busy: try later, or another victim */
        fi
    od;
    posted++
}

active proctype Victim()
{
    byte value, seen, old;
end:
    do
    :: asked > 0 ->
        value = slot & 127;
#ifdef M_FREE_BEFORE_BIT
        seen = data;
        atomic { old = slot; if :: old == value -> slot = 0 :: else fi };
        if :: old != value -> slot = 0 :: else fi;
        asked--;
#else
        asked--;
#ifndef M_DATA_AFTER_FREE
        seen = data;
#endif
#ifdef M_CANCEL_NOT_SEEN
        atomic { old = value; slot = 0 };
#else
        atomic { old = slot; if :: old == value -> slot = 0 :: else fi };
#endif
        if
        :: old != value ->
#ifndef M_CANCELLED_KEPT
            slot = 0
#else
            skip
#endif
        :: else
        fi;
#ifdef M_DATA_AFTER_FREE
        seen = data;
#endif
#endif
        if
        :: old == value -> assert(seen == value); answers[value / 16]++
        :: else
        fi
    od
}

init { atomic { run Thief(1); run Thief(2) } }

#endif
