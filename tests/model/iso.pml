/* SPDX-License-Identifier: MIT */
/*
 * Iso-address: a thief may READ a stack to its berth only if no stack of this worker waits there (T5 of deque/thief.h).
 *
 * A victim publishes the entries of its tasks in one slot, one after the other. The slot has two words, which one READ
 * samples in any order. Task k has berth k. A stolen task runs on the thief, waits there in a join, and is resumed by
 * the victim, where its child has ended. Then the victim may publish the task again.
 *
 * The slot is reused only after the acknowledgement of its last claim (D5 of deque/owner.h), which comes with the steal
 * here. Error: a READ of a stack to a berth in which a stack of the thief waits, or a steal of another task than the
 * one that was published.
 */
#ifndef GENERATIONS
#define GENERATIONS 3
#endif
#define TASKS    2
#define NONE     TASKS
#define STATE(i, g, valid) ((i) * 32 + (g) * 2 + (valid)) /* index, generation, valid */
#define VALID_FOR(state, i) (((state) & 1) && (state) / 32 == (i))
#define PLACE(g, k)     ((g) * 4 + (k))
#define BERTH(place)    ((place) & 3)

#ifdef M_MIXED_SLOT_READ
#define MIXED(state, place) false
#else
#define MIXED(state, place) ((state) / 2 % 16 != (place) / 4)
#endif

#ifdef M_GENERATION_IS_THE_INDEX
#define G index
#else
#define G generation
#endif

byte state = 0, place = PLACE(0, NONE); /* the slot */
byte claims = 0, index = 0;             /* index: of the slot's publication */
bool waits[TASKS];                      /* the task waits on the thief */
byte published = NONE;
bool here[TASKS];                       /* the task is on the victim */
byte generation = 0;

/* READ a stack to its berth. */
inline read_stack(at)
{
    assert(!waits[BERTH(at)])
}

active proctype victim()
{
    byte k;
    atomic { here[0] = true; here[1] = true }
    do
    :: generation < GENERATIONS ->
        if
        :: here[0] -> k = 0
        :: here[1] -> k = 1
        fi;
        atomic { generation++; index = claims; published = k };
        place = PLACE(G, k);
        state = STATE(index, G, 1);
        if
        :: atomic { claims == index -> state = STATE(index, G, 0); published = NONE; k = 0 } /* take it back */
        :: atomic { claims != index && published == NONE -> k = 0 }                            /* stolen, acknowledged */
        fi
    :: atomic { waits[0] -> waits[0] = false; here[0] = true } /* its child has ended here, and resumes it here */
    :: atomic { waits[1] -> waits[1] = false; here[1] = true }
    :: generation == GENERATIONS && !waits[0] && !waits[1] -> break
    od
}

active proctype thief()
{
    byte seen, at, c, k, got;
end:
    do
    :: atomic { got = 0; c = claims }
        do /* the peek */
        :: atomic { !(got & 1) -> seen = state; got = got | 1 }
        :: atomic { !(got & 2) -> at = place; got = got | 2 }
        :: got == 3 -> break
        od;
        if
        :: VALID_FOR(seen, c) && BERTH(at) != NONE && !MIXED(seen, at) ->
            /* The claim and the speculative READ are in one chain, so the READ is carried out even if the claim fails.
             * Here a claim also fails if the entry has changed since the peek: claim.pml and lock.pml have the second
             * look (T4). */
            if
            :: atomic { claims == c && published != NONE && state == seen -> claims++; k = published }
                read_stack(at);
                assert(BERTH(place) == k && BERTH(at) == k);
                atomic { here[k] = false; waits[k] = true; published = NONE; k = 0 } /* it runs, and then waits */
            :: atomic { claims != c || state != seen || published == NONE -> skip }
                read_stack(at)
            fi
        :: else
        fi;
        atomic { seen = 0; at = 0; c = 0; got = 0 }
    od
}
