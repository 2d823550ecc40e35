/* SPDX-License-Identifier: MIT */
/*
 * The owner: deque/owner.c. Functions and fields have the same names as in that file.
 *
 * A step is one load of a shared word, the private work that follows it, and the stores that this work sends to the
 * store buffer. Thieves do not see the buffer, so interrupting within a step would show nothing more.
 */
#define PRIVATE   0
#define PUBLISHED 1
#define GONE      2
#define BACK      3 /* UAT_TAG_ABORTED */

/* The claim of entry i has been acknowledged. */
inline settle(i, status)
{
    published--;
    if
    :: status == STOLEN -> tag[i] = GONE
    :: else ->
        tag[i] = BACK;
        if
        :: aborted == 0 || i < oldest_aborted -> oldest_aborted = i
        :: else
        fi;
        aborted++
    fi
}

inline collect(t)
{
    atomic { k = first };
    do
    :: k < last && (tag[k] != PUBLISHED || t <= index[k]) -> k++
    :: atomic {
           k < last && tag[k] == PUBLISHED && t > index[k] -> /* the acknowledgement is loaded in this step */
           word = ack[SLOT_OF(index[k])];
           if
           :: ACK_FOR(word, index[k]) -> settle(k, ACK_STATUS(word))
           :: else
           fi;
           k++
       }
    :: k >= last -> break
    od;
    atomic {
        k = 0;
        word = 0;
        do
        :: first < last && tag[first] != PUBLISHED -> first++
        :: else -> break
        od
    }
}

/* Put entry i into the ring. ok is false if the ring or the acknowledgements do not yet allow it. */
inline publish(i)
{
    atomic {
        t = claims; /* load_claims() */
#ifdef M_NO_ROOM_TEST
        ok = true;
#else
        ok = (bottom - t < SLOTS);
#endif
#ifdef M_INDEX_BEHIND_CLAIMS
        at = bottom
#else
        at = (t > bottom -> t : bottom) /* D2 */
#endif
    };
#ifndef M_REUSE_UNACKNOWLEDGED
    if
    :: atomic { ok -> ok = ACK_FOR(ack[SLOT_OF(at)], at - SLOTS) }
    :: else
    fi;
#endif
    if
    :: ok ->
#ifndef M_REUSE_UNCOLLECTED
        collect(t);
#endif
        atomic {
            if
            :: tag[i] == BACK -> aborted--
            :: else
            fi;
#ifndef M_SAME_GENERATION
            generation++;
#endif
            assert(at < 8 && generation < 16);
#ifdef M_STATE_BEFORE_CONTENT
            STORE_RELEASE(SLOT_OF(at), STATE(at, generation, 1));
            STORE(SP_WORD(SLOT_OF(at)), i);
#else
            STORE(SP_WORD(SLOT_OF(at)), i);
            STORE_RELEASE(SLOT_OF(at), STATE(at, generation, 1));
#endif
            tag[i] = PUBLISHED;
            index[i] = at;
            bottom = at + 1;
            published++
        }
    :: else
    fi;
    t = 0
}

/* The loop may end anywhere. This stands for any limit on published entries. It also stands for any condition under
 * which a push or pop skips the refill. */
inline refill()
{
    atomic { t = claims };
    collect(t);
    atomic {
        t = 0;
        if
        :: published == 0 && aborted > 0 -> first = oldest_aborted; last = oldest_aborted
        :: else
        fi
    };
    do
    :: last < n && tag[last] == GONE -> last++
    :: last < n && tag[last] != GONE ->
        publish(last);
        if
        :: ok -> last++
        :: else -> break
        fi
#ifndef FULL_CAP
    :: last < n -> break
#endif
    :: last >= n -> break
    od;
    atomic { ok = 0; at = 0 }
}

