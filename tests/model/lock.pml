/* SPDX-License-Identifier: MIT */
/*
 * The lock protocol: deque/owner.c against two thieves of deque/thief_lock.c. See README.md for what is left out.
 *
 * It checks the same properties as claim.pml. It also checks that two thieves never advance `claims` at once, and that
 * the lock is 0 when all thieves are done. The thieves try at any time, without a peek (UAT_PEEKS=none). A peek only
 * makes them try less often.
 */
#include "ring.pml"
#include "stand.pml"
#include "owner.pml"
#include "thief.pml"

bool started;

#ifdef M_PAPERS_UNLOCK
/* In the papers, the holder unlocks by a WRITE of 0, and losers subtract nothing. The model splits the HCA's FETCH_ADD
 * into a load and a store, because a WRITE can take effect between the two. The split shows the fault of the papers'
 * scheme. `unit` makes atomics exclude each other. */
bool unit;
#define UNLOCK() lock = 0; busy--
#define UNDO() busy--
#else
#ifdef M_UNLOCK_BY_WRITE
#define UNLOCK() lock = 0; busy--
#else
#define UNLOCK() owed[me]++
#endif
#ifdef M_NO_UNDO
#define UNDO() busy--
#else
#ifdef M_UNDO_BY_WRITE
#define UNDO() lock = old; busy--
#else
#define UNDO() owed[me]++ /* Network subtracts the 1 from lock and busy, perhaps after this thief's next attempt */
#endif
#endif
#endif

#ifdef M_LOSER_GOES_ON
#define HELD true
#else
#define HELD (old == 0)
#endif

/* uat_lock_poke(): claim under the lock, and acknowledge ABORTED. */
inline poke()
{
    atomic { !due[me] -> busy++; old = lock; lock++ }; /* FETCH_ADD */
    if
    :: !HELD -> atomic { UNDO(); old = 0 }
    :: else ->
        t = claims;
        offer = state[SLOT_OF(t)];
        if
        :: atomic {
#ifndef M_POKE_WITHOUT_PEEK
               VALID_FOR(offer, t) ->
#endif
               claims++;
               ACKNOWLEDGE(ABORTED)
           }
        :: skip
        fi;
        atomic { UNLOCK(); old = 0; forget() }
    fi
}

proctype Thief(byte me)
{
    byte tries, got, t, offer, offer_sp, slot_state, slot_sp, stolen, old;
end:
    do
    :: atomic {
           tries < CLAIMS && !due[me] && (me == 0 || started) -> /* symmetry: thief 0 starts first */
           started = 1;
           tries++;
           busy++;
#ifdef M_PAPERS_UNLOCK
       };
       atomic { !unit -> unit = 1; old = lock };
       atomic {
           unit = 0;
           lock = old + 1
       };
#else
           old = lock; /* FETCH_ADD */
           lock++
       };
#endif
       if
       :: !HELD -> atomic { UNDO(); old = 0 }
       :: else ->
           /* Only the holder changes `claims`, so a thief may READ `claims` before or after the slot's words. */
           atomic { t = claims; got = 0 };
           do
           :: atomic { !(got & 1) -> offer = state[SLOT_OF(t)]; got = got | 1 }
           :: atomic { !(got & 2) -> offer_sp = sp[SLOT_OF(t)]; got = got | 2 }
           :: got == 3 -> break
           od;
           if
           :: VALID_FOR(offer, t) -> /* uat_thief_offer() */
#ifndef M_LOSER_GOES_ON
               assert(claims == t); /* L3 */
#endif
               claims++; /* FETCH_ADD */
               fetch()
           :: else
           fi;
           atomic { UNLOCK(); old = 0; forget() }
       fi
    STAND_THIEF
    od
}

init { atomic { run Thief(0); run Thief(1) } }
