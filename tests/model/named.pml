/* SPDX-License-Identifier: MIT */
/*
 * The names of channels, runtime/sync/named.c. There is one list. Each of PROCESSES workers asks for one of two names.
 * All combinations are searched. Worker p makes node p. Two workers that gave the same name must get the same channel.
 * With -DWEAK the stores to a node reach memory late.
 */
#ifndef PROCESSES
#define PROCESSES 3
#endif
#define NONE 255

byte head = NONE;
byte next[PROCESSES] = NONE;
byte name[PROCESSES];      /* the name in each node; 0 until written */
byte asked[PROCESSES];     /* the name for which each worker asks */
byte channel[PROCESSES] = NONE;

#define STORERS PROCESSES
#include "weak.pml"
#define NAME_WORD 0
#define NEXT_WORD 1
#ifdef WEAK
inline reach(p, word)
{
    if
    :: word == NAME_WORD -> name[p] = value
    :: else -> next[p] = value
    fi
}

active proctype StoreBuffers()
{
    byte value;
end:
    do
    :: REACH(0, NAME_WORD) :: REACH(1, NAME_WORD) :: REACH(2, NAME_WORD)
    :: REACH(0, NEXT_WORD) :: REACH(1, NEXT_WORD) :: REACH(2, NEXT_WORD)
    od
}
#endif

/* Search the list for worker p's name, from `at` up to `last`. `got` is the node found, or NONE. */
inline find(last)
{
    got = NONE;
    do
    :: at == last -> break
    :: at != last ->
        assert(at != NONE);
        if
        :: name[at] == asked[p] -> got = at; break
        :: else -> at = next[at]
        fi
    od
}

proctype Worker(byte p)
{
    byte expected, at, got, seen;
    expected = head;
    at = expected;
    find(NONE);
    do
    :: got != NONE -> break
    :: else ->
#ifndef M_NODE_AFTER_SWAP
        STORE(p, NAME_WORD, name[p], asked[p]);
#endif
        STORE(p, NEXT_WORD, next[p], expected);
        atomic {
            RELEASED(p); /* add() */
            if
            :: head == expected -> head = p; got = p
            :: else
            fi
        };
#ifdef M_NODE_AFTER_SWAP
        name[p] = asked[p];
#endif
        if
        :: got == p -> break
        :: else
        fi;
        seen = expected;
        expected = head;
        at = expected;
#ifdef M_NOT_FOUND_AGAIN
        at = seen;
#endif
#ifdef M_HEAD_READ_TWICE
        find(seen);
        expected = head
#else
        find(seen)
#endif
    od;
    channel[p] = got
}

init
{
    byte i;
    atomic {
        for (i : 0 .. PROCESSES - 1) {
            if
            :: asked[i] = 1
            :: asked[i] = 2
            fi
        };
        for (i : 0 .. PROCESSES - 1) { run Worker(i) };
        i = 0
    };
    (_nr_pr == 1 + BUFFERS);
    assert(asked[0] != asked[1] || channel[0] == channel[1]);
    assert(asked[0] != asked[2] || channel[0] == channel[2]);
    assert(asked[1] != asked[2] || channel[1] == channel[2]);
    assert(asked[0] == asked[1] || channel[0] != channel[1])
}
