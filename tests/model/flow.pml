/* SPDX-License-Identifier: MIT */
/*
 * The ledger of runtime/flow/ledger.h: an unroller and two workers. Each of TASKS tasks accesses one of two data in one
 * of three modes: it reads, it writes, or it excludes the others without a fixed order (UAT_FLOW_ANY). All combinations
 * are searched. With -DCHAIN all tasks write one datum; with -DONE all access one datum. While no task is under way, a
 * spawn may run its task in place. Such a task may part from the unroller: the unroller continues on another worker. In
 * all other cases the task becomes an entry. There are ENTRIES entries, so entries are reused. A task's body may begin
 * only when all earlier tasks that conflict with it have ended. The body must see what those tasks wrote.
 *
 * `home` is the set of tasks whose writes were released. view[w] is the set of tasks whose writes worker w sees. These
 * are the tasks that were in `home` at the worker's last ACQUIRE, and the tasks that ran on worker w.
 *
 * With -DWEAK the unroller's stores to entries on its own worker, and to its waiter, reach memory late.
 *
 * The model has no entries that join several others. Instead, a line lists all those others as its writers.
 */
#ifndef TASKS
#define TASKS 3
#endif
#ifndef ENTRIES
#define ENTRIES 2
#endif
#define WORKERS 2
#define UNROLLER WORKERS
#define NEXT    ENTRIES
#define ENDED   16
#define NOBODY  99

byte datum[TASKS];
#define IN    0
#define INOUT 1
#define ANY   2
byte mode[TASKS];
#define CONFLICT(s, t) (datum[s] == datum[t] && (mode[s] != mode[t] || mode[s] == INOUT))
bool guard[2]; /* the mutex of a datum */

/* The words of the entries. */
short left[ENTRIES];
byte open[ENTRIES];         /* number of registrations, plus ENDED. Each use starts at 0 here, but at links.base in the
                             * C code */
byte next[ENTRIES * NEXT];  /* task + 1 */
byte mark[ENTRIES];         /* 1 + the task that ended last in this entry */
byte entry_of[TASKS];
short count;                /* number of ended entries, without those that the unroller has already awaited */
bool waits, woken;

byte content[ENTRIES];      /* what a worker needs to start the task: task + 1 */

byte ready;                 /* bit t: task t is in a ring */
byte children;              /* bit t: task t has parted, and runs on another worker */
byte record[TASKS];         /* 0: none; 1: unroller or child has arrived; 2: both */
bool deferred[TASKS];       /* the waiter in the record names the entry */

byte ended;                 /* bit t: the body of t has ended */
byte started;
byte home;
byte view[WORKERS + 1];

#define STORERS 1
#include "weak.pml"
#define CONTENT_WORD(e) (ENTRIES * NEXT + (e))
#define WAITER_WORD     (ENTRIES * NEXT + ENTRIES)
#ifdef M_NO_RELEASE_OF_NEXT
#define RELEASED_NEXT true
#else
#define RELEASED_NEXT RELEASED(0)
#endif
#ifdef M_NO_RELEASE_OF_WAITER
#define RELEASED_WAITER true
#else
#define RELEASED_WAITER RELEASED(0)
#endif
#ifdef WEAK
inline reach(who, which)
{
    if
    :: which < ENTRIES * NEXT -> next[which] = value
    :: which == WAITER_WORD -> waits = value
    :: else -> content[which - ENTRIES * NEXT] = value
    fi
}

active proctype StoreBuffer()
{
    byte value;
end:
    do
    :: REACH(0, 0) :: REACH(0, 1) :: REACH(0, 2) :: REACH(0, 3) /* ENTRIES is 2 */
    :: REACH(0, 4) :: REACH(0, 5) :: REACH(0, 6)
    od
}
#endif

/* The body of t runs on worker w. */
inline body(t, w)
{
    atomic {
#ifndef M_NO_GUARD
        if
        :: mode[t] == ANY && entry -> !guard[datum[t]]; guard[datum[t]] = true
        :: else
        fi;
#endif
        assert(!(started & (1 << t)));
        started = started | (1 << t);
        s_ = 0;
        do
        :: s_ < t ->
            if
            :: CONFLICT(s_, t) -> assert(ended & (1 << s_)); assert(view[w] & (1 << s_))
            :: !CONFLICT(s_, t) && datum[s_] == datum[t] && mode[t] == ANY ->
                assert(!(started & (1 << s_)) || (ended & (1 << s_)))
            :: else
            fi;
            s_++
        :: else -> break
        od;
        s_ = 0
    }
    atomic {
        ended = ended | (1 << t); view[w] = view[w] | (1 << t);
        if
        :: mode[t] == ANY && entry -> guard[datum[t]] = false
        :: else
        fi
    }
}

/* FETCH_ADD(left, -1). The entry becomes ready when `left` reaches 0. */
inline count_down(t)
{
    atomic {
        left[entry_of[t]] = left[entry_of[t]] - 1;
        if
        :: left[entry_of[t]] == 0 -> assert(!(ready & (1 << t))); ready = ready | (1 << t)
        :: else
        fi
    }
}

