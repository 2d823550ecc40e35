/* SPDX-License-Identifier: MIT */
/*
 * The low-lock queue of perf/lowlock.h. Each of PROCESSES processes enqueues its own node and then dequeues a node,
 * PASSES times. A dequeued node is enqueued again at once. The count in the word of `first` protects against this
 * reuse. Every load, store and swap is one step.
 *
 * No node may be dequeued twice or lost. No other process may link a node that is in use. All processes must end.
 */
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef PASSES
#define PASSES 3
#endif

byte tail;                  /* a node, 1 to PROCESSES, or 0 */
byte first, count;          /* both in one word */
byte next[PROCESSES + 1];
bool queued[PROCESSES + 1]; /* true from the swap of tail to the dequeue */

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
    assert(won) /* W3: no other process changes `first` now */
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
        :: f == 0 -> (first != 0 || tail == 0) /* wait: first is 0 only briefly, since each process enqueues
                                                * before it dequeues */
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
