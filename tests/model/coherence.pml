/* SPDX-License-Identifier: MIT */
/*
 * Release and acquire of global memory: runtime/global/coherence.c, and the rules that cache.c and transfer.c rely on
 * (G2, G4 to G8 and G10 of docs/global.md). One fork-join program runs on several workers. Operations on different
 * workers' links are not ordered. On one link, only B1 and B2 of transport/bulk.h give an order. Every read must see
 * what it would see in the sequential program.
 *
 * The bytes: A and B are in one part, so two writers share the part. C is in another block, which maps to the slot of A
 * and B. All bytes are far. Worker 0 starts; workers 1 and 2 are thieves:
 *
 *	c1: A = 1                       a child that ended on no record
 *	spawn c2: B = 2                 its continuation may be published at any time during c2, or never
 *	K: A is 1; A = 2, C = 1         on worker 1 if it was stolen
 *	join                            on the worker that arrives second
 *	A is 2, B is 2, C is 1; B = 3, by checkout or by put
 *	spawn c3: nothing               published
 *	A is 2, B is 3, C is 1; C = 2   on worker 2, to which worker 1 or 0 forwards nothing
 *	end of the run: all read all
 *
 * With -DOPEN, an object of uat/sync.h also orders c3 and its spawner's continuation. c3 has B checked out during the
 * call that acquires:
 *
 *	c3: B = 4 or nothing; checkout of B; B = 5; call; A is 4; A = 6, by checkout or by put; checkin of B
 *	continuation: A is 2; A = 4; call; C = 2; join
 *
 * Deque and join are atomic here. They have their own models.
 */
#define WORKERS 3
#define A 0
#define B 1
#define C 2

byte home[3];

/* A worker's cache: one slot of one part. */
#define BLOCK(byte_) ((byte_) / 2 + 1) /* A and B: block 1; C: block 2 */
#define PLACE(byte_) ((byte_) % 2)
#define BYTE(block_, place_) (((block_) - 1) * 2 + (place_))
byte block[WORKERS];                   /* 0: no block */
bool valid[WORKERS];                   /* the validity of the only part */
byte slot[WORKERS * 2];                /* the bytes of the slot */
bool dirty[WORKERS * 2];               /* checked in and not yet posted */
bool held[WORKERS * 2];                /* checked out for writing */

/* WRITEs in flight. POSTED: the bytes have not yet been taken from the slot. TAKEN: complete, but not yet in effect. */
#define FREE 0
#define POSTED 1
#define TAKEN 2
#define LINK 3                         /* maximum WRITEs in flight per worker */
byte state[WORKERS * LINK], target[WORKERS * LINK], value[WORKERS * LINK];

#define MOVES(k)                                                                                                       \
    :: atomic { state[k] == POSTED -> value[k] = slot[((k) / LINK) * 2 + PLACE(target[k])]; state[k] = TAKEN }         \
    :: atomic { state[k] == TAKEN -> home[target[k]] = value[k]; state[k] = FREE; target[k] = 0; value[k] = 0 }

active proctype Network()
{
end:
    do
    MOVES(0) MOVES(1) MOVES(2) MOVES(3) MOVES(4) MOVES(5) MOVES(6) /* worker 2 has one WRITE at a time */
    od
}

#define IS(w, k, what) (state[(w) * LINK + (k)] what)
#define FLUSHED(w) (IS(w, 0, == FREE) && IS(w, 1, == FREE) && IS(w, 2, == FREE))
#define COMPLETE(w) (IS(w, 0, != POSTED) && IS(w, 1, != POSTED) && IS(w, 2, != POSTED))
#define GOES_TO(w, k, byte_) (IS(w, k, != FREE) && target[(w) * LINK + (k)] == (byte_))
#define MEETS(w, byte_) (GOES_TO(w, 0, byte_) || GOES_TO(w, 1, byte_) || GOES_TO(w, 2, byte_))

/* Requests of a worker's program to its cache. The cache is a separate process, which keeps the model small. */
#define READ 1      /* `what` must be seen */
#define WRITE 2     /* checkout with UAT_WRITE and its checkin, as one request */
#define PUT 3       /* uat_global_put(), and the checkin of a range in the overflow area: both WRITE a copy */
#define RELEASE 4
#define ACQUIRE 5
#define CHECKOUT 6  /* checkout for writing; `what` is written */
#define CHECKIN 7
chan request[WORKERS] = [0] of { byte, byte, byte };
chan done[WORKERS] = [0] of { bit };
#define call(w, how, byte_, what) request[w]!how, byte_, what; done[w]?0