inline pop_published(i)
{
    atomic {
        at = index[i];
        bottom = at;
        STORE(SLOT_OF(at), STATE(at, generation, 0)) /* withdraw(). */
    };
#ifndef M_NO_FENCE
    FULL_FENCE();
#endif
    if
    :: atomic { claims <= at -> published--; run_entry(entry[i]) }
    :: atomic {
           claims > at ->
#ifdef M_NO_WAIT
           published--; tag[i] = GONE
#endif
       };
#ifndef M_NO_WAIT
#ifdef M_ACK_WITHOUT_INDEX
       atomic { word = ack[SLOT_OF(at)]; settle(i, ACK_STATUS(word)); };
#else
       atomic { /* await_ack() */
           ACK_FOR(ack[SLOT_OF(at)], at) -> word = ack[SLOT_OF(at)];
           settle(i, ACK_STATUS(word))
       };
#endif
       atomic {
           word = 0;
           if
           :: tag[i] == BACK -> aborted--; run_entry(entry[i])
           :: else
           fi
       }
#endif
    fi
}

inline pop()
{
    if
    :: tag[n - 1] == PUBLISHED -> pop_published(n - 1)
    :: atomic { tag[n - 1] == BACK -> aborted--; run_entry(entry[n - 1]) }
    :: atomic { tag[n - 1] == PRIVATE -> run_entry(entry[n - 1]) }
    :: tag[n - 1] == GONE -> skip
    fi;
    atomic {
        n--;
        entry[n] = 0; tag[n] = PRIVATE; index[n] = 0; at = 0;
        if :: last > n -> last = n :: else fi;
        if :: first > n -> first = n :: else fi
    }
}

#ifndef STAND_OWNER
#define STAND_OWNER
#endif
#ifdef STOP
/* uat_chain_take() and uat_chain_put() */
inline freeze()
{
    do
    :: k > 0 && tag[k - 1] == PUBLISHED ->
        atomic {
            k--;
            at = index[k];
            bottom = at;
            STORE(SLOT_OF(at), STATE(at, generation, 0)) /* withdraw() */
        };
#ifndef M_FREEZE_WITHOUT_FENCE
        FULL_FENCE();
#endif
        atomic {
            if
            :: claims <= at ->
                published--;
                tag[k] = BACK;
                if
                :: aborted == 0 || k < oldest_aborted -> oldest_aborted = k
                :: else
                fi;
                aborted++
            :: else ->
                assert(ACK_FOR(ack[SLOT_OF(at)], at)); /* K3: await_ack() does not wait */
                settle(k, ACK_STATUS(ack[SLOT_OF(at)]))
            fi;
            at = 0
        }
    :: atomic { k > 0 && tag[k - 1] != PUBLISHED -> k-- }
    :: atomic { k == 0 -> first = 0; last = 0; frozen = true; break } /* uat_chain_put() */
    od
}
#endif

active proctype Owner()
{
    byte entry[ENTRIES]; /* the continuation of entry i; its stack is at address i */
    byte tag[ENTRIES];
    byte index[ENTRIES]; /* where entry i is published */
    byte n, first, last, oldest_aborted, aborted, published, bottom, generation;
    byte pushed, t, at, k, word;
    bool ok;
    atomic {
        do
        :: k < SLOTS -> ack[k] = ACK(k - SLOTS, ABORTED); k++ /* uat_ring_init() */
        :: else -> break
        od;
        k = 0
    };
    do
    :: atomic {
           pushed < ENTRIES ->
           pushed++;
           entry[n] = pushed;
           STORE(STACK_WORD(n), pushed);
           n++
       };
       refill()
    :: n > 0 -> pop(); refill()
    STAND_OWNER
    :: atomic { pushed == ENTRIES && n == 0 -> break }
    od;
    assert(done == ALL_DONE);
#if defined(STOP) || (defined(GRANTS) && !defined(M_NO_ANSWER_WITHOUT_WORK))
end:
    do
    STAND_OWNER
    od;
#endif
    atomic { busy == 0 -> assert(lock == LOCK_AT_REST) }
}
