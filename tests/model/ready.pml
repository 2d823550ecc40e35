/* SPDX-License-Identifier: MIT */
/*
 * The ready ring of deque/ready.h: an owner and two thieves. The owner publishes tasks in order, and takes the oldest
 * task by a claim, as thieves do. The ring has SLOTS slots, and TASKS tasks pass through it. Each task must be taken
 * exactly once, with its own words and its own stack. The worker that takes a task gives the task's block back. From
 * then on the block may be overwritten.
 *
 * A peek's words are sampled one by one, in any order. A chain's READ follows its atomic.
 */
#ifndef TASKS
#define TASKS 3
#endif
#define SLOTS 2
#define THIEVES 2

#ifndef M_REUSE_UNACKNOWLEDGED
#define MAY_PUBLISH (bottom < SLOTS || ack[bottom % SLOTS] == bottom + 1 - SLOTS) /* R3 */
#else
#define MAY_PUBLISH (bottom - claims < SLOTS)
#endif
#ifndef M_NO_STATE_TEST
#define IS_OFFERED (seen_state == index + 1) /* R2 */
#else
#define IS_OFFERED (index < TASKS)
#endif

byte claims;
byte state[SLOTS];   /* index + 1; 0: never used */
byte where[SLOTS];   /* the task's block */
byte ack[SLOTS];     /* index + 1 of the last acknowledged claim */
byte bottom;         /* private to the owner */

byte block[TASKS];   /* the content of each task's block: the task's number + 1, or RUBBISH */
byte taken;          /* bit i: task i was taken */
#define RUBBISH 99

inline finish(task, stack)
{
    atomic {
        assert(!(taken & (1 << task)));
        assert(stack == task + 1);
        taken = taken | (1 << task);
        block[task] = RUBBISH /* given back: another stack may use the block */
    }
}

/* The owner's store buffer holds stores to slots. The store to a slot's state is a release. A plain store may overtake
 * older stores. */
#ifdef M_NO_RELEASE
#define RELEASE ??
#else
#define RELEASE ? /* reaches memory after all older stores */
#endif
chan buffer = [4] of { byte, byte, byte };

active proctype StoreBuffer()
{
    byte at, value;
end:
    do
    :: atomic { buffer??0, at, value -> where[at] = value; at = 0; value = 0 }
    :: atomic { buffer RELEASE 1, at, value -> state[at] = value; at = 0; value = 0 }
    od
}

active proctype Owner()
{
    byte index, old;
    (block[TASKS - 1] == TASKS); /* init has filled the blocks */
    do
    :: (bottom < TASKS && MAY_PUBLISH) ->
#ifdef M_STATE_BEFORE_CONTENT
        buffer!1, bottom % SLOTS, bottom + 1;
        buffer!0, bottom % SLOTS, bottom;
#else
        buffer!0, bottom % SLOTS, bottom;
        buffer!1, bottom % SLOTS, bottom + 1;
#endif
        bottom++
    :: claims != bottom -> /* uat_ready_take() */
        index = claims;
#ifdef M_CLAIM_UNPUBLISHED
        index = claims; /* the fault: claims is loaded again after the test that a task is ready */
#else
        if
        :: index == bottom -> goto again
        :: else
        fi;
#endif
        atomic {
            old = claims;
            if
            :: old == index -> claims = index + 1
            :: else
            fi
        };
        if
        :: old == index ->
            (empty(buffer)); /* wait until the owner sees its own stores, which a CPU would forward */
            finish(where[index % SLOTS], block[where[index % SLOTS]]);
            ack[index % SLOTS] = index + 1
        :: else
        fi;
again:  skip
    :: bottom == TASKS && claims >= TASKS -> break
    od
}

proctype Thief()
{
    byte index, seen_where, seen_state, old, stack, now;
    do
    :: claims >= TASKS -> break
    :: claims < TASKS ->
        /* the peek, in any order */
        if
        :: index = claims; seen_state = state[index % SLOTS]; seen_where = where[index % SLOTS]
        :: index = claims; seen_where = where[index % SLOTS]; seen_state = state[index % SLOTS]
        fi;
        if
        :: IS_OFFERED ->
            if
            :: seen_where < TASKS -> stack = block[seen_where] /* speculative: the present content of the block */
            :: else -> stack = 0
            fi;
            atomic {
                old = claims;
                if
                :: old == index -> claims = index + 1
                :: else
                fi
            };
            if
            :: old == index ->
#ifdef M_ACKNOWLEDGE_EARLY
                ack[index % SLOTS] = index + 1;
#endif
                now = where[index % SLOTS];
#ifndef M_FORETOLD_NOT_COMPARED
                if
                :: now != seen_where -> stack = block[now]
                :: else
                fi;
#endif
                finish(now, stack);
#ifndef M_ACKNOWLEDGE_EARLY
                ack[index % SLOTS] = index + 1
#endif
            :: else
            fi
        :: else
        fi
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. TASKS - 1) { block[i] = i + 1 };
        for (i : 1 .. THIEVES) { run Thief() }
    }
    (taken == (1 << TASKS) - 1) /* otherwise this is an invalid end state */
}
