/* SPDX-License-Identifier: MIT */
/*
 * Description: misuse of data flows ends the job with a line that says what was wrong.
 * usage: misuse CASE
 */
#include <stdio.h>
#include <string.h>

#include "uat.h"
#include "uat/dataflow.h"

static char *bytes; /* bytes of global memory */
static const char *wanted;

static int is(const char *name)
{
    return strcmp(wanted, name) == 0;
}

static void nothing(void *arg, const uat_flow_place_t *place)
{
    (void)arg;
    (void)place;
}

static void spawn(uat_flow_t *f, size_t first, size_t n)
{
    const uat_flow_access_t access = {.p = bytes + first, .mode = UAT_FLOW_INOUT, .bytes = n};
    uat_flow_spawn(f, nothing, NULL, 0, &access, 1);
}

/* Bodies of tasks. As the case says, a body checks out data, or has nested tasks that name data. */
enum { DATUM = 64 };

static void access_bytes(size_t first, enum uat_access access)
{
    char *place = uat_global_checkout(bytes + first, DATUM, access);
    if (access & UAT_WRITE)
        place[0] = 1;
    uat_global_checkin(bytes + first, DATUM, access);
}

typedef struct {
    char byte[DATUM];
} datum;

UAT_FLOW_TASK(one, in_below, datum, below, in, datum, a, inout, datum, b)
{
    (void)below;
    (void)a;
    (void)b;
    access_bytes(is("undeclared")   ? 4 * DATUM
                 : is("reaches")    ? 7 * DATUM / 2
                 : is("held-below") ? 0
                                    : 2 * DATUM,
                 is("read-only") ? UAT_WRITE : UAT_READ);
}

UAT_FLOW_TASK(inner, in, datum, a, inout, datum, b)
{
    b->byte[0] = a->byte[0];
}

/* A task with a nested flow. */
UAT_FLOW_TASK(outer, inout_below, datum, both, in_below, datum, more)
{
    uat_flow_t f;
    (void)both;
    (void)more;
    uat_flow_begin(&f);
    inner_flow(&f, (datum *)bytes + 2, (datum *)bytes);
    if (is("nested"))
        inner_flow(&f, (datum *)bytes + 4, (datum *)bytes);
    if (is("nested-read-only"))
        inner_flow(&f, (datum *)bytes, (datum *)bytes + 2);
    uat_flow_end(&f);
}

/* A task that accesses memory without a checkout. This memory and the task's data lie on different pages. */
enum { PAGE = 4096 };

UAT_FLOW_TASK(reaching, in, datum, a, inout, datum, b)
{
    char byte = a->byte[0];
    b->byte[0] = byte;
    if (is("load"))
        byte = *(volatile char *)(bytes + 8 * PAGE);
    if (is("store"))
        *(volatile char *)bytes = byte;
    if (is("get"))
        uat_global_get(&byte, bytes + 8 * PAGE, 1);
}

/* In the case "right", do everything that tasks are allowed to do. In the other cases, make the case's mistake. */
static void accesses(uat_flow_t *f)
{
    datum *d = (datum *)bytes;
    if (is("undeclared") || is("reaches") || is("held-below") || is("read-only") || is("right"))
        one_flow(f, d, d + 2, d + 3);
    if (is("load") || is("store") || is("get") || is("right"))
        reaching_flow(f, d, (datum *)(bytes + 4 * PAGE));
    if (is("nested") || is("nested-read-only") || is("right"))
        outer_flow(f, d, d + 2);
}

/* Wishes for a host: first a right one, then the wrong one of the case. */
static void wishes(uat_flow_t *f)
{
    uat_flow_t copy = *f;
    uat_flow_set_home(f, bytes);
    if (is("at-nowhere"))
        uat_flow_set_home(f, wanted);
    if (is("at-number"))
        uat_flow_set_home(f, UAT_FLOW_NUMBER(7));
    if (is("at-copy"))
        uat_flow_set_home(&copy, bytes);
}

UAT_TASK_VOID(unended, int, depth)
{
    uat_flow_t f;
    (void)depth;
    uat_flow_begin(&f);
    spawn(&f, 0, 8);
}

UAT_TASK_VOID(all, int, unused)
{
    uat_flow_t f, copy;
    uat_flow_access_t many[UAT_FLOW_ACCESSES + 1];
    static char large[UAT_FLOW_ARGUMENT_MAX + 1];
    unended_task child;
    (void)unused;
    memset(many, 0, sizeof(many));
    memset(&f, 0, sizeof(f));
    f.ledger = is("never-begun") ? 1 : 0;
    if (!is("never-begun"))
        uat_flow_begin(&f);
    copy = f;
    if (is("window"))
        uat_flow_set_window(&f, 0);
    if (is("accesses"))
        uat_flow_spawn(&f, nothing, NULL, 0, many, UAT_FLOW_ACCESSES + 1);
    if (is("argument"))
        uat_flow_spawn(&f, nothing, large, sizeof(large), many, 1);
    if (is("not-in-a-frame"))
        uat_flow_begin((uat_flow_t *)(void *)large);
    if (is("copy"))
        spawn(&copy, 0, 8);
    if (is("never-begun"))
        spawn(&f, 0, 8);
    if (is("overlap"))
        spawn(&f, 0, 16);
    if (is("overlap"))
        spawn(&f, 8, 16);
    if (is("sizes"))
        spawn(&f, 0, 16);
    if (is("sizes"))
        spawn(&f, 0, 8);
    if (is("mode"))
        uat_flow_spawn(&f, nothing, NULL, 0, many, 1);
    wishes(&f);
    accesses(&f);
    many[0] = (uat_flow_access_t){.p = bytes, .mode = UAT_FLOW_ADD, .bytes = 8};
    if (is("add"))
        uat_flow_spawn(&f, nothing, NULL, 0, many, 1);
    if (is("unended")) {
        unended_spawn(&child, 0);
        unended_join(&child);
    }
    uat_flow_end(&f);
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? argv[1] : "";
    if (uat_init() < 0)
        return 1;
    bytes = uat_global_alloc(UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0);
    if (!bytes || all_run(0) < 0)
        return 1;
    access_bytes(0, UAT_READ); /* no task runs */
    return uat_finalize() < 0;
}