/* uat_link_write(): WRITE a byte of the slot, or of a copy. */
inline post(w, byte_, how, what)
{
#ifndef M_WW
    !MEETS(w, byte_) || FLUSHED(w);
#endif
    atomic {
        (IS(w, 0, == FREE) || IS(w, 1, == FREE) || IS(w, 2, == FREE));
        k = w * LINK;
        do
        :: state[k] == FREE -> break
        :: else -> k++
        od;
        state[k] = how; target[k] = byte_; value[k] = what;
        k = 0
    }
}

/* uat_cache_post_slot() */
inline write_back(w)
{
#ifdef M_G4
    if
    :: block[w] == 1 && (dirty[w * 2] || dirty[w * 2 + 1]) -> dirty[w * 2] = 1; dirty[w * 2 + 1] = 1
    :: else
    fi;
#endif
    do
    :: atomic { place < 2 && !dirty[w * 2 + place] -> place++ }
    :: atomic { place < 2 && dirty[w * 2 + place] -> dirty[w * 2 + place] = 0 };
        post(w, BYTE(block[w], place), POSTED, 0)
    :: atomic { place == 2 -> place = 0; break }
    od
}

#define SAME (block[w] == BLOCK(byte_))
#ifdef M_DIRTY_OVERWRITTEN
#define GOES_BACK (!SAME)
#else
#define GOES_BACK (!SAME || !valid[w])
#endif
#ifdef M_G2
#define FETCHED (op == READ && !valid[w])
#else
#define FETCHED ((op == READ || op == WRITE || op == CHECKOUT) && !valid[w])
#endif
#ifdef M_OPEN_OVERWRITTEN
#define FETCH(place_, byte_) slot[w * 2 + place_] = home[byte_]
#else
#define FETCH(place_, byte_) slot[w * 2 + place_] = (held[w * 2 + place_] -> slot[w * 2 + place_] : home[byte_])
#endif
#ifdef M_OPEN_KEPT
#define ACQUIRED (held[w * 2] || held[w * 2 + 1])
#else
#define ACQUIRED 0
#endif
#define USES (op == READ || op == WRITE || op == CHECKOUT)

proctype Cache(byte w)
{
    byte op, byte_, what, k, place;
    if /* the slot may hold bytes that earlier tasks of this run have left */
    :: atomic { true -> block[w] = 1; valid[w] = 1 }
    :: atomic { true -> block[w] = 2; valid[w] = 1 }
    :: true
    fi;
end:
    do
    :: request[w]?op, byte_, what ->
        atomic {
            if /* post dirty bytes before a fetch, before the slot goes to another block, and before a put */
            :: op == RELEASE || (op == PUT && SAME) || (USES && GOES_BACK) -> write_back(w)
            :: else
            fi;
            if
            :: op == RELEASE -> FLUSHED(w)   /* release() of coherence.c */
            :: op == ACQUIRE -> valid[w] = ACQUIRED /* acquire() begins another epoch; dirty bytes stay */
            :: USES && !SAME -> /* uat_slot_claim() */
#ifndef M_G6
                COMPLETE(w);
#endif
                block[w] = BLOCK(byte_);
                valid[w] = 0
            :: else
            fi
        };
        if
        :: FETCHED -> /* fetch(): the bytes of one READ are sampled in any order */
#ifndef M_G5
            (!MEETS(w, BYTE(block[w], 0)) && !MEETS(w, BYTE(block[w], 1))) || FLUSHED(w);
#endif
            if
            :: block[w] == 2 -> FETCH(0, C)
            :: block[w] == 1 -> FETCH(0, A); FETCH(1, B)
            :: block[w] == 1 -> FETCH(1, B); FETCH(0, A)
            fi
        :: else
        fi;
        atomic {
            if
            :: op == READ ->
                assert(slot[w * 2 + PLACE(byte_)] == what);
                valid[w] = 1
            :: op == WRITE ->
                slot[w * 2 + PLACE(byte_)] = what;
                dirty[w * 2 + PLACE(byte_)] = 1;
                valid[w] = 1;
                if
                :: true -> write_back(w)
                :: true /* later */
                fi
            :: op == CHECKOUT ->
                slot[w * 2 + PLACE(byte_)] = what;
                held[w * 2 + PLACE(byte_)] = 1;
                valid[w] = 1
            :: op == CHECKIN ->
                held[w * 2 + PLACE(byte_)] = 0;
                dirty[w * 2 + PLACE(byte_)] = 1;
                if
                :: true -> write_back(w)
                :: true /* later */
                fi
            :: op == PUT ->
#ifndef M_G8
                if
                :: SAME -> slot[w * 2 + PLACE(byte_)] = what
                :: else
                fi;
#endif
                post(w, byte_, TAKEN, what)
            :: else
            fi;
            op = 0;
            byte_ = 0;
            what = 0
        };
        done[w]!0
    od
}

inline maybe_read(w, byte_, what)
{
    if
    :: true -> call(w, READ, byte_, what)
    :: true
    fi
}

