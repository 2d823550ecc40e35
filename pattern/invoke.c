/* SPDX-License-Identifier: MIT */
/* uat_invoke(). */
#include <string.h>

#include "include/uat/pattern.h"

enum { ALIGNMENT = 64 /* bytes: the greatest alignment that uat_spawn() gives an argument */ };

static void call_here(const uat_call_t *call)
{
    _Alignas(ALIGNMENT) char copy[call->arg_size + 1];
    if (call->arg_size > 0)
        memcpy(copy, call->arg, call->arg_size);
    call->fn(copy, call->result);
}

/* The last call is not spawned, because a continuation that only joins is not worth stealing. */
void uat_invoke(const uat_call_t *calls, size_t count)
{
    if (count == 0)
        return;
    uat_task_t tasks[count];
    for (size_t i = 0; i + 1 < count; i++)
        uat_spawn(&tasks[i], calls[i].fn, calls[i].arg, calls[i].arg_size, calls[i].result, calls[i].result_size);
    call_here(&calls[count - 1]);
    for (size_t i = count - 1; i > 0; i--)
        uat_join(&tasks[i - 1]);
}
