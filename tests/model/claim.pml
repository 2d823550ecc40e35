/* SPDX-License-Identifier: MIT */
/*
 * The claim protocol: deque/owner.c against two thieves of deque/thief_claim.c. See README.md for what is left out.
 *
 * The owner pushes ENTRIES continuations in total and pops them. All orders of pushes and pops are searched. Each
 * continuation must run exactly once, and the owner must not wait forever.
 */
#include "ring.pml"
#include "stand.pml"
#include "owner.pml"
#include "thief.pml"

#ifdef M_INDEX_NOT_COMPARED
#define OFFERED (offer & 1)
#else
#define OFFERED VALID_FOR(offer, t) /* uat_thief_offer() */
#endif

bool started;

/* uat_claim_poke(): claim what the peek shows as valid, and acknowledge ABORTED. */
inline poke()
{
    t = claims;
    offer = state[SLOT_OF(t)];
    if
    :: atomic {
#ifndef M_POKE_WITHOUT_PEEK
           VALID_FOR(offer, t) &&
#endif
           claims == t && !due[me] ->
           claims = t + 1;
           ACKNOWLEDGE(ABORTED)
       }
    :: skip /* no offer, or the swap fails */
    fi;
    atomic { forget() }
}

proctype Thief(byte me)
{
    byte tries, got, t, offer, offer_sp, slot_state, slot_sp, stolen, q;
end:
    do
    /* uat_thief_peek(): sample three words in any order. They are `claims`, and the state and sp of the slot that
     * `claims` selects. A peek that shows no offer changes nothing, and a CMP_SWAP that fails changes nothing. The
     * thief then starts again, any number of times. */
    :: atomic {
           tries < CLAIMS && got == 0 && (me == 0 || started) -> /* symmetry: thief 0 starts first */
           started = 1;
           do
           :: q < SLOTS - 1 -> q++
           :: break
           od;
           got = 8
       }
    :: atomic { (got & 8) && !(got & 1) -> t = claims; got = got | 1 }
    :: atomic { (got & 8) && !(got & 2) -> offer = state[q]; got = got | 2 }
    :: atomic { (got & 8) && !(got & 4) -> offer_sp = sp[q]; got = got | 4 }
    :: atomic { got & 8 -> q = 0; forget() }
    :: atomic {
           got == 15 && SLOT_OF(t) == q && OFFERED && claims == t && !due[me] -> /* O1: the earlier WRITE has taken
                                                                                  * effect */
           claims = t + 1; /* CMP_SWAP */
           tries++;
           q = 0
       };
       fetch();
       atomic { forget() }
    STAND_THIEF
    od
}

init { atomic { run Thief(0); run Thief(1) } }
