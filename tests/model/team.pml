/* SPDX-License-Identifier: MIT */
/*
 * The board of a team, W1 to W4 of runtime/team/board.h. Worker 0 has the board. LOOPS tasks each run a
 * loop with a part for each of WORKERS workers. Bells may be lost, and arrive late.
 * A claimer READs the call in a later step than its CMP_SWAP. Each part of each loop must start once, with its own call.
 */
#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef LOOPS
#define LOOPS 2
#endif

byte seq;             /* the last loop of the board */
byte call;            /* the loop that the call describes */
byte over;            /* loops that are over */
byte claim[WORKERS];  /* loop whose part was claimed last */
byte bell[WORKERS];   /* loop whose bell has rung last */
byte begun[WORKERS];  /* parts begun, by part: one for each loop */
byte done[LOOPS + 1]; /* parts of a loop that have ended */
byte waits;           /* roots that wait: worker 0 may run parts */
bool own;             /* worker 0's own part has not begun */
bool cpu;             /* worker 0 runs a part, or the root's task */
byte ended;           /* roots */

inline start(part, loop, seen_call)
{
    atomic {
        assert(seen_call == loop);
        begun[part]++;
        assert(begun[part] == loop)
    };
    done[loop]++
}

/* Claim `part` of `loop`, READ the call, and run the part. */
inline take(part, loop)
{
    atomic {
#ifdef M_ANY_CLAIM
        old = loop - 1; /* whatever the word is */
#else
        old = claim[part];
#endif
#ifndef M_NO_SWAP
        if :: old == loop - 1 -> claim[part] = loop :: else fi
#endif
    };
    if
    :: old == loop - 1 ->
#ifdef M_NO_SWAP
        claim[part] = loop;
#endif
        seen_call = call;
        start(part, loop, seen_call)
    :: else
    fi;
    old = 0; seen_call = 0
}

proctype Worker(byte me)
{
    byte seen, old, seen_call;
    do
    :: bell[me] != seen ->
        seen = bell[me];
        take(me, seen)
    :: ended == LOOPS -> break
    od
}

/* Worker 0 while the root waits. */
proctype Board()
{
    byte old, seen_call, part = 1;
    do
    :: atomic { !cpu && waits && own -> cpu = 1 }; own = 0; start(0, seq, call); cpu = 0
#ifndef M_NO_HELP
    :: atomic { !cpu && waits && !own && claim[part] != seq -> cpu = 1 }; take(part, seq); cpu = 0
    :: atomic { claim[part] == seq -> part = (part % (WORKERS - 1)) + 1 }
#endif
    :: ended == LOOPS -> break
    od
}

/* A task that runs a loop. It begins the loop on worker 0, and may resume anywhere. */
proctype Root()
{
    byte loop, w = 1;
#ifdef M_NOT_CLOSED
    atomic { !cpu -> cpu = 1; seq++; loop = seq };
#else
    atomic { !cpu && over == seq -> cpu = 1; seq++; loop = seq };
#endif
    call = loop;
    own = 1;
    do
    :: w < WORKERS -> bell[w] = loop; w++
    :: w < WORKERS -> w++ /* lost: a bell of another board has replaced it */
    :: else -> break
    od;
    waits++;
    cpu = 0;
#ifdef M_CLOSED_EARLY
    over++;
#endif
    (done[loop] == WORKERS);
    waits--;
#ifndef M_CLOSED_EARLY
    over++;
#endif
    ended++
}

init
{
    byte k;
    atomic {
        do :: k < LOOPS -> run Root(); k++ :: else -> break od;
        run Board(); run Worker(1); run Worker(2)
    };
    (ended == LOOPS);
    assert(begun[0] == LOOPS && begun[1] == LOOPS && begun[2] == LOOPS)
}