/* The state of the program. */
#define PRIVATE 0
#define PUBLISHED 1
#define GONE 2
#define OWN 3
byte continuation, last_continuation;
byte record;     /* the number of FETCH_ADDs by child and joiner */
bool over;       /* the run has ended */
#ifdef OPEN
bool told, ended; /* told: the object of sync.h was set; ended: c3 has ended */
#define LAST_A 6
#define LAST_B 5
#else
#define LAST_A 2
#define LAST_B 3
#endif

/* K: between the spawn of c2 and the join. */
inline between(w)
{
    maybe_read(w, A, 1);
    if
    :: true -> call(w, WRITE, A, 2); call(w, WRITE, C, 1)
    :: true -> call(w, WRITE, C, 1); call(w, WRITE, A, 2)
    fi
}

/* The steps from the join until the last continuation is published. */
inline behind(w)
{
    maybe_read(w, A, 2);
    maybe_read(w, B, 2);
    if
    :: true -> call(w, WRITE, B, 3)
    :: true -> call(w, PUT, B, 3)
    fi;
    maybe_read(w, A, 2);
    maybe_read(w, B, 3);
    maybe_read(w, C, 1);
#ifndef M_A
    call(w, RELEASE, 0, 0);
#endif
    last_continuation = PUBLISHED;
#ifdef OPEN
    beside(w)
#endif
}

/* c3, with -DOPEN. */
inline beside(w)
{
    if
    :: true -> call(w, WRITE, B, 4)
    :: true
    fi;
    call(w, CHECKOUT, B, 5);
    if /* uat_waitobj_leave() */
    :: true -> call(w, RELEASE, 0, 0)
    :: true
    fi;
    told;
    call(w, ACQUIRE, 0, 0);
    maybe_read(w, A, 4);
    if
    :: true -> call(w, WRITE, A, 6)
    :: true -> call(w, PUT, A, 6)
    fi;
    call(w, CHECKIN, B, 0);
    maybe_read(w, B, 5);
    call(w, RELEASE, 0, 0);
    ended = true
}

inline publish(w)
{
    if
    :: continuation == PRIVATE ->
#ifndef M_A
        call(w, RELEASE, 0, 0);
#endif
        continuation = PUBLISHED
    :: true /* not published */
    fi
}

inline end_of_run(w)
{
    over;
#ifndef M_G_ACQUIRE
    call(w, ACQUIRE, 0, 0);
#endif
    call(w, READ, A, LAST_A);
    call(w, READ, B, LAST_B);
    call(w, READ, C, 2)
}

active proctype First()
{
    byte old;
    call(0, WRITE, A, 1);
    publish(0);
    call(0, WRITE, B, 2);
    publish(0);
    atomic {
        if
        :: continuation == GONE
        :: else -> continuation = OWN
        fi
    };
    if
    :: continuation == OWN ->
        between(0);
        behind(0)
    :: else -> /* the end of a child whose spawner is elsewhere */
#ifndef M_B
        call(0, RELEASE, 0, 0);
#endif
        atomic { old = record; record++ };
        if
        :: old == 1 -> /* resumes the joiner's stack */
#ifndef M_F
            call(0, ACQUIRE, 0, 0);
#endif
            behind(0)
        :: else
        fi
    fi;
    end_of_run(0)
}

active proctype Second()
{
    byte old;
    atomic {
        if
        :: continuation == PUBLISHED -> continuation = GONE
        :: continuation == OWN
        fi
    };
    if
    :: continuation == GONE ->
#ifndef M_D
        call(1, ACQUIRE, 0, 0);
#endif
        between(1);
        if
        :: record == 1 -> record = 2; old = 1
        :: true ->
#ifndef M_C
            call(1, RELEASE, 0, 0);
#endif
            atomic { old = record; record++ }
        fi;
        if
        :: old == 1 ->
#ifndef M_E
            call(1, ACQUIRE, 0, 0);
#endif
            behind(1)
        :: else
        fi
    :: else
    fi;
    end_of_run(1)
}

active proctype Third()
{
    last_continuation == PUBLISHED;
#ifndef M_D
    call(2, ACQUIRE, 0, 0);
#endif
    maybe_read(2, A, 2);
#ifdef OPEN
    call(2, WRITE, A, 4);
    call(2, RELEASE, 0, 0);
    told = true;
#else
    maybe_read(2, B, 3);
#endif
    call(2, READ, C, 1);
    call(2, WRITE, C, 2);
#ifndef M_G_RELEASE
    call(2, RELEASE, 0, 0);
#endif
#ifdef OPEN
    ended;
#endif
    over = true;
    end_of_run(2)
}

init {
    atomic { run Cache(0); run Cache(1); run Cache(2) }
}
