/* SPDX-License-Identifier: MIT */
/* Sets of mutexes, which are named by uat_races_number_of(). Equal sets have the same number. Mutexes give sets and no
 * edges, so the order in which the one worker has locked them hides no race. */
#include <string.h>

#include "races/order.h"
#include "runtime/job/fatal.h"

enum { SETS = 1 << 14, MUTEXES = 16 /* that a task may hold at once */ };

struct set {
    int n;
    uint32_t mutex[MUTEXES]; /* ascending */
};
static struct set *sets;
static uint32_t count;

static uint32_t number_of(const struct set *wanted)
{
    if (!sets) {
        sets = uat_races_pool(sizeof(*sets) * SETS);
        count = 1; /* the empty set */
    }
    for (uint32_t i = 0; i < count; i++)
        if (sets[i].n == wanted->n &&
            memcmp(sets[i].mutex, wanted->mutex, (size_t)wanted->n * sizeof(wanted->mutex[0])) == 0)
            return i;
    if (count == SETS)
        uat_fatal("the race detector has no room for more than %d sets of mutexes; use a smaller input", (int)SETS);
    sets[count] = *wanted;
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
