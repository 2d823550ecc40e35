/* SPDX-License-Identifier: MIT */
/*
 * Description: a task that finds a future set must get its value. Tasks on other workers poll the future while one task
 * sets it. The next future uses the same memory for another value. For the simulation. Usage: futures ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/mix.h"
#include "uat.h"
#include "uat/sync.h"

enum { WORDS = 8, POLLERS_MAX = 16, STEP_NS = 200, SET_NS = 20000 };

struct value {
    uint64_t word[WORDS];
};

UAT_FUTURE(struct value, value);

static struct value make_value(uint64_t seed)
{
    struct value v;
    for (uint64_t i = 0; i < WORDS; i++)
        v.word[i] = mix(seed + i);
    return v;
}

/* Returns the number of wrong words. */
UAT_TASK(uint64_t, poll, value_future, f, uint64_t, seed)
{
    struct value got = {0}, expected = make_value(seed);
    uint64_t wrong = 0;
    while (value_try_get(f, &got))
        uat_sim_work(STEP_NS);
    for (uint64_t i = 0; i < WORDS; i++)
        wrong += got.word[i] != expected.word[i];
    return wrong;
}

UAT_TASK(uint64_t, all, uint64_t, rounds)
{
    poll_task task[POLLERS_MAX];
    uint64_t wrong = 0;
    /* One worker gets no poller, so that it can run the spawner. */
    int pollers = uat_size() - 2 < POLLERS_MAX ? uat_size() - 2 : POLLERS_MAX;
    for (uint64_t round = 0; round < rounds; round++) {
        value_future f = value_create();
        for (int i = 0; i < pollers; i++)
            poll_spawn(&task[i], f, round * WORDS);
        uat_sim_work(mix(round) % SET_NS);
        value_set(f, make_value(round * WORDS));
        for (int i = 0; i < pollers; i++)
            wrong += poll_join(&task[i]);
        value_destroy(f);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, wrong = 0;
    if (uat_init() || all_run(&wrong, rounds))
        return 1;
    if (wrong > 0)
        fprintf(stderr, "futures: rank %d: %lu words are wrong\n", uat_rank(), (unsigned long)wrong);
    return uat_finalize() != 0 || wrong > 0;
}
