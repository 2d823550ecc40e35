/* SPDX-License-Identifier: MIT */
/*
 * Children of a group that count their ends in batches: J5 of runtime/segment/record.h, end_in_batch() and
 * uat_meet_child_of_group() of runtime/sched/meet.c.
 *
 * A spawner runs LOOPS groups, one after another, of CHILDREN children in BATCHES batches; the last batch may be
 * smaller. Records are taken from a pool of RECORDS, so a group may get a record that a batch has used.
 * Chains are steps in order. Exactly one process continues the spawner, after all children have ended. Each record's
 * count is 0 whenever the record is free, and none is given back twice. A READ whose bytes the child does not use is
 * left out.
 */
#ifndef LOOPS
#define LOOPS 2
#endif
#ifndef CHILDREN
#define CHILDREN 3
#endif
#define BATCH 2 /* children in a batch */
#define BATCHES ((CHILDREN + BATCH - 1) / BATCH)
#define RECORDS (BATCHES + 1)
#define WAITS 100 /* `block` of a record: the spawner of loop block - WAITS waits. Less: the group of a batch */

short count[RECORDS]; /* HCA atomics only */
byte block[RECORDS];  /* of `waiter` */
bool lent[RECORDS];
byte batch[BATCHES];  /* the records of the loop's batches */
byte group;           /* the record of the loop's group */
byte ended;           /* children of this loop whose writes are complete */
byte goes_on;         /* loops whose spawner continued */
byte left;            /* children that have not finished, of all loops */

inline take(record)
{
    atomic {
        (!lent[0] || !lent[1] || !lent[2]);
        record = (lent[0] -> (lent[1] -> 2 : 1) : 0);
        assert(count[record] == 0);
        lent[record] = 1
    }
}

inline give_back(record)
{
    atomic { assert(lent[record]); lent[record] = 0 }
}

inline go_on(loop)
{
    atomic {
        assert(goes_on == loop - 1);
        assert(ended == CHILDREN);
        goes_on = loop
    }
}

proctype Child(byte loop, name, size)
{
    short old;
    byte where;
    bool last;
    atomic {
        ended++; /* uat_global_before_end() */
        old = count[name];
        count[name]++
    };
    if
#ifdef M_LOOKS_AT_COUNT
    :: count[name] != size -> goto end
#elif defined(M_FULL_BATCHES)
    :: old != BATCH - 1 -> goto end
#else
    :: old != size - 1 -> goto end
#endif
    :: else
    fi;
    where = block[name];
#ifdef M_GIVEN_BACK_EARLY
    give_back(name);
#endif
#ifdef M_ADDS_1
    atomic { old = count[where]; count[where]++ };
#else
    atomic { old = count[where]; count[where] = count[where] + size };
#endif
    if
#ifdef M_LAST_OF_GROUP_BY_1
    :: old == -1 -> last = 1
#else
    :: old == -size -> last = 1
#endif
    :: else
    fi;
    if
    :: last -> assert(block[where] == WAITS + loop)
    :: else
    fi;
#ifndef M_NOT_CLEARED
    count[name] = count[name] - size;
#endif
#ifndef M_GIVEN_BACK_EARLY
    give_back(name);
#endif
    if
    :: last -> give_back(where); go_on(loop)
    :: else
    fi;
end:
    atomic { old = 0; where = 0; last = 0; left-- }
}

proctype Spawner()
{
    byte loop = 1, i, size;
    short old;
    do
    :: loop <= LOOPS ->
        atomic {
            ended = 0;
            i = 0;
            do
            :: i < BATCHES -> take(batch[i]); i++
            :: else -> break
            od;
            take(group);
            i = 0;
            do
            :: i < BATCHES -> block[batch[i]] = group; i++
            :: else -> break
            od;
            i = 0;
            do
            :: i < CHILDREN ->
                size = (i / BATCH == BATCHES - 1 -> CHILDREN - BATCH * (BATCHES - 1) : BATCH);
                left++;
                run Child(loop, batch[i / BATCH], size);
                i++
            :: else -> break
            od;
            i = 0; size = 0
        };
        block[group] = WAITS + loop;
        atomic { old = count[group]; count[group] = count[group] - CHILDREN };
        if
        :: old == CHILDREN -> give_back(group); go_on(loop)
        :: else -> (goes_on == loop)
        fi;
        old = 0;
        loop++
    :: else -> break
    od
}

init
{
    run Spawner();
    (goes_on == LOOPS && left == 0);
    assert(!lent[0] && !lent[1] && !lent[2]);
    assert(count[0] == 0 && count[1] == 0 && count[2] == 0)
}
