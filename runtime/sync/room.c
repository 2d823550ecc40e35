/* SPDX-License-Identifier: MIT */
/* The descriptor of the objects that tasks wait for: see runtime/segment/room.h. */
#include "runtime/segment/room.h"

#include "runtime/segment/heap.h"
#include "runtime/sync/mutex.h"
#include "runtime/sync/waitobj.h"

static void reserve(void)
{
    uat_sync_reserve();
    uat_sync_reserve_names();
}

/* Has main() named a channel or a mutex? After a restart it might lie on another worker, but main() would keep the old
 * handle. */
static bool has_name_of_main(void)
{
    uat_heap_settle(&uat_heap);
    for (size_t i = 0; i < uat_heap.lent.count; i++) {
        const struct uat_parked *block = (const void *)uat_heap_block(&uat_heap, uat_heap.lent.items[i]);
        if (block->kind == UAT_PARK_NAME && block->holder)
            return true;
    }
    return false;
}

/* The serial numbers of cancellable groups go on, because handles of earlier groups may still be asked. */
static void reset(void)
{
    uat_sync_forget_names();
    uat_cancel_forget();
    uat_waitobj_words = NULL;
}

const struct uat_room uat_sync_room = {
    .name = "sync",
    .reserve = reserve,
    .lost = uat_mutex_lost,
    .reset = reset,
    .busy = has_name_of_main,
    .busy_reason = "main() has named a channel or a mutex (uat_channel_named(), uat_mutex_named()), which only "
                   "tasks may do here"};
