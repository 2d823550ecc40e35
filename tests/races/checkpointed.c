/* SPDX-License-Identifier: MIT */
/* Description: a program for the race detector that ends after a checkpoint, while its root and two more tasks wait. */
#include "include/uat.h"
#include "include/uat/checkpoint.h"

UAT_TASK(int, leaf, int, n)
{
    return n;
}

UAT_TASK(int, walk, int, n)
{
    leaf_task l;
    walk_task t;
    if (n == 0)
        uat_checkpoint(UAT_CHECKPOINT_END);
    else
        walk_spawn(&t, n - 1);
    leaf_spawn(&l, 1);
    int value = leaf_join(&l);
    return n == 0 ? value : value + walk_join(&t);
}

int main(void)
{
    int value = 0;
    if (uat_init() || walk_run(&value, 2))
        return 1;
    return uat_finalize() || value != 3;
}