/* Close the entry of t, mark it, count its successors down, and count its end. */
inline end_entry(t)
{
    e_ = entry_of[t];
#ifdef M_NEXT_READ_FIRST
    for (i_ : 0 .. NEXT - 1) { got[i_] = next[e_ * NEXT + i_] };
#endif
    atomic { k_ = open[e_]; open[e_] = open[e_] + ENDED; assert(k_ < ENDED) }; /* closed once (F3) */
#ifdef M_CLOSED_BEFORE_RELEASE
    home = home | (1 << t);
#endif
#ifdef M_MARK_EARLY
    mark[e_] = t + 1;
#endif
#ifndef M_NEXT_READ_FIRST
    i_ = 0;
    do
    :: i_ < NEXT -> got[i_] = next[e_ * NEXT + i_]; i_++
    :: else -> break
    od;
#endif
#ifndef M_MARK_EARLY
    mark[e_] = t + 1;
#endif
    i_ = 0;
    do
    :: i_ < k_ -> assert(got[i_] > 0); count_down(got[i_] - 1); i_++
    :: else -> break
    od;
    atomic {
        if
        :: count == -1 -> assert(waits); woken = true
        :: else
        fi;
        count++
    };
    atomic { i_ = 0; k_ = 0; e_ = 0; for (i_ : 0 .. NEXT - 1) { got[i_] = 0 }; i_ = 0 }
}

inline release(t)
{
#ifndef M_CLOSED_BEFORE_RELEASE
    home = home | (1 << t)
#else
    skip
#endif
}

inline acquire(w)
{
    view[w] = view[w] | home
}

proctype Worker(byte w)
{
    byte t, s_, e_, i_, k_, got[NEXT];
    bool entry; /* false: t is a child that parted */
end:
    do
    :: atomic { ready != 0 ->
           if
           :: (ready & 1) -> t = 0
           :: (ready & 2) -> t = 1
           :: (ready & 4) -> t = 2
           :: (ready & 8) -> t = 3
           fi;
           ready = ready & ~(1 << t) };
#ifndef M_NO_ACQUIRE
        acquire(w);
#endif
        assert(content[entry_of[t]] == t + 1);
        entry = true;
        body(t, w);
        release(t);
        end_entry(t);
        t = 0
    :: atomic { children != 0 -> /* the child stays on the worker that spawned it, and sees what the unroller saw */
           if
           :: (children & 1) -> t = 0
           :: (children & 2) -> t = 1
           :: (children & 4) -> t = 2
           :: (children & 8) -> t = 3
           fi;
           children = children & ~(1 << t);
           view[w] = view[w] | view[UNROLLER] };
        entry = false;
        body(t, w);
        release(t);
        atomic { record[t] = record[t] + 1; k_ = record[t] }; /* { FETCH_ADD(state, 1); READ waiter } */
        if
        :: k_ == 2 -> assert(deferred[t]); k_ = 0; end_entry(t)
        :: else -> k_ = 0
        fi;
        t = 0
    od
}

