/* SPDX-License-Identifier: MIT */
/*
 * One processor with weak order executes a chain (execute() in transport_shm/shm.c). The words' owner runs on the other
 * processor. Each side is a set of memory actions. An action may take effect before an older action of its side, unless
 * a rule orders the two. A rule is a fence of base/cpu.h, a release or an acquire. A mutant leaves one rule out.
 *
 * An atomic is a load and a store. No other store to the word may come between the two. There are three patterns, each
 * with two words:
 *   claim    { atomic on claims; READ slot } against { mark the slot invalid; fence; load claims } (D4)
 *   swap     { WRITE x; CMP_SWAP y that fails } against { store y; fence; load x } (O1)
 *   publish  { READ state } completes, then { load content } (O7) against { store content; release; store state }
 */
bit claims, slot_invalid; /* claim */
bit thief_saw_invalid, owner_saw_claim;
bit x, y; /* swap */
bit saw_y, saw_x;
bit state, content; /* publish */
bit saw_state, saw_content;
byte ended;

/* May an action take effect now? It must not have taken effect before. Also, the older action must have taken effect,
 * or no rule orders the two. */
#define MAY(done, older, ordered) (!(done) && ((older) || !(ordered)))

#ifdef M_NO_FENCE_AFTER_ATOMIC
#define AFTER_ATOMIC 0
#else
#define AFTER_ATOMIC 1 /* uat_cpu_fence_atomic() */
#endif
#ifdef M_NO_FENCE_BEFORE_SWAP
#define BEFORE_SWAP 0
#else
#define BEFORE_SWAP 1 /* uat_cpu_fence_atomic() before a CMP_SWAP */
#endif
#ifdef M_NO_FENCE_AFTER_READ
#define AFTER_READ 0
#else
#define AFTER_READ 1 /* uat_cpu_fence_read() in shm_progress() */
#endif
#ifdef M_NO_RELEASE
#define RELEASE 0
#else
#define RELEASE 1 /* uat_cpu_store_release() in publish_steps() */
#endif
#ifdef M_NO_OWNER_FENCE
#define OWNER_FENCE 0
#else
#define OWNER_FENCE 1 /* uat_cpu_fence() in withdraw_steps() */
#endif

/* The atomic's load is an acquire, so nothing younger takes effect before the load; the atomic's store may be late. */
active proctype claim_thief()
{
    bit loaded, stored, read;
    do
    :: !loaded -> loaded = 1
    :: atomic { MAY(stored, loaded, 1) -> claims = 1; stored = 1 }
    :: atomic { loaded && MAY(read, stored, AFTER_ATOMIC) -> thief_saw_invalid = slot_invalid; read = 1 }
    :: stored && read -> break
    od;
    ended++
}

active proctype claim_owner()
{
    bit stored, loaded;
    do
    :: atomic { !stored -> slot_invalid = 1; stored = 1 }
    :: atomic { MAY(loaded, stored, OWNER_FENCE) -> owner_saw_claim = claims; loaded = 1 }
    :: stored && loaded -> break
    od;
    ended++
}

/* The swap fails, so it stores nothing and releases nothing. Only its load takes effect. */
active proctype swap_thief()
{
    bit wrote, swapped;
    do
    :: atomic { !wrote -> x = 1; wrote = 1 }
    :: atomic { MAY(swapped, wrote, BEFORE_SWAP) -> saw_y = y; swapped = 1 }
    :: wrote && swapped -> break
    od;
    ended++
}

active proctype swap_owner()
{
    bit stored, loaded;
    do
    :: atomic { !stored -> y = 1; stored = 1 }
    :: atomic { MAY(loaded, stored, OWNER_FENCE) -> saw_x = x; loaded = 1 }
    :: stored && loaded -> break
    od;
    ended++
}

active proctype publish_thief()
{
    bit read, loaded;
    do
    :: atomic { !read -> saw_state = state; read = 1 }
    :: atomic { MAY(loaded, read, AFTER_READ) -> saw_content = content; loaded = 1 }
    :: read && loaded -> break
    od;
    ended++
}

active proctype publish_owner()
{
    bit filled, shown;
    do
    :: atomic { !filled -> content = 1; filled = 1 }
    :: atomic { MAY(shown, filled, RELEASE) -> state = 1; shown = 1 }
    :: filled && shown -> break
    od;
    ended++
}

active proctype judge()
{
    ended == 6;
    assert(thief_saw_invalid || owner_saw_claim); /* otherwise both would take the entry */
    assert(saw_x || saw_y);
    assert(!saw_state || saw_content)
}
