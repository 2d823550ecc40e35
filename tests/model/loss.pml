/* SPDX-License-Identifier: MIT */
/*
 * The loss of worker processes, and the way back of all workers to a copy in memory: runtime/checkpoint/survive.h.
 * Workers take units of work out of each other's memory and run them. At a stand all workers copy their memory; the
 * leader, rank 0, then commits the copy. A worker of another rank is lost at any moment while the gate is open, also
 * during a stand or on the way back. Its memory stays. Its spare process takes the rank over: it knows what the worker
 * knew when the run began, makes its own spare process, and goes back with the others. At the end each unit must have
 * been run once, and every worker must have left the run.
 *
 * Ranks 1 and 2 do the same, so rank 1 is the first that is lost; the second loss hits either. The leader's own
 * operations take one step. `unless` lets a worker notice a loss before each of its steps. An operation in flight takes
 * effect at any time, also after its sender has noticed a loss; an operation of a lost process has taken effect, or
 * never will.
 */
#define N 3
#ifndef UNITS
#define UNITS 2
#endif
#ifndef STANDS
#define STANDS 2
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifdef M_ONE_COPY
#define SLOTS 1
#else
#define SLOTS 2
#endif

/* A rank's memory. */
byte units[N], done[N];
byte claims[N];           /* operations that took effect here and have not been acknowledged */
byte still[N], copied[N]; /* the last stand for which the worker is still, or has made its copy */
byte order;               /* the leader's: the stand that it asks for */
bool result;              /* the root has ended */
byte ended;               /* set of the workers that have the result */

/* A worker's operation: 1 + its victim while it is in flight; it took a unit. */
byte flight[N];
bool got[N];

/* What outlives the workers: the memory of the copies, and uatrun's words. */
byte saved_units[SLOTS * N], saved_done[SLOTS * N];
byte committed;             /* the last complete copy; 0: there is none, and the run begins anew */
byte met[(LOSSES + 1) * 3]; /* for each loss, one word for each of three meetings */
byte losses;
bool open = true, refused;  /* the gate; a loss has ended the job */
byte spares = 6;            /* set of the ranks that have a spare process */
byte fresh;                 /* set of the ranks that a spare process has taken over, and that do not know it yet */

byte stands;
byte out; /* number of workers that have left the run */

#define HAS(set, rank) (((set) >> (rank)) & 1)
#define ALL(word)      (word[1] == served && word[2] == served)
#define ALL_DONE       (done[0] + done[1] + done[2] == UNITS)

#define WORD(meeting) (seen * 3 + (meeting)) /* Z3 */

inline meet(meeting)
{
    met[WORD(meeting)]++;
#ifndef M_MEET_WITHOUT_SPARE
    (met[WORD(meeting)] == N)
#else
    (met[WORD(meeting)] >= N - 1)
#endif
}

/* All workers stop, copy what they have, and go on. */
inline stand()
{
    atomic { claims[me] == 0 -> still[me] = served }; /* K3 */
    (still[0] == served && ALL(still));
    atomic {
        saved_units[(served % SLOTS) * N + me] = units[me];
        saved_done[(served % SLOTS) * N + me] = done[me]
    };
    copied[me] = served;
    if
    :: me == 0 ->
#ifndef M_COMMIT_BEFORE_BARRIER
        ALL(copied);
#endif
        committed = served /* Z1 */
    :: me > 0 -> (committed == served)
    fi
}

/* The operation has taken effect: take the unit, and acknowledge the claim. */
inline finish()
{
    atomic {
        flight[me] == 0;
        if
        :: got[me] -> got[me] = false; units[me]++; claims[victim]--
        :: else
        fi;
        victim = 0
    }
}

