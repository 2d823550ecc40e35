/* SPDX-License-Identifier: MIT */
/*
 * The paper protocol: deque/owner.c against THIEVES thieves of papers/thief_paper.c. See README.md for what is left out.
 *
 * With -DGRANTS the lock is passed on by messages (paper-message). That model is deque/owner.c and grant.c against
 * thief_paper.c. Its thief waits for the answer without limit, as in the paper (JIP 2016). uat's thief withdraws its
 * request after a while. message.pml shows how it does so, and how a request gets to the owner.
 *
 * With -DWEAK the owner's stores leave its store buffer in a weak order (see ring.pml).
 *
 * The model checks the same properties as claim.pml. It also checks that at most one thief holds the lock, and that the
 * lock equals `claims` when all thieves are done. The thieves try at any time, without a peek (UAT_PEEKS=none). A peek
 * only makes them try less often.
 */
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef GRANTS
#define LOCK_AT_REST claims
#endif
#include "ring.pml"

#ifdef GRANTS
/* look() of grant.c is called after any push or pop. refuse() is called when the owner has no work. The two loads of
 * look() are two steps. */
#define GRANTED 1
#define REFUSED 2
bool asked[3];
byte answers[3], granted; /* granted: index + 1; 0: not yet granted */

#define IS_HELD (granted && !ACK_FOR(ack[SLOT_OF(granted - 1)], granted - 1))
#ifdef M_GRANT_WHILE_HELD
#define LOAD_ACK() ok = true
#else
#define LOAD_ACK() ok = !IS_HELD
#endif
inline grant(who)
{
#ifdef M_CLAIMS_BEFORE_ACK
    atomic { t = claims };
    atomic { LOAD_ACK() };
#else
    atomic { LOAD_ACK() };
    atomic { t = claims };
#endif
    atomic {
        if
        :: ok && published > 0 && index[first] == t -> granted = t + 1; answers[who] = GRANTED
        :: else -> answers[who] = REFUSED
        fi;
        ok = 0;
        t = 0
    }
}
#define STAND_OWNER :: atomic { asked[0] -> asked[0] = 0 }; grant(0) :: atomic { asked[1] -> asked[1] = 0 }; grant(1)
#else
#include "stand.pml"
#endif
#include "owner.pml"

bool started;
byte holders;

/* The thief's unlock: the effect of its WRITE at the target. The thief waits for this WRITE, so nothing is left in
 * flight. */
#define UNLOCK(status) ack[SLOT_OF(t)] = ACK(t, status); holders--; busy--
#define LEAVE() owed[me]++ /* Network subtracts the 1 from lock and busy, perhaps after this thief's next attempt */

#ifdef M_LOSER_KEEPS_ITS_1
#define LOSE() busy--
#else
#define LOSE() LEAVE()
#endif
#ifdef M_HOLDER_KEEPS_ITS_1
#define FIND_NOTHING() holders--; busy--
#else
#define FIND_NOTHING() holders--; LEAVE()
#endif

#ifdef M_UNACKNOWLEDGED_IS_FREE
#define LAST_ACKNOWLEDGED true
#else
#define LAST_ACKNOWLEDGED ACK_FOR(last_ack, t - 1)
#endif
#ifdef M_LOCK_NOT_COMPARED
#define AT_CLAIMS true
#else
#define AT_CLAIMS (old == t)
#endif
#ifdef M_NO_VALID_TEST
#define STILL_VALID(word) true
#else
#define STILL_VALID(word) VALID_FOR(word, t)
#endif

/* WRITE claims and wait, then READ the slot's words in any order. An invalid slot ends the sampling at once, because
 * the other word is then never used. If the slot is not in the state that was offered, it was published during the
 * READs. In that case READ the slot again; it no longer changes. */
