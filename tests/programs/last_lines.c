/* SPDX-License-Identifier: MIT */
/* Description: every rank prints LINES lines, which stdio buffers, and then the job ends by an error. The command line
 * names the kind of error. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uat.h>
#include <uat/sync.h>

enum { LINES = 100 };

/* Exported for the C++ interface, which calls it when a task ends by an exception that nobody catches. */
void uat_end_by_exception(const char *event, const char *what);

UAT_TASK_VOID(unlock, int, unused)
{
    (void)unused;
    uat_mutex_unlock(uat_mutex_create());
}

UAT_TASK(long, overflow, long, depth)
{
    volatile char frame[4096];
    if (depth < 0)
        return 0;
    frame[depth % 4096] = 1;
    return overflow(depth + 1) + frame[depth % 4096];
}

static void lock_twice(void)
{
    uat_mutex_t m = uat_mutex_create();
    uat_mutex_lock(m);
    uat_mutex_lock(m);
}

/* Commit the error. */
UAT_TASK_VOID(wrong, int, kind)
{
    if (kind == 'u')
        unlock(0);
    if (kind == 'o')
        overflow(0);
    if (kind == 'e')
        uat_end_by_exception("a task has thrown", "nothing");
    if (kind == 'a')
        abort();
    if (kind == 'k')
        raise(SIGKILL);
    if (kind == 's')
        *(volatile int *)0 = 1;
}

UAT_TASK_VOID(root, const char *, what)
{
    wrong_task t;
    if (what[0] == 'd')
        lock_twice();
    wrong_spawn_on(&t, strcmp(what + 1, "-last") == 0 ? uat_size() - 1 : 0, what[0]);
    wrong_join(&t);
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"u",      "u-last", "o", "o-last", "e", "e-last", "s",
                                        "s-last", "k-last", "a", "a-last", "d", "m"};
    const char *what = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(argv[1], kinds[i]) == 0)
            what = kinds[i]; /* a constant: every rank has it at the same address */
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer)); /* else uat_init() would let each line be written at once */
    if (!what || uat_init() < 0)
        return 2;
    for (int i = 0; i < LINES; i++)
        printf("rank %d line %d\n", uat_rank(), i);
    if (uat_barrier() < 0)
        return 3;
    if (what[0] == 'm') /* different calls */
        return uat_rank() == 0 ? uat_barrier() < 0 : root_run("u") < 0;
    root_run(what);
    return uat_finalize() < 0;
}
