/* SPDX-License-Identifier: MIT */
/*
 * The message protocol: the owner of deque/mail.c against two thieves of deque/thief_message.c.
 *
 * The owner pushes ENTRIES continuations, all at one stack address. The owner may check for requests or not. It either
 * gives an entry away or runs it. When idle, it either refuses a request or does not check. Each entry must run once.
 * No answer may reach a thief that does not wait for one. No thief may wait forever.
 */
#ifndef ENTRIES
#define ENTRIES 2
#endif
#ifndef TRIES
#define TRIES 2 /* requests made by thief 1 */
#endif
#ifndef TRIES_OTHER
#define TRIES_OTHER 1 /* requests made by thief 2 */
#endif

/* uat_ask(): number, mark, rank + 1. uat_taken(): number, state. */
#define NOBODY 0
#define WITHDRAWN 4
#define ASK(number, who) ((number) * 8 + (who))
#define NUMBER(ask) ((ask) >> 3)
#define WHO(ask) ((ask) & 3)
#define UNKNOWN 255
#define LOOKING 0
#define ANSWERED 1
#define DROPPED 2
#define TAKEN(number, state) ((number) * 4 + (state))

#ifdef M_ASK_UNDECIDED
#define FREE(ask, taken) (!((ask) & WITHDRAWN))
#else
#define FREE(ask, taken) (WHO(ask) == NOBODY || (!((ask) & WITHDRAWN) && (taken) == TAKEN(NUMBER(ask), ANSWERED)))
#endif

#ifdef M_SAME_NUMBER
#define NEXT(ask) (NUMBER(ask) == 0 -> 1 : NUMBER(ask))
#else
#define NEXT(ask) (NUMBER(ask) + 1)
#endif

#ifdef M_WITHDRAWN_TAKEN
#define ASKED(ask) (NUMBER(ask) != decided && WHO(ask) != NOBODY)
#else
#define ASKED(ask) (NUMBER(ask) != decided && WHO(ask) != NOBODY && !((ask) & WITHDRAWN))
#endif

#define GIVEN 1
#define REFUSED 2

byte ask;        /* changed by atomics of thieves */
byte taken;      /* stored by the owner */
byte stack;      /* stored by the owner: the entry whose stack is in memory */
byte done;       /* bit e: entry e was run */

/* Words at thieves 1 and 2. */
byte arrived[3]; /* WRITTEN by the owner: the stack that it gives */
byte given[3];   /* WRITTEN by the owner */
byte answers[3]; /* FETCH_ADD by the owner: answers that have arrived and have not been seen */
bool asking[3];  /* the thief waits for an answer, and its region is empty */

/* Operations in flight. */
#define STACK_WRITE 1
#define GIVEN_WRITE 2
#define GIVEN_ADD   4
#define REFUSED_ADD 8
byte wire[3];
byte sent_entry;
byte freeing[3]; /* the request whose mark is to be removed */

/* POST: a doorbell of the owner. From then on the adapter reads the chain's data from the owner's memory. */
#ifndef WEAK
#define HAS_LEFT (!(wire[1] & 7) && !(wire[2] & 7))
#define POST(who, operations) wire[who] = wire[who] | (operations)
#else
#define HAS_LEFT (!(wire[1] & 7) && !(wire[2] & 7) && !(buffer??[DOORBELL, GIVE_1]) && !(buffer??[DOORBELL, GIVE_2]))
#define POST(who, operations) buffer!DOORBELL, (who) * 16 + (operations)
#define GIVE_1 23 /* the constant POST(1, 7), because a pattern must be a constant */
#define GIVE_2 39
#endif

#ifdef M_ANSWER_UNORDERED
#define BEHIND_WRITES(who) true
#else
#define BEHIND_WRITES(who) (!(wire[who] & (STACK_WRITE | GIVEN_WRITE))) /* O1 */
#endif

/* The owner's store buffer. On x86-64 the buffer holds only `taken`, because stores stay in order and the stack is in
 * memory before its WRITE is posted. With -DWEAK stores reach memory in any order, except in two cases. Stores to one
 * word stay in order. A doorbell follows all earlier stores, because libibverbs issues a barrier first. */
