/* SPDX-License-Identifier: MIT */
/*
 * Description: a task that spawns into a flow adds to a reducer before, between and after the spawns. When the flow has
 * ended, the reducer has all additions in serial order.
 */
#include <stdint.h>
#include <stdio.h>

#include "uat.h"
#include "uat/dataflow.h"
#include "uat/reducer.h"

enum { FLOWS = 200, TASKS = 12, BASE = 1000003, LINGER = 3000 };

/* A sequence of numbers as a polynomial: its value, and BASE^length. */
struct sequence {
    uint64_t value, power;
};
#define NOTHING                                                                                                        \
    {                                                                                                                  \
        0, 1                                                                                                           \
    }

static struct sequence both(struct sequence a, struct sequence b)
{
    return (struct sequence){a.value * b.power + b.value, a.power * b.power};
}
UAT_REDUCER(struct sequence, seen, NOTHING, both)

static void see(uint64_t number)
{
    *seen_view() = both(*seen_view(), (struct sequence){number, BASE});
}

UAT_FLOW_TASK(linger, in_below, char, datum)
{
    (void)datum;
    for (volatile int i = 0; i < LINGER; i++)
        ;
}

UAT_TASK(uint64_t, all, int, flows)
{
    struct sequence expected = NOTHING;
    for (int n = 0; n < flows; n++) {
        uat_flow_t f;
        uat_flow_begin(&f);
        for (uint64_t i = 0; i < TASKS; i++) {
            see(i);
            expected = both(expected, (struct sequence){i, BASE});
            linger_flow(&f, UAT_FLOW_NUMBER(i));
        }
        see(TASKS);
        expected = both(expected, (struct sequence){TASKS, BASE});
        uat_flow_end(&f);
    }
    struct sequence found = seen_take();
    return found.value != expected.value || found.power != expected.power;
}

int main(void)
{
    uint64_t wrong = 0;
    if (uat_init() < 0 || all_run(&wrong, FLOWS) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("the sequence is %s\n", wrong ? "wrong" : "right");
    return uat_finalize() < 0 || wrong;
}
