/* SPDX-License-Identifier: MIT */
/*
 * The loss of worker processes, and the recovery of the others from copies in memory: the design of docs/elastic.md.
 * Workers take units of work out of each other's memory and run them. At a stand all workers copy their memory; the
 * leader, rank 0, then commits the copy. A worker of another rank is lost at any moment, also during a stand or a
 * recovery. The others drop what they do, reset their memory and go back to the copy. A lost rank's memory stays
 * mapped. The leader keeps it: it puts back what the copy has of that rank, and copies it at later stands. At the end
 * each unit must have been run once.
 *
 * Ranks 1 and 2 do the same, so rank 1 is the first that is lost. The leader's own operations take one step. `unless`
 * lets a worker notice a loss before each of its steps. An operation in flight takes effect at any time, also after its
 * sender has begun to recover; an operation of a lost process has taken effect, or never will.
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
byte still[N], copied[N]; /* the last stand for which the worker is still, or has made its copies */
byte order;               /* the leader's: the stand that it asks for */

/* A worker's operation: 1 + its victim while it is in flight; it took a unit. */
byte flight[N];
bool got[N];

/* The memory of the copies, which outlives the workers. */
byte saved_units[SLOTS * N], saved_done[SLOTS * N];
byte list[SLOTS]; /* Z2: the set of ranks that the copy has */
byte committed;   /* the last complete copy; 0: there is none, and the run begins anew */

/* The words by which survivors meet: for each epoch, one for each of three meetings. */
byte arrived[(LOSSES + 1) * 3];

byte epoch;       /* number of lost workers */
byte present = 7; /* set of the others */
byte stands;
bool over;

#define HAS(set, rank)        (((set) >> (rank)) & 1)
#define COUNT(set)            (HAS(set, 0) + HAS(set, 1) + HAS(set, 2))
#define AT(copy, rank)        (((copy) % SLOTS) * N + (rank))
#define REACHED(word, number) ((!HAS(crew, 1) || word[1] == (number)) && (!HAS(crew, 2) || word[2] == (number)))
#define ALL_DONE              (done[0] + done[1] + done[2] == UNITS)

#define WORD(meeting) (seen * 3 + (meeting)) /* Z3 */

inline meet(meeting)
{
    arrived[WORD(meeting)]++;
    (arrived[WORD(meeting)] >= COUNT(crew))
}

inline save(rank)
{
    atomic {
        saved_units[AT(served, rank)] = units[rank];
        saved_done[AT(served, rank)] = done[rank]
    }
}

/* All workers of the crew stop, copy what they have, and go on. */
inline stand()
{
    atomic { claims[me] == 0 -> still[me] = served }; /* K3 */
    (still[0] == served && REACHED(still, served));
    save(me);
    if
    :: me == 0 -> /* the lost ranks that it keeps */
        if :: !HAS(crew, 1) && HAS(kept, 1) -> save(1) :: else fi;
        if :: !HAS(crew, 2) && HAS(kept, 2) -> save(2) :: else fi
    :: else
    fi;
    copied[me] = served;
    if
    :: me == 0 ->
#ifndef M_COMMIT_BEFORE_BARRIER
        REACHED(copied, served);
#endif
        atomic {
            list[served % SLOTS] = crew | kept;
            committed = served /* Z1 */
        }
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

inline run_units()
{
    do
    :: over -> break
    :: atomic { units[me] > 0 -> units[me]--; done[me]++ }
    :: atomic { me != 0 && units[0] > 0 -> victim = 0; flight[me] = 1 }; finish()
    :: atomic { me == 2 && units[1] > 0 -> victim = 1; flight[me] = 2 }; finish()
    :: atomic { me == 1 && units[2] > 0 -> victim = 2; flight[me] = 3 }; finish()
    :: atomic { me == 0 && units[1] > 0 -> units[1]--; units[0]++ }
    :: atomic { me == 0 && units[2] > 0 -> units[2]--; units[0]++ }
    :: atomic { me == 0 && !over && stands < STANDS && order == committed -> stands++; order = committed + 1 }
    :: atomic { order > served -> served = order }; stand()
    :: atomic { me == 0 && epoch == seen && order == committed && ALL_DONE ->
                assert(units[0] + units[1] + units[2] == 0);
                over = true }
    od
}

/* Put back what the committed copy has of this rank. */
inline put_back(rank)
{
    atomic { if
    :: committed > 0 && HAS(list[committed % SLOTS], rank) ->
        units[rank] = saved_units[AT(committed, rank)];
        done[rank] = saved_done[AT(committed, rank)];
        kept = kept | (1 << rank)
    :: committed == 0 && rank == 0 -> units[0] = UNITS; done[0] = 0
    :: else -> units[rank] = 0; done[rank] = 0
    fi }
}

inline recover()
{
#ifndef M_NO_FLUSH
    (flight[me] == 0);
#endif
    meet(0); /* Z4: from here on, no operation of an earlier epoch is in flight */
#ifdef M_RESET_ONCE
    if
    :: !reset -> claims[me] = 0; reset = true
    :: else
    fi;
#else
    claims[me] = 0; /* Z5: each recovery begins here */
#endif
    atomic {
        got[me] = false;
        still[me] = 0;
        copied[me] = 0;
        kept = 0;
        if
        :: me == 0 -> order = committed
        :: else
        fi
    };
    meet(1);
    served = committed;
    put_back(me);
    if
    :: me == 0 ->
        if :: !HAS(crew, 1) -> claims[1] = 0; put_back(1) :: else fi;
        if :: !HAS(crew, 2) -> claims[2] = 0; put_back(2) :: else fi
    :: else
    fi;
#ifndef M_RUN_BEFORE_ADOPTED
    meet(2); /* Z6 */
#endif
    victim = 0
}

proctype Worker(byte me)
{
    byte seen, crew = 7, kept, served, victim;
    bool reset;
    do
    :: HAS(present, me) && !over ->
        {
            if
            :: seen > 0 -> recover()
            :: else
            fi;
            run_units()
        } unless { epoch != seen };
        atomic { seen = epoch; crew = present }
    :: over || !HAS(present, me) -> break
    od
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
    :: over && flight[thief] == 0 -> break
    od
}

proctype Loss()
{
    do
    :: atomic { LOSSES > 0 && epoch == 0 && !over -> present = 5; epoch = 1; flight[1] = 0 }
    :: atomic { LOSSES > 1 && epoch == 1 && !over -> present = 1; epoch = 2; flight[2] = 0 }
    :: over -> break
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