#ifndef WEAK
chan buffer = [4] of { byte };
#define STORE_TAKEN(value) buffer!value
#define STORE_STACK(value) stack = value
#define STORE_SENT(value) sent_entry = value
#else
#define TAKEN_WORD 0
#define STACK_WORD 1
#define SENT_WORD  2
#define DOORBELL   3
#ifdef M_NO_RELEASE
#define RELEASE ??
#else
#define RELEASE ?
#endif
chan buffer = [8] of { byte, byte };
#define STORE_TAKEN(value) buffer!TAKEN_WORD, value
#define STORE_STACK(value) buffer!STACK_WORD, value
#define STORE_SENT(value) buffer!SENT_WORD, value
#endif
#ifdef M_NO_FENCE
#define FULL_FENCE() skip
#else
#define FULL_FENCE() empty(buffer)
#endif

inline run_entry(e)
{
    assert(e != 0 && !(done & (1 << (e))));
    done = done | (1 << (e))
}

inline add_answer(who, answer)
{
    assert(asking[who] && !answers[who]);
    answers[who] = answer
}

inline deliver(who)
{
    if
    :: wire[who] & STACK_WRITE ->
        assert(asking[who]); /* M6: the region must be empty */
        arrived[who] = stack;
        wire[who] = wire[who] - STACK_WRITE
    :: wire[who] & GIVEN_WRITE -> given[who] = sent_entry; wire[who] = wire[who] - GIVEN_WRITE
    :: (wire[who] & GIVEN_ADD) && BEHIND_WRITES(who) ->
        add_answer(who, GIVEN);
        wire[who] = wire[who] - GIVEN_ADD
    :: wire[who] & REFUSED_ADD -> add_answer(who, REFUSED); wire[who] = wire[who] - REFUSED_ADD
    fi
}

inline free_mailbox(who)
{
    if
    :: ask == (freeing[who] | WITHDRAWN) -> ask = ASK(NUMBER(ask), NOBODY)
    :: else
    fi;
    freeing[who] = 0
}

active proctype Network()
{
    byte value;
end:
    do
    :: atomic { wire[1] -> deliver(1) }
    :: atomic { wire[2] -> deliver(2) }
    :: atomic { freeing[1] -> free_mailbox(1) }
    :: atomic { freeing[2] -> free_mailbox(2) }
#ifndef WEAK
    :: atomic { buffer?value -> taken = value; value = 0 }
#else
    :: atomic { buffer??TAKEN_WORD, value -> taken = value; value = 0 }
    :: atomic { buffer??STACK_WORD, value -> stack = value; value = 0 }
    :: atomic { buffer??SENT_WORD, value -> sent_entry = value; value = 0 }
    :: atomic { buffer RELEASE DOORBELL, value -> wire[value / 16] = wire[value / 16] | (value % 16); value = 0 }
#endif
    od
}

/* decide(). `stands` says whether the request will be answered. */
inline decide()
{
    assert(WHO(seen) != 3); /* a poke is not answered */
    decided = NUMBER(seen);
    STORE_TAKEN(TAKEN(decided, LOOKING));
    FULL_FENCE();
#ifdef M_NO_SECOND_LOOK
    stands = true;
#else
    stands = (ask == seen);
#endif
    STORE_TAKEN(TAKEN(decided, (stands -> ANSWERED : DROPPED)));
#ifdef M_ANSWER_DROPPED
    stands = true
#endif
}

active proctype Owner()
{
    byte e = 1, seen, decided;
    bool stands;
    do
    :: e <= ENTRIES ->
        stands = false;
#ifndef M_NO_SETTLE
        HAS_LEFT; /* M7 */
#endif
        STORE_STACK(e);
        if
        :: seen = ask;
           if
           :: ASKED(seen) -> decide()
           :: else
           fi
        :: skip /* the owner does not check */
        fi;
        if
        :: stands ->
           if
           :: HAS_LEFT -> atomic { STORE_SENT(e); POST(WHO(seen), 7) }
           :: POST(WHO(seen), REFUSED_ADD); run_entry(e) /* no record is free */
           fi
        :: else -> run_entry(e)
        fi;
        e++
    :: else -> break
    od;
end:
    do
    :: atomic { ASKED(ask) -> seen = ask };
       decide();
       if
       :: stands -> POST(WHO(seen), REFUSED_ADD)
       :: else
       fi
    od
}

