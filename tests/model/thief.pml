/* SPDX-License-Identifier: MIT */
/*
 * The steps that both kinds of thief take after `claims` has passed their index. They are uat_thief_fetch() and
 * look_again() of deque/thief.c.
 *
 * offer and offer_sp are the slot's words as the thief saw them before the claim. The READs after the claim sample
 * slot_state, slot_sp and the predicted stack in any order. got has one bit per completed READ.
 */
#ifdef M_NO_VALID_TEST
#define STILL_VALID(word) true
#else
#define STILL_VALID(word) VALID_FOR(word, t)
#endif

#ifdef M_ADDRESS_NOT_COMPARED
#define SAME_PLACE true
#else
#define SAME_PLACE (slot_sp == offer_sp)
#endif

#ifdef M_GENERATION_NOT_COMPARED
#define FORETOLD SAME_PLACE
#else
#define FORETOLD (slot_state == offer && SAME_PLACE)
#endif

/* A fire-and-forget WRITE: see Network. The thief's previous fire-and-forget WRITE has taken effect, because a claim
 * followed it. */
#define ACKNOWLEDGE(status) due[me] = DUE(SLOT_OF(t), ACK(t, status))

/* An invalid slot ends the sampling at once, because the other words are then never used. */
inline fetch()
{
    atomic { got = 0 };
    do
    :: atomic {
           !(got & 9) -> slot_state = state[SLOT_OF(t)]; got = got | 1;
           if
           :: !STILL_VALID(slot_state) -> got = 8
           :: else
           fi
       }
    :: atomic { !(got & 10) -> slot_sp = sp[SLOT_OF(t)]; got = got | 2 }
    :: atomic { !(got & 12) -> stolen = stack[offer_sp]; got = got | 4 }
    :: got >= 7 -> break
    od;
    if
    :: got == 8 ->
#ifdef M_ABORT_UNACKNOWLEDGED
        skip
#else
        ACKNOWLEDGE(ABORTED)
#endif
    :: else ->
#ifdef M_ACKNOWLEDGE_EARLY
        ACKNOWLEDGE(STOLEN);
#endif
#ifndef M_NO_SECOND_LOOK
        if
        :: atomic { FORETOLD -> skip }
        :: else -> look_again()
        fi;
#endif
        run_entry(stolen);
#ifndef M_ACKNOWLEDGE_EARLY
        ACKNOWLEDGE(STOLEN)
#endif
    fi
}

/* The slot no longer changes. { READ slot; READ stack at the address last seen }. READ the stack again if it was at
 * another address. */
inline look_again()
{
    atomic { offer_sp = slot_sp; stolen = stack[offer_sp] };
    slot_sp = sp[SLOT_OF(t)];
#ifndef M_STACK_NOT_READ_AGAIN
    if
    :: slot_sp != offer_sp -> stolen = stack[slot_sp]
    :: else
    fi
#endif
}

/* End an attempt. Dead variables are zeroed, which reduces the number of states. */
inline forget()
{
    got = 0; t = 0; offer = 0; offer_sp = 0; slot_state = 0; slot_sp = 0; stolen = 0
}
