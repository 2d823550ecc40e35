/* SPDX-License-Identifier: MIT */
/*
 * With -DWEAK, a CPU's stores reach memory late. Each of the STORERS has a store buffer. Its stores leave the buffer in
 * any order, except that stores to one word stay in order. A release waits until the buffer is empty, and so does an
 * atomic that releases. In the mutant NO_RELEASE neither waits. Without WEAK a store takes effect at once. The
 * including model defines STORERS and reach(), which performs a store.
 */
#ifdef WEAK
chan buffer[STORERS] = [3] of { byte, byte };
#define STORE(who, word, place, value) buffer[who]!word, value
#ifdef M_NO_RELEASE
#define RELEASED(who) true
#else
#define RELEASED(who) empty(buffer[who])
#endif
#define REACH(who, word) atomic { buffer[who]??word, value -> reach(who, word); value = 0 }
#define BUFFERS 1 /* processes that never end */
#else
#define STORE(who, word, place, value) place = value
#define RELEASED(who) true
#define BUFFERS 0
#endif