inline claim()
{
#ifdef M_SLOT_BEFORE_CLAIM
    atomic { slot_state = state[SLOT_OF(t)]; slot_sp = sp[SLOT_OF(t)] };
    claims = t + 1;
#else
    claims = t + 1;
    do
    :: atomic {
           !(got & 8) -> slot_state = state[SLOT_OF(t)]; got = got | 8;
           if
           :: !STILL_VALID(slot_state) -> got = 31
           :: else
           fi
       }
    :: atomic { !(got & 16) -> slot_sp = sp[SLOT_OF(t)]; got = got | 16 }
    :: got == 31 -> break
    od;
#endif
    if
    :: atomic {
           !STILL_VALID(slot_state) ->
#ifdef M_ABORT_UNACKNOWLEDGED
           holders--;
           busy--
#else
           UNLOCK(ABORTED)
#endif
       }
    :: else ->
#ifdef M_UNLOCK_BEFORE_TRANSFER
       atomic { UNLOCK(STOLEN) };
#endif
#ifndef M_NO_SECOND_LOOK
       if
       :: slot_state != offer -> slot_sp = sp[SLOT_OF(t)]
       :: else
       fi;
#endif
       atomic { stolen = stack[slot_sp]; run_entry(stolen) };
#ifndef M_UNLOCK_BEFORE_TRANSFER
       atomic { UNLOCK(STOLEN) }
#endif
    fi
}

#ifdef GRANTS
proctype Thief(byte me)
{
    byte tries, got, t, offer, slot_state, slot_sp, stolen;
end:
    do
    :: atomic {
           tries < CLAIMS && (me == 0 || started) -> /* symmetry: thief 0 starts first */
           started = 1;
           tries++;
           asked[me] = 1
       };
       if
       :: atomic { answers[me] == REFUSED -> answers[me] = 0 }
       :: atomic {
              answers[me] == GRANTED ->
              answers[me] = 0;
              assert(holders == 0); /* P4 */
              holders++;
              busy++;
              t = claims;
              assert(t + 1 == granted)
          };
          atomic { offer = state[SLOT_OF(t)]; got = 7 /* the ring's words are sampled */ };
          claim()
       fi;
       atomic { got = 0; t = 0; offer = 0; slot_state = 0; slot_sp = 0; stolen = 0 }
    od
}
#else
/* uat_paper_poke(): under the lock, WRITE claims if there is a valid offer, then acknowledge ABORTED. A steal reads the
 * words of the lock in any order. This poke reads them in one step. */
inline poke()
{
    atomic { busy++; old = lock; lock++ };
    atomic { t = claims; q = SLOT_OF(t); last_ack = ack[(q + SLOTS - 1) % SLOTS] };
    offer = state[q];
    if
    :: atomic { !AT_CLAIMS || !LAST_ACKNOWLEDGED -> LOSE() }
    :: atomic { else -> assert(holders == 0); holders++ };
        if
#ifndef M_POKE_WITHOUT_PEEK
        :: atomic { !VALID_FOR(offer, t) -> FIND_NOTHING() }
#endif
        :: else ->
            claims = t + 1;
            atomic { UNLOCK(ABORTED) }
        fi
    fi;
    atomic { t = 0; q = 0; old = 0; offer = 0; last_ack = 0 }
}

proctype Thief(byte me)
{
    byte tries, got, t, q, old, offer, last_ack, slot_state, slot_sp, stolen;
end:
    do
    :: atomic {
           tries < CLAIMS && (me == 0 || started) -> /* symmetry: thief 0 starts first */
           started = 1;
           tries++;
           busy++;
           old = lock; /* FETCH_ADD */
           lock++;
           do /* q: a guess of the slot at `claims` */
           :: q < SLOTS - 1 -> q++
           :: break
           od
       };
       do /* READ the ring's words in any order. The sampling ends when claims shows that the lock is not held. */
       :: atomic {
              !(got & 1) -> t = claims; got = got | 1;
              if
              :: SLOT_OF(t) != q || !AT_CLAIMS -> got = 7
              :: else
              fi
          }
       :: atomic { !(got & 2) -> offer = state[q]; got = got | 2 }
       :: atomic { !(got & 4) -> last_ack = ack[(q + SLOTS - 1) % SLOTS]; got = got | 4 }
       :: got == 7 -> break
       od;
       if
       :: atomic { SLOT_OF(t) != q || !AT_CLAIMS || !LAST_ACKNOWLEDGED -> LOSE() }
       :: atomic {
              else ->
              assert(holders == 0); /* P2 */
              holders++
          };
          if
          :: atomic { !VALID_FOR(offer, t) -> FIND_NOTHING() }
          :: else ->
              assert(claims == t);
              claim()
          fi
       fi;
       atomic { got = 0; t = 0; q = 0; old = 0; offer = 0; last_ack = 0; slot_state = 0; slot_sp = 0; stolen = 0 }
    STAND_THIEF
    od
}

#endif

init
{
    atomic {
        run Thief(0);
        run Thief(1);
#if THIEVES > 2
        run Thief(2)
#endif
    }
}
