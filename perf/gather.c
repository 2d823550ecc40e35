/* SPDX-License-Identifier: MIT */
#include "perf/gather.h"

#include <errno.h>
#include <stdlib.h>

#include "inspect/inspect.h"
#include "uat.h"

int uat_gather(uint64_t own, struct uat_gathered *gathered)
{
    struct uat_gathered all = {.least = UINT64_MAX};
    uint64_t *words = calloc((size_t)uat_size(), sizeof(*words));
    int status = words ? uat_inspect_gather(own, words) : -ENOMEM;

    for (int i = 0; i < uat_size() && !status; i++) {
        all.sum += words[i];
        all.least = words[i] < all.least ? words[i] : all.least;
        all.most = words[i] > all.most ? words[i] : all.most;
    }
    free(words);
    if (!status)
        *gathered = all;
    return status;
}
