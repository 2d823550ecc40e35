/* SPDX-License-Identifier: MIT */
/*
 * Sums and copies along a tree: uat_tree_sum() and uat_tree_copy() in runtime/job/tree.c. WORKERS workers make CALLS
 * calls. Each call is a sum of numbers that the workers choose. With COPIES, a copy of a word of rank 0 and a barrier
 * follow. No worker leaves a sum before all have entered it. All leave with the sum of this call. All get the word that
 * rank 0 had.
 *
 * A chain { WRITE; FETCH_ADD } is two steps in order (O1). A WRITE of several words is one step, because its receiver
 * reads them only after the FETCH_ADD. The counts are never reset. barrier.pml models the barrier.
 */
#ifndef WORKERS
#define WORKERS 4
#endif
#ifndef CALLS
#define CALLS 2
#endif
#ifndef COPIES
#define COPIES 1
#endif
#define CHILDREN          2 /* maximum for 3 or 4 workers: 1 and 2 are children of 0, 3 is a child of 2 */
#define CHILD(self, i)    ((self) + (1 << (i)))
#define HAS_CHILD(self, i) ((self) % (2 << (i)) == 0 && CHILD(self, i) < WORKERS)
#define PARENT(self)      ((self) & ((self) - 1))
#define PLACE(self)       ((self) & 1 -> 0 : 1) /* index of a child at its parent: the lowest 1 of its rank */
#define SHARE(self, i)    ((self) * CHILDREN + (i))
#ifdef M_ONE_SLOT
#define TOLD(self, number) ((self) * 2)
#else
#define TOLD(self, number) ((self) * 2 + (number) % 2)
#endif

byte up[WORKERS * CHILDREN];    /* words.up of tree.c: FETCH_ADDs by the children */
byte down[WORKERS];             /* words.down: FETCH_ADDs by the parent */
byte share[WORKERS * CHILDREN]; /* words.share: WRITTEN by the children */
byte total[WORKERS];            /* words.total: WRITTEN by the parent */
byte told[WORKERS * 2];         /* words.told_down: WRITTEN by the parent; here it holds the value of `down` instead of
                                 * the call */
byte word[WORKERS];             /* the copied word: set by the worker's CPU and by its READs, and READ by the
                                 * children */

byte entered[CALLS + 1], truth[CALLS + 1]; /* ghost state: how many workers have entered a sum, and the sum */
byte arrived[CALLS + 1];                   /* number of workers at the barrier */

inline tell_parent(self, sum)
{
#ifdef M_UP_BEFORE_WORDS
    up[SHARE(PARENT(self), PLACE(self))]++;
#endif
    share[SHARE(PARENT(self), PLACE(self))] = sum;
#ifndef M_UP_BEFORE_WORDS
    up[SHARE(PARENT(self), PLACE(self))]++
#endif
}

inline tell_children(self, write, sum)
{
    i = CHILDREN;
    do
    :: i == 0 -> break
    :: else ->
        i--;
        if
        :: HAS_CHILD(self, i) ->
#ifdef M_DOWN_BEFORE_WORDS
            down[CHILD(self, i)]++;
#endif
            if
            :: write -> total[CHILD(self, i)] = sum
            :: else
            fi;
            told[TOLD(CHILD(self, i), downs)] = downs;
#ifndef M_DOWN_BEFORE_WORDS
            down[CHILD(self, i)]++
#endif
        :: else
        fi
    od
}

inline hear_children(self, number, sum)
{
    i = 0;
    do
    :: i == CHILDREN || !HAS_CHILD(self, i) -> break
    :: else ->
#ifndef M_NO_WAIT_FOR_CHILD
        up[SHARE(self, i)] >= number;
#endif
#ifndef M_OWN_SHARE_ONLY
        sum = sum + share[SHARE(self, i)];
#endif
        i++
    od
}

inline hear_parent(self, coming)
{
#ifdef M_NO_WAIT_FOR_PARENT
    skip;
#else
    down[self] >= coming;
#endif
    assert(told[TOLD(self, coming)] == coming)
}

inline spread(self, number)
{
    if
    :: self == 0 -> word[0] = number
    :: else ->
        hear_parent(self, downs);
#ifdef M_CHILDREN_BEFORE_READ
        tell_children(self, 0, 0);
#endif
        word[self] = word[PARENT(self)]
    fi;
#ifdef M_CHILDREN_BEFORE_READ
    if
    :: self == 0 -> tell_children(self, 0, 0)
    :: else
    fi;
#else
    tell_children(self, 0, 0);
#endif
    assert(word[self] == number);
    arrived[number]++;
#ifndef M_NO_BARRIER
    arrived[number] == WORKERS;
#endif
    word[self] = 0 /* zero, unless the next call has already reused it */
}

proctype Worker(byte self)
{
    byte number = 1, downs, i, sum;
    do
    :: number > CALLS -> break
    :: else ->
        atomic {
            if
            :: sum = 0
            :: sum = 1 + self
            fi;
            entered[number]++;
            truth[number] = truth[number] + sum;
            downs++
        }
        hear_children(self, number, sum);
        if
        :: self > 0 ->
            tell_parent(self, sum);
            hear_parent(self, downs);
            sum = total[self]
        :: else
        fi;
        atomic {
            assert(entered[number] == WORKERS);
            assert(sum == truth[number])
        }
        tell_children(self, 1, sum);
        if
        :: COPIES ->
            downs++;
            spread(self, number)
        :: else
        fi;
        number++
    od
}

init {
    byte i;
    atomic {
        do
        :: i < WORKERS -> run Worker(i); i++
        :: else -> break
        od
    }
}
