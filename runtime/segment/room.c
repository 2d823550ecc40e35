/* SPDX-License-Identifier: MIT */
#include "runtime/segment/room.h"

#include <assert.h>
#include <string.h>

#include "base/kernel.h"
#include "runtime/segment/heap.h"
#include "runtime/segment/record.h"

enum { ROOMS_MAX = 31 };

static const struct uat_room *all[ROOMS_MAX + 1], *added[ROOMS_MAX + 1]; /* each ends with NULL */

const struct uat_room *const *uat_rooms = all;

/* Append the rooms of `from` to those of `to`. */
static void append(const struct uat_room **to, const struct uat_room *const *from)
{
    int count = 0;
    while (to[count])
        count++;
    for (; *from; from++, count++) {
        assert(count < ROOMS_MAX);
        to[count] = *from;
    }
}

void uat_rooms_give(const struct uat_room *const *table)
{
    memset(all, 0, sizeof(all));
    append(all, table);
    append(all, added);
}

void uat_rooms_add(const struct uat_room *room)
{
    append(added, (const struct uat_room *const[]){room, NULL});
}
UAT_KERNEL(uat_rooms_add);

/* Close the rooms before `end`, the last one first. */
static void close_before(const struct uat_room *const *end)
{
    while (end-- > uat_rooms)
        if ((*end)->close)
            (*end)->close();
}

int uat_rooms_open(const struct uat_room_job *job)
{
    for (const struct uat_room *const *room = uat_rooms; *room; room++) {
        int rc = (*room)->open ? (*room)->open(job) : 0;
        if (rc) {
            close_before(room);
            return rc;
        }
    }
    return 0;
}

void uat_rooms_close(void)
{
    const struct uat_room *const *end = uat_rooms;
    while (*end)
        end++;
    close_before(end);
}

void uat_rooms_describe(char *text, size_t size)
{
    text[0] = '\0';
    UAT_EACH_ROOM(room, describe)
    {
        size_t length = strlen(text);
        (*room)->describe(text + length, size - length);
    }
}

bool uat_rooms_lost(int rank, char *text, size_t size)
{
    UAT_EACH_ROOM(room, lost)
    if ((*room)->lost(rank, text, size))
        return true;
    return false;
}

bool uat_rooms_explain(uintptr_t address, char *text, size_t size)
{
    UAT_EACH_ROOM(room, explain)
    if ((*room)->explain(address, text, size))
        return true;
    return false;
}

/* Free bytes of the stacks and of the heap are not cleared: no part reads them before it writes them. */
static void reset(void)
{
    uat_record_pool_reset(&uat_records);
    uat_heap_reset(&uat_heap);
}

const struct uat_room uat_segment_room = {.name = "segment", .reset = reset};
