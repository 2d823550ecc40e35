/* SPDX-License-Identifier: MIT */
#include "transport/bulk.h"

#include "base/relax.h"

int uat_bulk_wait(struct uat_bulk *b, int link, uint64_t end)
{
    struct uat_relax relax = {0};
    if (b->link[link].completed >= end)
        return 0;
    b->transport->round_trips++;
    while (b->link[link].completed < end) {
        int rc = b->class_->progress(b);
        if (rc)
            return rc;
        if (b->link[link].completed < end)
            uat_relax(&relax);
    }
    return 0;
}
