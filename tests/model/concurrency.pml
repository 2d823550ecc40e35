/* SPDX-License-Identifier: MIT */
/*
 * The limit of active workers, runtime/adaptive/concurrency.c. Three concurrent calls each change the words of two
 * workers, each in its own order. A caller reads its own word once, and guesses that each word is equal to it. At the
 * end both words must have the limit of the call with the largest number.
 */
#define CALLS 3

byte changes, word[2], ended; /* a word: the number of the call that has set it */

proctype Caller(bit first)
{
    byte number, guess, seen, old, k;
    bit i;
    atomic { changes++; number = changes };
    i = first;
    guess = word[i];
    do
    :: k < 2 ->
        seen = guess;
#ifdef M_NUMBER_NOT_COMPARED
        word[i] = number;
#else
        do
        :: seen < number ->
#ifdef M_NO_SWAP
            word[i] = number;
            break
#else
            atomic { old = word[i]; if :: old == seen -> word[i] = number :: else fi };
#ifdef M_NO_SECOND_TRY
            break
#else
            if
            :: old == seen -> break
            :: else -> seen = old
            fi
#endif
#endif
        :: else -> break
        od;
#endif
        i = 1 - i;
        k++
    :: else -> break
    od;
    ended++
}

init
{
    atomic { run Caller(0); run Caller(1); run Caller(0) };
    (ended == CALLS);
    assert(word[0] == CALLS && word[1] == CALLS)
}