/* Returns when the worker has left the run, with the gate closed. */
inline run_units()
{
    do
    :: atomic { units[me] > 0 -> units[me]--; done[me]++ }
    :: atomic { me != 0 && units[0] > 0 -> victim = 0; flight[me] = 1 }; finish()
    :: atomic { me == 2 && units[1] > 0 -> victim = 1; flight[me] = 2 }; finish()
    :: atomic { me == 1 && units[2] > 0 -> victim = 2; flight[me] = 3 }; finish()
    :: atomic { me == 0 && units[1] > 0 -> units[1]--; units[0]++ }
    :: atomic { me == 0 && units[2] > 0 -> units[2]--; units[0]++ }
    :: atomic { me == 0 && !result && stands < STANDS && order == committed -> stands++; order = committed + 1 }
    :: atomic { order > served -> served = order }; stand()
    :: atomic { me == 0 && !result && order == committed && ALL_DONE ->
                assert(units[0] + units[1] + units[2] == 0);
                result = true }
    :: atomic { result -> ended = ended | (1 << me) }; break
    od;
    /* uat_survive_end() */
    if
    :: me == 0 ->
#ifndef M_CLOSED_EARLY
        (ended == 7); /* Z8 */
#endif
        atomic { losses == seen -> assert(ended == 7); open = false } /* else a loss inside of the run ends the job */
    :: me > 0 ->
#ifndef M_LEAVE_EARLY
        (!open) /* Z8 */
#else
        skip
#endif
    fi;
    atomic { out++; left = true }
}

/* uat_survive_recover() */
inline recover()
{
#ifndef M_NO_FLUSH
    (flight[me] == 0);
#endif
    meet(0); /* Z4: from here on, no operation from before the loss is in flight */
    atomic {
#ifdef M_RESET_ONCE
        if
        :: !reset -> claims[me] = 0; reset = true
        :: else
        fi;
#else
        claims[me] = 0; /* Z5: each way back begins here */
#endif
        got[me] = false;
        still[me] = 0;
        copied[me] = 0;
        if
        :: me == 0 -> order = committed; result = false; ended = 0
        :: else
        fi
    };
    meet(1);
    atomic {
        served = committed;
        if
        :: committed > 0 ->
            units[me] = saved_units[(committed % SLOTS) * N + me];
            done[me] = saved_done[(committed % SLOTS) * N + me]
        :: else ->
            units[me] = (me == 0 -> UNITS : 0);
            done[me] = 0
        fi
    };
#ifndef M_RUN_BEFORE_RESTORED
    meet(2); /* Z6 */
#endif
    victim = 0
}

proctype Worker(byte me)
{
    byte seen, served, victim;
    bool reset, left;
    do
    :: !left && !refused ->
        {
            if
            :: seen > 0 -> recover()
            :: else
            fi;
            run_units()
        } unless { !left && (losses != seen || refused) };
        atomic {
            seen = losses;
            victim = 0;
            if
            :: HAS(fresh, me) -> /* this is the spare process, which makes the next one */
                fresh = fresh & ~(1 << me);
#ifndef M_NO_NEXT_SPARE
                spares = spares | (1 << me);
#endif
                served = 0;
                reset = false
            :: else
            fi
        }
    :: left || refused -> break
    od;
    assert(refused || ALL_DONE);
    (refused || out == N)
}

/* A thief's adapter: the operation takes effect once, in one step. */
proctype Adapter(byte thief)
{
    byte victim;
    do
    :: atomic { flight[thief] > 0 ->
                victim = flight[thief] - 1;
                if
                :: units[victim] > 0 -> units[victim]--; claims[victim]++; got[thief] = true
                :: else
                fi;
                flight[thief] = 0;
                victim = 0 }
    :: (out == N || refused) && flight[thief] == 0 -> break
    od
}

/* uatrun: if the lost rank has a spare process, all go back; if not, the job ends. */
inline lose(rank)
{
    flight[rank] = 0;
    if
    :: HAS(spares, rank) -> losses++; fresh = fresh | (1 << rank); spares = spares & ~(1 << rank)
    :: else -> assert(HAS(fresh, rank)); refused = true /* the next spare process is not there yet */
    fi
}

proctype Loss()
{
    do
    :: atomic { LOSSES > 0 && losses == 0 && open && !refused -> lose(1) }
    :: atomic { LOSSES > 1 && losses == 1 && open && !refused -> lose(2) }
    :: atomic { LOSSES > 1 && losses == 1 && open && !refused -> lose(1) }
    :: !open || refused -> break
    od
}

init
{
    atomic {
        units[0] = UNITS;
        run Worker(0);
        run Worker(1);
        run Worker(2);
        run Adapter(1);
        run Adapter(2);
        run Loss()
    }
}
