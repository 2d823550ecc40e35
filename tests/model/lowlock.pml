/* SPDX-License-Identifier: MIT */
/*
 * The low-lock queue of perf/lowlock.h: PROCESSES processes enqueue a node of their own and then dequeue a node, PASSES
 * times each. A node that was dequeued is enqueued again, at once: this is what the count is for. Every load, store and
 * swap is one step.
 *
 * No node is dequeued twice or lost, a node that its user has is not linked by anybody else, and all processes end.
 */
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef PASSES
#define PASSES 3
#endif

byte tail;                  /* a node, 1 to PROCESSES, or 0 */
byte first, count;          /* one word */
byte next[PROCESSES + 1];
bool queued[PROCESSES + 1]; /* from the swap of tail to the dequeue */

#ifdef M_NO_COUNT
#define COUNT(c) (c)
#define SAME(f, c) (first == f)
#else
#define COUNT(c) (c + 1)
#define SAME(f, c) (first == f && count == c)
#endif

/* CMP_SWAP(first, { f, c }, { to, c + 1 }) */
inline swap_first(f, c, to)
{
    atomic {
        won = SAME(f, c);
        if
        :: won -> first = to; count = COUNT(c)
        :: else
        fi
    }
}

inline swap_tail(from, to)
{
    atomic {
        won = (tail == from);
        if
        :: won -> tail = to
        :: else
        fi
    }
}

inline set_first(to)
{
    atomic { f = first; c = count };
    assert(f == 0);
#ifdef M_SET_BY_WRITE
    first = to; count = COUNT(c)
#else
    swap_first(f, c, to);
    assert(won) /* W3: nobody else changes it */
#endif
}

inline enqueue()
{
    assert(!queued[own]);
#ifndef M_NEXT_NOT_CLEARED
    next[own] = 0;
#endif
    do
    ::
        last = tail;
#ifdef M_LINK_BEFORE_SWAP
        if
        :: last != 0 -> next[last] = own
        :: else
        fi;
#endif
        atomic {
            swap_tail(last, own);
            if
            :: won -> queued[own] = true
            :: else
            fi
        };
        if
        :: won -> break
        :: else
        fi
    od;
    if
    :: last == 0 -> set_first(own)
#ifndef M_LINK_BEFORE_SWAP
    :: else -> next[last] = own
#else
    :: else
#endif
    fi
}

inline dequeue()
{
    do
    ::
        atomic { f = first; c = count };
        t = tail;
        if
        :: f == 0 -> (first != 0 || tail == 0) /* waits; with an own node in the queue it is never empty for long */
        :: f != 0 && t == f ->
            swap_first(f, c, 0);
            if
            :: won ->
                own = f;
#ifdef M_NO_REPAIR
                swap_tail(own, 0);
#else
                swap_tail(own, 0);
                if
                :: won
                :: else ->
                    (next[own] != 0);
                    set_first(next[own])
                fi;
#endif
                break
            :: else
            fi
        :: f != 0 && t != f ->
            n = next[f];
            if
            :: n != 0 ->
                swap_first(f, c, n);
                if
                :: won -> own = f; break
                :: else
                fi
            :: else
            fi
        fi
    od;
    assert(queued[own]);
    queued[own] = false
}

proctype Process(byte self)
{
    byte own = self, pass, last, f, c, t, n;
    bool won;
    for (pass : 1 .. PASSES) {
        enqueue();
        dequeue()
    }
}

init {
    byte i;
    atomic {
        for (i : 1 .. PROCESSES) { run Process(i) }
    }
    (_nr_pr == 1);
    assert(tail == 0 && first == 0)
}
