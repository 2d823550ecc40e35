/* SPDX-License-Identifier: MIT */
/*
 * The join of a child and a spawner on different workers: runtime/sched/join.c and meet.c, with the join record of
 * runtime/segment/record.c and the evacuated stack of runtime/segment/heap.c. See README.md for what is left out.
 *
 * One record is used ROUNDS times, each time by another child and joiner. The owner reuses the record as soon as the
 * owner finds that the record was given back. In each round exactly one of child and joiner continues the joiner, with
 * this round's result and the joiner's stack. Record and block must be given back once each. The record's state is
 * never reset.
 *
 * Every chain is { WRITE; atomic; READ } or a part of it, so its operations are steps in order (O1). A READ may sample
 * at any time after the atomic that precedes it; only the chain's completion waits for the sample. The READ is the last
 * step on both sides, so a late sample is a late step. Words of one READ are separate steps where their order matters.
 */
#ifndef ROUNDS
#define ROUNDS 3
#endif

/* The record. */
byte state;    /* FETCH_ADDs of child and joiner; counts modulo 256 */
byte result;   /* WRITE of the child's worker: the round's number */
byte waiter;   /* WRITE of the joiner's worker: the block's number + 1 */
bool returned; /* set to 0 by the owner's CPU, and to 1 by a WRITE of the second to arrive */

/* The blocks in the evacuation heap of the joiner's worker: their contents, and whether they are in use. Another task's
 * stack may overwrite a free block at any time. */
#define BLOCKS 2
byte block[BLOCKS];
bool used[BLOCKS];

byte offered;             /* the round whose continuation the owner has published; then thief and child may part */
byte continued;           /* bit r: the joiner of round r was continued */
byte met;                 /* number of finished arrivals, in all rounds */
#define RUBBISH 255

/* There are two store buffers. The record's owner has one (for `returned`, and for `offered`, which is a release). The
 * joiner's worker has the other one (for the stack in its block). */
#ifdef M_NO_RELEASE
#define RELEASE ??
#else
#define RELEASE ? /* reaches memory after all older stores */
#endif
chan owner_buffer = [4] of { byte, byte };
chan joiner_buffer = [4] of { byte, byte };

active proctype StoreBuffers()
{
    byte word, value;
end:
    do
    :: atomic { owner_buffer??0, value -> returned = value; value = 0 }
    :: atomic { owner_buffer RELEASE 1, value -> offered = value; value = 0 }
    :: atomic { joiner_buffer?word, value -> block[word] = value; word = 0; value = 0 }
    od
}

/* Another task, whose stack overwrites a free block. */
active proctype OtherStack()
{
end:
    do
    :: atomic { !used[0] && block[0] != RUBBISH -> block[0] = RUBBISH }
    :: atomic { !used[1] && block[1] != RUBBISH -> block[1] = RUBBISH }
    od
}

/* Continue the joiner with the child's result and the joiner's own stack. This must happen once. */
inline continue_joiner(round, its_result, its_stack)
{
    assert(!(continued & (1 << round)));
    assert(its_result == round);
    assert(its_stack == round);
    continued = continued | (1 << round)
}

inline give_back_record()
{
    assert(!returned);
    returned = 1
}

inline give_back_block(b)
{
    assert(used[b]);
    used[b] = 0
}

/* uat_meet_child(): { WRITE result; FETCH_ADD(state, 1); READ waiter }. */
proctype Child(byte r)
{
    byte old, where, frames, own = r;
    offered == r;
#ifdef M_ADD_BEFORE_RESULT
    atomic { old = state; state++ };
    result = own;
#else
    result = own;
#ifdef M_WAITER_BEFORE_ADD
    where = waiter;
#endif
    atomic { old = state; state++ };
#endif
    if
    :: old % 2 == 0 -> /* the child is first */
#ifdef M_FIRST_GIVES_BACK
        atomic { give_back_record() }
#endif
    :: else -> /* the child is second: resume_joiner() */
#ifdef M_RECORD_BACK_EARLY
        atomic { give_back_record() };
#endif
#ifndef M_WAITER_BEFORE_ADD
        where = waiter;
#endif
        assert(where != 0);
        where = where - 1;
#ifdef M_BLOCK_BACK_EARLY
        atomic { give_back_block(where) };
#endif
        frames = block[where];
#ifdef M_RESULT_LEFT_IN_FRAME
        own = RUBBISH; /* the stack has overwritten the ended child's frame */
#endif
        atomic { continue_joiner(r, own, frames) };
#ifndef M_RECORD_BACK_EARLY
        atomic { give_back_record() };
#endif
#ifndef M_BLOCK_BACK_EARLY
        atomic { give_back_block(where) }
#endif
    fi;
    met++
}