/* Rule M4. `answered` says that the answer has arrived, or is certain to arrive. */
inline withdraw()
{
#ifdef M_READ_BEFORE_SWAP
    t = taken;
#endif
    atomic {
        if
        :: ask == request ->
            won = true;
#ifdef M_FREE_AT_ONCE
            ask = ASK(NUMBER(request), NOBODY)
#else
            ask = request | WITHDRAWN
#endif
        :: else -> won = false
        fi
    };
#ifndef M_READ_BEFORE_SWAP
    t = taken;
#endif
#ifndef M_LOOKING_NOT_AWAITED
    do
    :: won && t == TAKEN(NUMBER(request), LOOKING) -> t = taken
    :: else -> break
    od;
#endif
#ifdef M_TAKEN_NOT_READ
    answered = !won;
#else
#ifdef M_LOST_SWAP_LEAVES
    answered = won && t == TAKEN(NUMBER(request), ANSWERED);
#else
    answered = !won || t == TAKEN(NUMBER(request), ANSWERED);
#endif
#endif
    t = 0
}

#ifdef STOP
/* uat_message_poke(): the poke's request is WITHDRAWN from the start, so it needs no answer. Worker 3 runs a task, so
 * its region is not empty. */
#ifdef M_POKE_ASKS
#define POKE_MARK 0
#else
#define POKE_MARK WITHDRAWN
#endif

active proctype Poker()
{
    byte free, t, request;
    free = ask;
    t = taken;
    if
    :: FREE(free, t) ->
        request = ASK(NEXT(free), 3) | POKE_MARK;
        atomic {
            if
            :: ask == free -> ask = request
            :: else -> request = 0
            fi
        };
        atomic {
            if
            :: request && ask == request -> ask = ASK(NUMBER(ask), NOBODY)
            :: else
            fi
        }
    :: else
    fi
}
#endif

proctype Thief(byte me; byte most)
{
    byte tries, known, free, t, request, answer;
    bool won, answered;
    do
    :: tries == most -> break
    :: tries < most ->
        tries++;
        if
        :: known != UNKNOWN -> free = known
        :: free = ask; t = taken
        :: t = taken; free = ask
        fi;
        if
        :: free == known || FREE(free, t) ->
            t = 0;
            request = ASK(NEXT(free), me);
            atomic {
                if
                :: ask == free -> ask = request; asking[me] = true
                :: else -> known = UNKNOWN; request = 0
                fi
            }
        :: else -> t = 0; request = 0
        fi;
        free = 0;
        if
        :: request == 0 -> goto next
        :: else
        fi;
        won = false;
        answered = true;
        if
        :: answers[me] -> skip
        :: withdraw()
        fi;
#ifdef M_ANSWER_NOT_AWAITED
        answered = answers[me] != 0;
#endif
        answer = 0;
        if
        :: atomic { answered -> answers[me] -> answer = answers[me]; answers[me] = 0; asking[me] = false }
        :: atomic { !answered -> asking[me] = false }
        fi;
        known = request;
#ifndef M_FREE_AT_ONCE
        if
        :: won ->
            atomic { !freeing[me] -> freeing[me] = request };
            known = ASK(NUMBER(request), NOBODY)
        :: else
        fi;
#endif
        if
        :: answer == GIVEN ->
            assert(arrived[me] == given[me]);
            run_entry(arrived[me]);
            arrived[me] = 0;
            given[me] = 0
        :: else
        fi;
next:
        request = 0; answer = 0; won = false; answered = false
    od
}

init { atomic { run Thief(1, TRIES); run Thief(2, TRIES_OTHER) } }
