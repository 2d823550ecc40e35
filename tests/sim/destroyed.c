/* SPDX-License-Identifier: MIT */
/*
 * Description: when another worker has destroyed an object, its memory is reused for other objects. These keep their
 * values. One task creates futures and sets them. Another task gets and destroys the older futures. Neither task waits,
 * so each stays on its worker. Usage: destroyed FUTURES
 */
#include <stdio.h>
#include <stdlib.h>

#include "uat.h"
#include "uat/channel.h"
#include "uat/sync.h"

enum { ALIVE = 4 };

UAT_FUTURE(uint64_t, number);
UAT_CHANNEL(number_future, old);

/* Returns the number of wrong values. */
UAT_TASK(uint64_t, destroy_all, old_channel, old, uint64_t, count)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        number_future f;
        while (old_try_receive(old, &f))
            ;
        wrong += number_get(f) != i;
        number_destroy(f);
    }
    return wrong;
}

UAT_TASK(uint64_t, create_all, uint64_t, count)
{
    number_future alive[ALIVE];
    old_channel old = old_create(ALIVE);
    destroy_all_task other;
    uint64_t wrong = 0;
    destroy_all_spawn(&other, old, count - ALIVE);
    for (uint64_t i = 0; i < count; i++) {
        number_future *f = &alive[i % ALIVE];
        if (i >= ALIVE)
            while (old_try_send(old, *f))
                ;
        *f = number_create();
        number_set(*f, i);
    }
    wrong += destroy_all_join(&other);
    for (int k = 0; k < ALIVE; k++)
        number_destroy(alive[k]);
    old_destroy(old);
    return wrong;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, wrong = 0;
    if (uat_init() || create_all_run(&wrong, count))
        return 1;
    if (wrong > 0)
        fprintf(stderr, "destroyed: rank %d: %lu values are wrong\n", uat_rank(), (unsigned long)wrong);
    return uat_finalize() != 0 || wrong > 0;
}
