/* SPDX-License-Identifier: MIT */
/*
 * Release and acquire of global memory: global/coherence.c, with what cache.c, writeback.c and transfer.c rely on (rules G2, G4
 * to G8 of docs/global.md). One fork-join program runs on workers whose links have no order between them, and none of
 * their own but B1 and B2 of transport/bulk.h. Every read must see what the sequential program would.
 *
 * The bytes: A and B share a part, so that two writers share it; C lies in another block, whose place is the same
 * slot. All are far. Worker 0 begins, 1 and 2 are thieves:
 *
 *	c1: A = 1                       a child that ended on no record
 *	spawn c2: B = 2                 its continuation may be published at any time meanwhile, or never
 *	K: A is 1; A = 2, C = 1         on worker 1 if it was stolen
 *	join                            on the worker that comes second
 *	A is 2, B is 2, C is 1; B = 3, by checkout or by put
 *	spawn c3: nothing               published
 *	A is 2, B is 3, C is 1; C = 2   on worker 2, to which worker 1 or 0 forwards nothing
 *	end of the run: all read all
 *
 * Deque and join are atomic here; they have models of their own.
 */
#define WORKERS 3
#define A 0
#define B 1
#define C 2

byte home[3];

/* A worker's cache: one slot of one part. */
#define BLOCK(byte_) ((byte_) / 2 + 1) /* A, B: 1; C: 2 */
#define PLACE(byte_) ((byte_) % 2)
#define BYTE(block_, place_) (((block_) - 1) * 2 + (place_))
byte block[WORKERS];                   /* 0: none */
bool valid[WORKERS];                   /* the part, as a whole */
byte slot[WORKERS * 2];                /* its bytes */
bool dirty[WORKERS * 2];               /* checked in and not posted */

/* WRITEs on their way. POSTED: the bytes are still to be taken from the slot. TAKEN: complete, not yet in effect. */
#define FREE 0
#define POSTED 1
#define TAKEN 2
#define LINK 3                         /* of each worker */
byte state[WORKERS * LINK], target[WORKERS * LINK], value[WORKERS * LINK];

#define MOVES(k)                                                                                                       \
    :: atomic { state[k] == POSTED -> value[k] = slot[((k) / LINK) * 2 + PLACE(target[k])]; state[k] = TAKEN }         \
    :: atomic { state[k] == TAKEN -> home[target[k]] = value[k]; state[k] = FREE; target[k] = 0; value[k] = 0 }

active proctype Network()
{
end:
    do
    MOVES(0) MOVES(1) MOVES(2) MOVES(3) MOVES(4) MOVES(5) MOVES(6) /* worker 2 writes one byte */
    od
}

#define IS(w, k, what) (state[(w) * LINK + (k)] what)
#define FLUSHED(w) (IS(w, 0, == FREE) && IS(w, 1, == FREE) && IS(w, 2, == FREE))
#define COMPLETE(w) (IS(w, 0, != POSTED) && IS(w, 1, != POSTED) && IS(w, 2, != POSTED))
#define GOES_TO(w, k, byte_) (IS(w, k, != FREE) && target[(w) * LINK + (k)] == (byte_))
#define MEETS(w, byte_) (GOES_TO(w, 0, byte_) || GOES_TO(w, 1, byte_) || GOES_TO(w, 2, byte_))

/* What a worker's program asks of its cache, which is a process of its own to keep the model small. */
#define READ 1      /* `what` must be seen */
#define WRITE 2     /* checkout with UAT_WRITE, and checkin */
#define PUT 3       /* uat_put(), and the checkin of a range in the side area: the WRITE of a copy */
#define RELEASE 4
#define ACQUIRE 5
chan request[WORKERS] = [0] of { byte, byte, byte };
chan done[WORKERS] = [0] of { bit };
#define call(w, how, byte_, what) request[w]!how, byte_, what; done[w]?0

/* uat_writeback_post(): of a byte of the slot, or of a copy. */
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

/* uat_writeback_slot() */
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
#define FETCHED ((op == READ || op == WRITE) && !valid[w])
#endif

proctype Cache(byte w)
{
    byte op, byte_, what, k, place;
    if /* what earlier tasks of this run have left */
    :: atomic { true -> block[w] = 1; valid[w] = 1 }
    :: atomic { true -> block[w] = 2; valid[w] = 1 }
    :: true
    fi;
end:
    do
    :: request[w]?op, byte_, what ->
        atomic {
            if /* what is dirty goes first: before a fetch, before the slot is another block's, before a put */
            :: op == RELEASE || (op == PUT && SAME) || ((op == READ || op == WRITE) && GOES_BACK) -> write_back(w)
            :: else
            fi;
            if
            :: op == RELEASE -> FLUSHED(w)   /* release() of coherence.c */
            :: op == ACQUIRE -> valid[w] = 0 /* acquire(): another epoch; what is dirty stays */
            :: (op == READ || op == WRITE) && !SAME -> /* take_slot() */
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
            :: block[w] == 2 -> slot[w * 2] = home[C]
            :: block[w] == 1 -> slot[w * 2] = home[A]; slot[w * 2 + 1] = home[B]
            :: block[w] == 1 -> slot[w * 2 + 1] = home[B]; slot[w * 2] = home[A]
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

/* Where the program is. */
#define PRIVATE 0
#define PUBLISHED 1
#define GONE 2
#define OWN 3
byte continuation, last_continuation;
byte record;     /* FETCH_ADDs of child and joiner */
bool over;       /* the run */

/* K */
inline between(w)
{
    maybe_read(w, A, 1);
    if
    :: true -> call(w, WRITE, A, 2); call(w, WRITE, C, 1)
    :: true -> call(w, WRITE, C, 1); call(w, WRITE, A, 2)
    fi
}

/* From the join on, until the last continuation is published. */
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
    last_continuation = PUBLISHED
}

inline publish(w)
{
    if
    :: continuation == PRIVATE ->
#ifndef M_A
        call(w, RELEASE, 0, 0);
#endif
        continuation = PUBLISHED
    :: true /* withheld */
    fi
}

inline end_of_run(w)
{
    over;
#ifndef M_G_ACQUIRE
    call(w, ACQUIRE, 0, 0);
#endif
    call(w, READ, A, 2);
    call(w, READ, B, 3);
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
    maybe_read(2, B, 3);
    call(2, READ, C, 1);
    call(2, WRITE, C, 2);
#ifndef M_G_RELEASE
    call(2, RELEASE, 0, 0);
#endif
    over = true;
    end_of_run(2)
}

init {
    atomic { run Cache(0); run Cache(1); run Cache(2) }
}
