/* SPDX-License-Identifier: MIT */
/*
 * Description: with several hosts, tasks run more often than by chance on the host of the datum that they write.
 * uat_flow_set_home() moves tasks to the host that it names. The program is for two hosts in virtual time, where all
 * runs are the same.
 */
#include <stdio.h>

#include "uat.h"
#include "uat/dataflow.h"

enum { DATA = 32, ROUNDS = 20, TASKS = DATA * ROUNDS };

/* near: how many of the tasks that write this datum have run on its host. */
typedef struct {
    long near;
    char rest[4088];
} datum;

static char *array;

/* Datum i is in the memory of worker i % 8. */
static datum *datum_at(int i)
{
    return (datum *)(void *)(array + (size_t)(i % DATA) * UAT_GLOBAL_BLOCK);
}

UAT_FLOW_TASK(step, inout, datum, d, value, datum *, at)
{
    d->near += uat_global_near(at, sizeof(*at)) == sizeof(*at);
    uat_sim_work(20000);
}

enum wish { ANYWHERE, DATA_DECIDE, ELSEWHERE, WISHES };

/* Returns the number of tasks that ran on the host of their datum. */
UAT_TASK(long, count, int, wish)
{
    static const datum empty;
    long near = 0;
    uat_flow_t f;
    for (int i = 0; i < DATA; i++)
        uat_global_put(datum_at(i), &empty, sizeof(empty));
    uat_flow_begin(&f);
    if (wish == ANYWHERE)
        uat_flow_set_home(&f, UAT_FLOW_ANYWHERE);
    for (int k = 0; k < TASKS; k++) {
        if (wish == ELSEWHERE)
            uat_flow_set_home(&f, datum_at(k + uat_size() / 2));
        step_flow(&f, datum_at(k), datum_at(k));
    }
    uat_flow_end(&f);
    for (int i = 0; i < DATA; i++) {
        datum d;
        uat_global_get(&d, datum_at(i), sizeof(d));
        near += d.near;
    }
    return near;
}

int main(void)
{
    long near[WISHES];
    if (uat_init() < 0)
        return 1;
    array = uat_global_alloc(DATA * UAT_GLOBAL_BLOCK, UAT_CYCLIC, 0);
    for (int wish = 0; wish < WISHES; wish++)
        if (!array || count_run(&near[wish], wish) < 0)
            return 1;
    if (uat_rank() == 0)
        printf("of %d tasks, %ld ran near their datum; with UAT_FLOW_ANYWHERE %ld, with uat_flow_set_home() of another "
               "host %ld\n",
               TASKS, near[DATA_DECIDE], near[ANYWHERE], near[ELSEWHERE]);
    return uat_finalize() < 0 || near[DATA_DECIDE] < near[ANYWHERE] + TASKS / 5 ||
           near[ELSEWHERE] > near[ANYWHERE] - TASKS / 10;
}
