/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/random/program.h"

static const char *const names[OP_KINDS] = {
    [OP_END] = "end",
    [OP_SPAWN] = "spawn",
    [OP_JOIN] = "join",
    [OP_READ] = "read",
    [OP_WRITE] = "write",
    [OP_OPEN] = "checkout",
    [OP_CLOSE] = "checkin",
    [OP_BEGIN] = "begin-transfer",
    [OP_AWAIT] = "transfer-wait",
    [OP_PREFETCH] = "prefetch",
    [OP_RELEASE] = "release",
    [OP_ALLOC] = "alloc",
    [OP_FREE] = "free",
    [OP_WORD] = "atomic",
    [OP_PUBLISH] = "publish",
    [OP_LOOK] = "look",
    [OP_SEEN] = "seen",
    [OP_WORK] = "work",
    [OP_YIELD] = "yield",
    [OP_MIGRATE] = "migrate",
    [OP_CREATE] = "create",
    [OP_DESTROY] = "destroy",
    [OP_SET] = "set",
    [OP_GET] = "get",
    [OP_TRY_GET] = "try-get",
    [OP_COUNT_DOWN] = "count-down",
    [OP_WAIT] = "latch-wait",
    [OP_UP] = "semaphore-release",
    [OP_DOWN] = "acquire",
    [OP_SEND] = "send",
    [OP_RECEIVE] = "receive",
    [OP_SELECT] = "select",
    [OP_CLOSE_CHANNEL] = "close",
    [OP_LOCKED] = "locked",
    [OP_TRY_LOCK] = "try-lock",
    [OP_CONDITION] = "condition",
    [OP_GROUP] = "group-wait",
    [OP_FOR] = "for",
    [OP_REDUCE] = "reduce",
    [OP_SCAN] = "scan",
    [OP_SORT] = "sort",
    [OP_BLOCKS] = "blocks",
    [OP_INVOKE] = "invoke",
    [OP_RACE] = "race",
    [OP_NEXT] = "generator-next",
};

static const char *const thing_names[THING_KINDS] = {"future", "latch", "semaphore", "channel", "mutex", "group"};

int program_kind(const char *name)
{
    for (int i = 0; i < OP_KINDS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

void program_print_op(int index)
{
    static const char *const accesses[] = {"", " R", " W", " RW"};
    const struct op *o = &program.op[index];
    fprintf(stderr, "%5d: step %-5u task %-5d %s%s", index, o->step, o->task, names[o->kind], accesses[o->access & 3]);
    if (o->thing >= 0)
        fprintf(stderr, " %s %d", thing_names[program.thing[o->thing].kind], o->thing);
    if (o->range.bytes)
        fprintf(stderr, " area %d [%u, %u) of %u", o->range.area, o->range.from, o->range.from + o->range.bytes,
                program.bytes[o->range.area]);
    if (o->range.bytes && program.temporary[o->range.area])
        fprintf(stderr, " (temporary)");
    if (o->kind == OP_SPAWN)
        fprintf(stderr, " task %d", program.op[o->link].task);
    if (o->kind == OP_JOIN)
        fprintf(stderr, " task %" PRIu64, o->value);
    if (o->count)
        fprintf(stderr, ", count %" PRIu64, o->count);
    for (int i = 0; o->kind == OP_SELECT && i < (int)o->count; i++)
        fprintf(stderr, "%s %u %s channel %d", i ? "," : ":", o->choice[i].count, o->choice[i].sends ? "to" : "from",
                o->choice[i].thing);
    fprintf(stderr, ", way %u\n", o->way);
}

void program_print(void)
{
    for (int i = 0; i < ARRAYS; i++)
        fprintf(stderr, "array %d: %u bytes\n", i, program.bytes[i]);
    for (int run = 0; run < program.runs; run++) {
        struct range w = program.runs_of[run].written;
        fprintf(stderr, "run %d: array %d is frozen; before that, all ranks write area %d [%u, %u)\n", run,
                program.runs_of[run].frozen, w.area, w.from, w.from + w.bytes);
        for (int i = program.runs_of[run].from; i < program.runs_of[run].to; i++)
            program_print_op(i);
    }
}
