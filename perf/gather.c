/* SPDX-License-Identifier: MIT */
#include "perf/gather.h"

#include "runtime/collective/collective.h"
#include "runtime/task/worker.h"

int uat_gather(uint64_t own, struct uat_gathered *gathered)
{
    struct uat_worker *w = &uat_worker;
    struct uat_gathered all = {.least = UINT64_MAX};
    int status;

    /* A word that each worker shows to the others, free outside of uat_replicate(). */
    w->segment.control->replica_size = own;
    status = uat_collective_barrier();
    for (int i = 0; i < w->size && !status; i++) {
        const struct uat_op op = uat_op_read(&w->segment.staging->word, &w->segment.control->replica_size, 8);
        uint64_t word;

        status = uat_transport_do(w->transport, i, &op, 1);
        word = w->segment.staging->word;
        all.sum += word;
        all.least = word < all.least ? word : all.least;
        all.most = word > all.most ? word : all.most;
    }
    if (!status)
        status = uat_collective_barrier();
    if (!status)
        *gathered = all;
    return status;
}
