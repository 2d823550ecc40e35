/* SPDX-License-Identifier: MIT */
/*
 * A stop of all workers (runtime/sched/stop.c), with -DSTOP. Thief 0 is rank 0, which orders the stop and pokes the
 * owner. Once all workers are still, the owner freezes its deque (deque/chain.c) and continues. Without STOP this file
 * has no effect.
 */
#ifdef STOP
bool wanted;   /* the order */
bool still[3]; /* thieves 0 and 1, and the owner: the worker has stopped, and all its operations are complete */
bool all_still; /* rank 0's verdict */
bool frozen;    /* the owner is in the barrier that follows the freeze; no worker leaves the barrier before all have
                 * frozen */

#ifdef M_GO_ON_BEFORE_BARRIER
#define GO_ON all_still
#else
#define GO_ON frozen
#endif

#ifdef M_STILL_BEFORE_COMPLETION
#define COMPLETE(me) true
#else
#define COMPLETE(me) (!due[me] && !owed[me])
#endif

#ifdef M_VERDICT_BEFORE_STILL
#define OTHERS_STILL still[2]
#else
#define OTHERS_STILL (still[1] && still[2])
#endif

/* The step of a thief between two attempts. If the thief is rank 0, it has poked the owner and now waits. */
#define STAND_THIEF                                                                                                     \
    :: atomic { wanted && me == 1 && got == 0 && !still[1] && COMPLETE(1) -> still[1] = true };                        \
       GO_ON                                                                                                         \
    :: atomic { me == 0 && got == 0 && !wanted -> wanted = true };                                                     \
       if                                                                                                               \
       :: poke()                                                                                                        \
       :: skip                                                                                                          \
       fi;                                                                                                              \
       atomic { COMPLETE(0) && OTHERS_STILL -> all_still = true };                                                     \
       GO_ON

/* The owner, in a slow path. Take back what it has published, the youngest entry first. */
#define STAND_OWNER                                                                                                     \
    :: atomic { wanted && !still[2] -> still[2] = true };                                                              \
       atomic { all_still -> k = n };                                                                                   \
       freeze();                                                                                                       \
       refill()
#else
#define STAND_THIEF
#define STAND_OWNER
#endif
