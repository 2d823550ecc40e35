/* SPDX-License-Identifier: MIT */
/* The worker's buffer for packed values. It lives as long as the process. */
#include <stdlib.h>
#include <string.h>

#include "include/uat/detail/pack.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/job/fatal.h"
#include "runtime/sched/stop.h"

/* Bytes of the buffer, of which only those that are used take memory. A larger value makes it larger until the next
 * value. So it seldom moves, and the race detector can leave it out by its address. */
enum { ROOM = 1 << 20 };

static struct {
    void *bytes;
    size_t length, room;
} buffer;

void *uat_pack_resize(size_t length)
{
    if (!buffer.bytes || length > buffer.room || (buffer.room > ROOM && length <= ROOM)) {
        size_t room = length > ROOM ? length + length / 2 : ROOM;
        void *bytes = realloc(buffer.bytes, room);
        if (!bytes)
            return NULL;
        buffer.bytes = bytes;
        buffer.room = room;
    }
    buffer.length = length;
    return buffer.bytes;
}

void *uat_pack_buffer(size_t *length)
{
    uat_stop_postponed = false; /* the child takes its argument */
    *length = buffer.length;
    return buffer.bytes;
}

void uat_pack_hold(void)
{
    uat_stop_postponed = true;
}

void uat_pack_keep(void)
{
    uat_checkpoint_keep_packed(buffer.bytes, buffer.length);
}

int uat_pack_restore(void)
{
    size_t size = 0;
    const void *kept = uat_checkpoint_kept_packed(&size);
    if (!kept)
        return 0;
    void *to = uat_pack_resize(size);
    if (!to)
        uat_fatal("no memory for the packed result of a run, of %zu bytes", size);
    memcpy(to, kept, size);
    return 1;
}

int uat_pack_globally(int need)
{
    static int needed;
    return needed |= need;
}
