/* SPDX-License-Identifier: MIT */
/*
 * The shared words of the deque (deque/ring.h), and the store buffer between the owner's stores and memory.
 *
 * A slot has two words, its state { index, generation, valid } and its place, which is sp in these models. The two
 * words are READ in any order. stack[] is the content of each stack address: the number of the entry whose frames were
 * written there last.
 */
#ifndef SLOTS
#define SLOTS 2   /* UAT_RING_SLOTS */
#endif
#ifndef ENTRIES
#define ENTRIES 3 /* continuations pushed in the whole run */
#endif
#ifndef CLAIMS
#define CLAIMS 1  /* per thief: claims (claim.pml), or attempts at the lock (lock.pml, paper.pml) */
#endif
#ifndef LOCK_AT_REST
#define LOCK_AT_REST 0 /* the lock's value when no thief holds or wants it */
#endif

/* uat_state() and uat_state_valid_for(). publish() asserts that index < 8 and generation < 16, so both fit. */
#define STATE(index, generation, valid) ((index) * 32 + (generation) * 2 + (valid))
#define VALID_FOR(state, index) (((state) & 1) && ((state) >> 5) == (index))
#define SLOT_OF(index) ((index) % SLOTS)

/* uat_ack() and its parts. SLOTS is added so that the round before the first one also has an index. */
#define STOLEN  0
#define ABORTED 1
#define ACK(index, status) (((index) + SLOTS) * 2 + (status))
#define ACK_FOR(ack, index) (((ack) >> 1) == (index) + SLOTS)
#define ACK_STATUS(ack) ((ack) & 1)

byte claims;        /* T: changed by thieves' atomics; in paper.pml by thieves' WRITEs */
byte lock;          /* changed by thieves' atomics; lock.pml and paper.pml only */
byte state[SLOTS];  /* stored by the owner */
byte sp[SLOTS];     /* stored by the owner */
byte ack[SLOTS];    /* WRITTEN by thieves */
byte stack[ENTRIES];/* stored by the owner */

byte done;          /* bit e: some worker has run continuation e */
byte busy;          /* number of attempts at the lock whose 1 is still in `lock` */

/* Each thief's fire-and-forget operations: an acknowledgement, and FETCH_ADD(lock, -1). They take effect at any time.
 * The acknowledgement's WRITE takes effect before the thief's next atomic (O1, O5). The FETCH_ADD may take effect after
 * that atomic (O2). */
byte due[2];        /* the acknowledgement and its slot, see ACKNOWLEDGE(); 0: none */
byte owed[3];       /* number of FETCH_ADDs not yet in effect; lock.pml and paper.pml only */
#define DUE(slot, word) ((word) * SLOTS + (slot) + 1)

active proctype Network()
{
end:
    do
    :: atomic { due[0] -> ack[(due[0] - 1) % SLOTS] = (due[0] - 1) / SLOTS; due[0] = 0 }
    :: atomic { due[1] -> ack[(due[1] - 1) % SLOTS] = (due[1] - 1) / SLOTS; due[1] = 0 }
    :: atomic { owed[0] && !due[0] -> lock--; busy--; owed[0]-- }
    :: atomic { owed[1] && !due[1] -> lock--; busy--; owed[1]-- }
    :: atomic { owed[2] -> lock--; busy--; owed[2]-- } /* the third thief of paper.pml posts no acknowledgement */
    od
}

/* Run a continuation, which must not have run before. Number 0 stands for the content of a stack before the first
 * push. */
inline run_entry(e)
{
    assert(e != 0 && !(done & (1 << (e))));
    done = done | (1 << (e))
}
#define ALL_DONE ((1 << (ENTRIES + 1)) - 2)

/* The owner's store buffer. Stores reach memory at any later time. They reach it in order, as on x86-64 (TSO). With
 * -DWEAK they reach it in any order, but stores to one word stay in order, and a release follows all older stores. The
 * owner does not load these words. */
#define SP_WORD(slot)    (SLOTS + (slot))
#define STACK_WORD(i)    (2 * SLOTS + (i))
#define FULL_FENCE() empty(buffer)

inline reach()
{
    if
    :: word < SLOTS -> state[word] = value
    :: word >= SLOTS && word < 2 * SLOTS -> sp[word - SLOTS] = value
    :: else -> stack[word - 2 * SLOTS] = value
    fi;
    word = 0;
    value = 0
}

#ifndef WEAK
chan buffer = [8] of { byte, byte };
#define STORE(word, value) buffer!word, value
#define STORE_RELEASE(word, value) STORE(word, value)

active proctype StoreBuffer()
{
    byte word, value;
end:
    do
    :: atomic { buffer?word, value -> reach() }
    od
}
#else
chan buffer = [8] of { bit, byte, byte };
#define STORE(word, value) buffer!0, word, value
#ifdef M_NO_RELEASE
#define STORE_RELEASE(word, value) STORE(word, value)
#else
#define STORE_RELEASE(word, value) buffer!1, word, value
#endif

/* If the buffer holds several stores to one word, ?? takes the oldest. No other store to a word overtakes a release to
 * that word. */
#define REACH(w) atomic { !(buffer??[1, w, value]) && buffer??[0, w, value] -> buffer??0, w, value; word = w; reach() }
active proctype StoreBuffer()
{
    byte word, value;
end:
    do
    :: atomic { buffer?1, word, value -> reach() }
    :: REACH(0) :: REACH(1) :: REACH(2) :: REACH(3) :: REACH(4) :: REACH(5) :: REACH(6) /* the slots, then the stacks */
    od
}
#endif
