/* SPDX-License-Identifier: MIT */
/* Sets of mutexes, which are named by uat_races_number_of(). Equal sets have the same number. Mutexes give sets and no
 * edges, so the order in which the one worker has locked them hides no race. */
#include <string.h>

#include "races/order.h"
#include "runtime/job/fatal.h"

enum {
    SETS = 1 << 22,    /* A new mutex has a number of its own, so each mutex of a loop makes a set. */
    PLACES = 2 * SETS, /* 1 << 23 */
    MUTEXES = 16       /* that a task may hold at once */
};

struct set {
    int n;
    uint32_t mutex[MUTEXES]; /* ascending */
};
static struct set *sets;
static uint32_t count = 1; /* set 0 is the empty one */
static uint32_t *places;   /* a hash table of the other sets' numbers; 0: free */

static uint32_t number_of(const struct set *wanted)
{
    uint64_t h = 0;
    if (!sets) {
        sets = uat_races_pool(sizeof(*sets) * SETS);
        places = uat_races_pool(sizeof(*places) * PLACES);
    }
    if (wanted->n == 0)
        return 0;
    for (int i = 0; i < wanted->n; i++)
        h = (h ^ wanted->mutex[i]) * UINT64_C(0x9e3779b97f4a7c15);
    h >>= 41; /* to 23 bits */
    for (; places[h]; h = (h + 1) % PLACES)
        if (memcmp(&sets[places[h]], wanted, sizeof(*wanted)) == 0)
            return places[h];
    if (count == SETS)
        uat_fatal("the race detector has no room for more than %d sets of mutexes; use a smaller input", (int)SETS);
    sets[count] = *wanted;
    places[h] = count;
    return count++;
}

uint32_t uat_races_locks_add(uint32_t set, uint32_t mutex)
{
    struct set s = {0};
    if (set)
        s = sets[set];
    if (s.n == MUTEXES)
        uat_fatal("a task holds more than %d mutexes: the race detector has no room for them", (int)MUTEXES);
    int i = s.n++;
    for (; i > 0 && s.mutex[i - 1] > mutex; i--)
        s.mutex[i] = s.mutex[i - 1];
    s.mutex[i] = mutex;
    return number_of(&s);
}

uint32_t uat_races_locks_remove(uint32_t set, uint32_t mutex)
{
    struct set s = {0};
    for (int i = 0; set && i < sets[set].n; i++)
        if (sets[set].mutex[i] != mutex)
            s.mutex[s.n++] = sets[set].mutex[i];
    return number_of(&s);
}

static bool has(const struct set *s, uint32_t mutex)
{
    for (int i = 0; i < s->n; i++)
        if (s->mutex[i] == mutex)
            return true;
    return false;
}

bool uat_races_locks_meet(uint32_t a, uint32_t b)
{
    if (a == b || !a || !b)
        return a && b;
    for (int i = 0; i < sets[a].n; i++)
        if (has(&sets[b], sets[a].mutex[i]))
            return true;
    return false;
}

bool uat_races_locks_within(uint32_t a, uint32_t b)
{
    if (!a || a == b)
        return true;
    for (int i = 0; i < sets[a].n; i++)
        if (!b || !has(&sets[b], sets[a].mutex[i]))
            return false;
    return true;
}