/* uat_join_wait_at(), uat_meet_joiner(). */
proctype Joiner(byte r)
{
    byte old, value, mine;
    offered == r;
    if
#ifdef M_RESULT_OF_FIRST_READ
    /* { READ state, result }: the words of one READ are sampled in any order. */
    :: value = result; atomic { state % 2 == 1 -> old = 1 }
    :: atomic { state % 2 == 1 -> old = 1 }; value = result
#else
    :: atomic { state % 2 == 1 -> old = 1 } /* uat_meet_asks() */
#endif
    :: old = 0 /* the joiner did not ask, or its READ returned an even `state` (the child may have ended since) */
    fi;
    if
    :: old == 1 -> /* { FETCH_ADD(state, 1); READ result } */
#ifndef M_NO_ADD_WHEN_ENDED
        atomic { assert(state % 2 == 1); state++ };
#endif
#ifdef M_RECORD_BACK_EARLY
        atomic { give_back_record() };
#endif
#ifndef M_RESULT_OF_FIRST_READ
        value = result;
#endif
        atomic { continue_joiner(r, value, r) };
#ifndef M_RECORD_BACK_EARLY
        atomic { give_back_record() }
#endif
    :: else ->
        /* evacuate() */
        if
        :: atomic { !used[0] -> used[0] = 1; mine = 0 }
        :: atomic { used[0] && !used[1] -> used[1] = 1; mine = 1 }
        fi;
        joiner_buffer!mine, r;
#ifndef M_POST_UNORDERED
        empty(joiner_buffer); /* a chain is posted after all earlier stores */
#endif
        /* { WRITE waiter; FETCH_ADD(state, 1); READ result } */
#ifdef M_ADD_BEFORE_WAITER
        atomic { old = state % 2; state++ };
        waiter = mine + 1;
#else
        waiter = mine + 1;
#ifdef M_RESULT_BEFORE_ADD
        value = result;
#endif
        atomic { old = state % 2; state++ };
#endif
        if
        :: old == 0 -> /* first: waits for the child's worker */
#ifdef M_FIRST_GIVES_BACK
            atomic { give_back_record() }
#endif
        :: else -> /* second: the stack is still in place */
#ifdef M_RECORD_BACK_EARLY
            atomic { give_back_record() };
#endif
#ifndef M_RESULT_BEFORE_ADD
            value = result;
#endif
#ifndef M_BLOCK_LOST
            atomic { give_back_block(mine) };
#endif
            atomic { continue_joiner(r, value, r) };
#ifndef M_RECORD_BACK_EARLY
#ifndef M_RACED_JOINER_KEEPS_RECORD
            atomic { give_back_record() }
#endif
#endif
        fi
    fi;
    met++
}

/* The record's owner: uat_lent_collect() and take() of record.c, then the publication that offers the record. */
active proctype Owner()
{
    byte r = 1;
    do
    :: r <= ROUNDS ->
#ifdef M_MARK_BEHIND_PUBLICATION
        owner_buffer!1, r;
        owner_buffer!0, 0;
#else
        if
        :: r > 1 -> owner_buffer!0, 0
        :: else
        fi;
        owner_buffer!1, r;
#endif
        atomic { run Child(r); run Joiner(r) };
        /* A CPU forwards its own stores to its loads. In this model the owner loads `returned` only when its buffer is
         * empty. */
        atomic { empty(owner_buffer) && returned -> r++ }
    :: r > ROUNDS -> break
    od;
    met == 2 * ROUNDS; /* nothing waits forever */
    assert(continued == (1 << (ROUNDS + 1)) - 2);
    assert(state % 2 == 0);
    assert(!used[0] && !used[1])
}
