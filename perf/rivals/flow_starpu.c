/* SPDX-License-Identifier: MIT */
/* A rival of uat-flow: StarPU. The main thread submits tasks, and the workers run them. */
#include <stdint.h>
#include <stdio.h>

#include <starpu.h>

#include "perf/rivals/flow.h"

static starpu_data_handle_t handles[3 * FLOW_TASKS];

static void nothing(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
}

static struct starpu_codelet tasks[] = {
    {.cpu_funcs = {nothing}, .nbuffers = 0},
    {.cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}},
    {.cpu_funcs = {nothing}, .nbuffers = 3, .modes = {STARPU_RW, STARPU_RW, STARPU_RW}},
};

bool rival_begin(int workers, long *data)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    if (starpu_init(&conf) != 0) {
        fputs("StarPU cannot start\n", stderr);
        return false;
    }
    for (int i = 0; i < 3 * FLOW_TASKS; i++)
        starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&data[i], sizeof(data[i]));
    return true;
}

static void submit(enum flow_kind kind, starpu_data_handle_t *h)
{
    if (kind == FLOW_NONE)
        starpu_task_insert(&tasks[0], 0);
    else if (kind == FLOW_ONE_OWN || kind == FLOW_ONE_CHAIN)
        starpu_task_insert(&tasks[1], STARPU_RW, h[0], 0);
    else
        starpu_task_insert(&tasks[2], STARPU_RW, h[0], STARPU_RW, h[1], STARPU_RW, h[2], 0);
}

bool rival_run(enum flow_kind kind)
{
    bool own = kind == FLOW_ONE_OWN || kind == FLOW_THREE_OWN;
    if (kind == FLOW_CHECKOUT)
        return false;
    for (int i = 0; i < FLOW_TASKS; i++)
        submit(kind, &handles[own ? 3 * i : 0]);
    starpu_task_wait_for_all();
    return true;
}

void rival_end(void)
{
    for (int i = 0; i < 3 * FLOW_TASKS; i++)
        starpu_data_unregister(handles[i]);
    starpu_shutdown();
}