/* The unroller's private state. A line names tasks by their ids. `lives` compares an id with the entry's id. */
active proctype Unroller()
{
    byte t, s_, i, e, begun, retired, awaited, id[ENTRIES], n;
    byte line_writers[2], line_sharers[2], line_mode[2]; /* bit s: task s. The sharers have registered after the
                                                          * writers, with the mode line_mode */
    bool shares;
    byte registered, met, old, used[ENTRIES];
    bool gone[TASKS], entry;

    atomic {
        for (i : 0 .. TASKS - 1) {
#ifdef CHAIN
            mode[i] = INOUT
#else
#ifndef ONE
            if
            :: datum[i] = 0
            :: i > 0 -> datum[i] = 1
            fi;
#endif
            if
            :: mode[i] = IN
            :: mode[i] = INOUT
            :: mode[i] = ANY
            fi
#endif
        };
        run Worker(0);
        run Worker(1)
    };
    do
    :: t == TASKS -> break
    :: t < TASKS ->
        if
        :: awaited + count == begun -> /* in place: all tasks have ended */
#ifndef M_IN_PLACE_NO_ACQUIRE
            acquire(UNROLLER);
#endif
            atomic {
                retired = begun;
                for (i : 0 .. 1) { line_writers[i] = 0; line_sharers[i] = 0 };
                for (i : 0 .. ENTRIES - 1) { id[i] = 0 };
                i = 0
            };
            if
            :: entry = false; body(t, UNROLLER); release(t); goto spawned
            :: /* the child parts: the unroller continues elsewhere */
                children = children | (1 << t);
                e = 0;
                entry_of[t] = e;
                open[e] = 0; used[e] = 0;
                atomic {
                    deferred[t] = true; record[t] = record[t] + 1;
                    if
                    :: record[t] == 2 -> acquire(UNROLLER); goto spawned /* the child has ended */
                    :: else
                    fi
                };
                id[e] = t + 1; begun++;
                goto enter
            fi
        :: else
        fi;
        /* take a free entry; if there is none, wait for one end */
        do
        :: atomic { i = 0;
               do
               :: i < ENTRIES ->
                   if
                   :: id[i] != 0 && mark[i] == id[i] -> gone[id[i] - 1] = true; id[i] = 0; retired++
                   :: else
                   fi;
                   i++
               :: else -> break
               od; i = 0 };
           if
           :: begun - retired < ENTRIES -> break
           :: else
           fi;
           STORE(0, WAITER_WORD, waits, true);
           atomic { /* { WRITE waiter; FETCH_ADD(count, -n) } */
               RELEASED_WAITER;
               n = retired + 1 - awaited;
               awaited = retired + 1;
               old = (count >= n);
               count = count - n
           };
#ifdef M_PARKS_ANYWAY
           old = 0;
#endif
           if
           :: old -> skip
           :: else -> (woken); woken = false
           fi;
           waits = false; n = 0; old = 0
        od;
        e = 0;
        do
        :: id[e] != 0 -> e++
        :: else -> break
        od;
        atomic { /* no other worker looks at the entry yet */
            entry_of[t] = e; open[e] = 0; used[e] = 0; id[e] = t + 1; begun++;
            STORE(0, CONTENT_WORD(e), content[e], t + 1);
            registered = 0
        };
        shares = line_sharers[datum[t]] == 0 || (mode[t] != INOUT && line_mode[datum[t]] == mode[t]);
        s_ = 0;
        do
        :: s_ < t ->
            if
#ifdef M_LINE_KEPT
#define LIVES(s) (id[entry_of[s]] != 0)
#else
#define LIVES(s) (id[entry_of[s]] == s + 1 && mark[entry_of[s]] != s + 1) /* uat_flow_under_way() */
#endif
            :: LIVES(s_) && (
#ifndef M_NO_WRITER
               (shares && (line_writers[datum[t]] & (1 << s_))) ||
#endif
#ifdef M_LAST_READER
               (!shares && line_sharers[datum[t]] >> s_ == 1) ||
#elif !defined(M_NO_READERS)
               (!shares && (line_sharers[datum[t]] & (1 << s_))) ||
#endif
               false) ->
                i = entry_of[s_];
#ifdef M_NEXT_AFTER_ADD
                atomic { old = open[i]; open[i] = open[i] + 1 };
                next[i * NEXT + used[i]] = t + 1;
#else
                STORE(0, i * NEXT + used[i], next[i * NEXT + used[i]], t + 1);
                atomic { RELEASED_NEXT; old = open[i]; open[i] = open[i] + 1 };
#endif
                used[i] = used[i] + 1;
#ifdef M_END_NOT_SEEN
                old = 0;
#endif
                registered++;
                if
                :: old >= ENDED -> met++
                :: else
                fi;
#ifdef M_ADDED_ONE_BY_ONE
                atomic { left[e]++;
                    if
                    :: left[e] == 0 -> ready = ready | (1 << t)
                    :: else
                    fi };
#endif
                old = 0; i = 0
            :: else
            fi;
            s_++
        :: else -> break
        od;
        s_ = 0;
        if
        :: registered == 0 -> atomic { RELEASED(0); ready = ready | (1 << t) } /* uat_flow_ring_push() */
        :: else ->
#ifndef M_ADDED_ONE_BY_ONE
            atomic { RELEASED(0); left[e] = left[e] + registered;
                if
                :: left[e] == 0 -> ready = ready | (1 << t)
                :: else
                fi };
#endif
            if
            :: met > 0 ->
                atomic { left[e] = left[e] - met;
                    if
                    :: left[e] == 0 -> ready = ready | (1 << t)
                    :: else
                    fi }
            :: else
            fi
        fi;
        met = 0;
        registered = 0;
enter:
#ifdef M_PARTED_NOT_ENTERED
        if
        :: deferred[t] -> goto spawned
        :: else
        fi;
#endif
        atomic {
            if
#ifdef M_PARTED_SHARES
            :: mode[t] == INOUT ->
#else
            :: mode[t] == INOUT || (deferred[t] && mode[t] == ANY) -> /* a child that parted holds no guard */
#endif
                line_writers[datum[t]] = 1 << t; line_sharers[datum[t]] = 0
            :: else ->
#ifndef M_MODES_MIXED
                if
                :: line_sharers[datum[t]] != 0 && line_mode[datum[t]] != mode[t] ->
                    line_writers[datum[t]] = line_sharers[datum[t]]; line_sharers[datum[t]] = 0
                :: else
                fi;
#endif
                line_mode[datum[t]] = mode[t];
                line_sharers[datum[t]] = line_sharers[datum[t]] | (1 << t)
            fi;
            shares = false
        };
spawned:
        atomic { e = 0; t++ }
    od;
    (ended == (1 << TASKS) - 1); /* otherwise this is an invalid end state */
    (awaited + count == begun)
}
