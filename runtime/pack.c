/* SPDX-License-Identifier: MIT */
/* The worker's buffer for packed values. It lives as long as the process. */
#include <stdlib.h>

#include "include/uat/detail/pack.h"

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
    *length = buffer.length;
    return buffer.bytes;
}
