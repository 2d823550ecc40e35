/* SPDX-License-Identifier: MIT */
/*
 * The ledger of temporary arrays (runtime/global/temporary.c). Each of PROCESSES workers makes PASSES passes. In a pass
 * it allocates an array of one or two units, writes the array, reads it, writes it again and frees it. Additions to the
 * bits and WRITEs to the units are posted. Each takes effect at any later time, in any order. Every load, store and
 * atomic is one step.
 *
 * A worker that reads its units must find what it wrote. No bit may be set or cleared twice. In the end all bits must
 * be clear.
 */
#ifndef PROCESSES
#define PROCESSES 2
#endif
#ifndef PASSES
#define PASSES 2
#endif
#define UNITS 3

byte lock;                 /* 0, or 1 + the worker that holds it */
byte bit_of[UNITS];
byte home[UNITS];          /* the units' contents: 1 + the worker that wrote them */
byte ended;

/* The operations that each worker has posted and that have not yet taken effect. */
typedef worker {
    byte set[UNITS], clear[UNITS], written[UNITS];
}
worker posted[PROCESSES];

/* The adapters: an operation of some worker takes effect. */
active proctype Adapters()
{
    byte w, u;
end:
    do
    ::
        select(w : 0 .. PROCESSES - 1);
        select(u : 0 .. UNITS - 1);
        if
        :: atomic { posted[w].set[u] -> assert(bit_of[u] == 0); bit_of[u]++; posted[w].set[u]-- }
        :: atomic { posted[w].clear[u] -> assert(bit_of[u] == 1); bit_of[u]--; posted[w].clear[u]-- }
        :: atomic { posted[w].written[u] -> home[u] = w + 1; posted[w].written[u] = 0 }
        :: else
        fi
    :: ended == PROCESSES -> break
    od
}

#define ADDED(u) (posted[self].set[u] == 0 && posted[self].clear[u] == 0)
#define HOME(u) (posted[self].written[u] == 0)

inline await_additions()
{
    (ADDED(0) && ADDED(1) && ADDED(2))
}

inline release()
{
    (HOME(0) && HOME(1) && HOME(2))
}

inline each(first, count, action)
{
    for (u : first .. first + count - 1) {
        action = 1
    }
}

proctype Worker(byte self)
{
    byte pass, count, first, u;
    byte seen[UNITS];
    for (pass : 1 .. PASSES) {
        select(count : 1 .. 2);
        do /* until a free unit is found */
        ::
#ifndef M_NO_LOCK
            await_additions();
            atomic { lock == 0 -> lock = self + 1 };
#endif
            for (u : 0 .. UNITS - 1) {
                seen[u] = bit_of[u]
            }
            if
            :: seen[0] == 0 && (count == 1 || seen[1] == 0) -> first = 0
            :: else ->
                if
                :: seen[1] == 0 && (count == 1 || seen[2] == 0) -> first = 1
                :: else ->
                    if
                    :: seen[2] == 0 && count == 1 -> first = 2
                    :: else -> first = UNITS
                    fi
                fi
            fi;
            if
            :: first < UNITS -> each(first, count, posted[self].set[u])
            :: else
            fi;
#ifndef M_UNLOCK_BEFORE_BITS
            await_additions(); /* E1 */
#endif
            lock = 0;
            if
            :: first < UNITS -> break
            :: else
            fi
        od;
        each(first, count, posted[self].written[u]);
        release();
        for (u : first .. first + count - 1) {
            assert(home[u] == self + 1)
        }
        each(first, count, posted[self].written[u]);
#ifndef M_CLEAR_BEFORE_RELEASE
        release(); /* E3 */
#endif
        each(first, count, posted[self].clear[u])
    }
    await_additions();
    release();
    atomic {
        ended++;
        if
        :: ended == PROCESSES -> assert(bit_of[0] + bit_of[1] + bit_of[2] == 0)
        :: else
        fi
    }
}

init
{
    byte w;
    atomic {
        for (w : 0 .. PROCESSES - 1) {
            run Worker(w)
        }
    }
}
