/* SPDX-License-Identifier: MIT */
/*
 * Description: a program of uat that a worker starts is a job of one, whether main() or a task starts it, and also
 * after uat_finalize(). The worker's job goes on. uatrun in a task starts a job of two.
 * usage: nested UATRUN; inside: nested inner SIZE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uat.h"

static char alone[4096], pair[8192];

static int start(const char *command)
{
    int status = system(command);
    if (status)
        fprintf(stderr, "nested: %s: status %d\n", command, status);
    return status != 0;
}

UAT_TASK(int, tree, int, depth)
{
    tree_task child;
    if (depth == 0)
        return start(alone) + start(pair);
    tree_spawn(&child, depth - 1);
    int errors = depth == 2 ? start(alone) : 0;
    return errors + tree_join(&child);
}

int main(int argc, char **argv)
{
    if (uat_init())
        return 1;
    if (argc == 3 && strcmp(argv[1], "inner") == 0) {
        int errors = uat_size() != atoi(argv[2]) || uat_rank() >= uat_size();
        return uat_finalize() || errors;
    }
    if (argc != 2)
        return 2;
    snprintf(alone, sizeof(alone), "'%s' inner 1; exit $?", argv[0]);
    snprintf(pair, sizeof(pair), "'%s' -n 2 '%s' inner 2", argv[1], argv[0]);
    int errors = start(alone), wrong = 0;
    if (tree_run(&wrong, 3) || uat_finalize())
        return 1;
    return errors + wrong + start(alone);
}
