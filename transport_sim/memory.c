/* SPDX-License-Identifier: MIT */
#include "transport_sim/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "transport_sim/world.h"

enum { BOUNCE = 65536 };

/* The place where this process has mapped `address` of worker `rank`, or NULL. */
static char *mapped(int rank, const void *address)
{
    if (rank == uat_sim.rank)
        return (char *)address;
    if (!uat_sim.all)
        return NULL;
    return uat_sim.all + (size_t)rank * uat_sim.segment_size + ((const char *)address - uat_sim.segment);
}

static off_t offset_of(int rank, const void *address)
{
    return (off_t)rank * (off_t)uat_sim.segment_size + ((const char *)address - uat_sim.segment);
}

static void check(ssize_t done, size_t size)
{
    if (done == (ssize_t)size)
        return;
    uat_error("transport sim: the segments' memory object: %s", done < 0 ? strerror(errno) : "it is too short");
    _exit(1);
}

void uat_sim_memory_read(int rank, const void *from, void *to, size_t size)
{
    const char *p = mapped(rank, from);
    if (p)
        memcpy(to, p, size);
    else
        check(pread(uat_sim.world->object, to, size, offset_of(rank, from)), size);
}

void uat_sim_memory_write(int rank, void *to, const void *from, size_t size)
{
    char *p = mapped(rank, to);
    if (p)
        memmove(p, from, size); /* the ranges of a worker's operation on itself may overlap */
    else
        check(pwrite(uat_sim.world->object, from, size, offset_of(rank, to)), size);
}

void uat_sim_memory_copy(int to_rank, void *to, int from_rank, const void *from, size_t size)
{
    static char bounce[BOUNCE];
    const char *source = mapped(from_rank, from);
    char *target = mapped(to_rank, to);
    if (source) {
        uat_sim_memory_write(to_rank, to, source, size);
        return;
    }
    if (target) {
        uat_sim_memory_read(from_rank, from, target, size);
        return;
    }
    for (size_t done = 0; done < size; done += BOUNCE) {
        size_t bytes = size - done < BOUNCE ? size - done : BOUNCE;
        uat_sim_memory_read(from_rank, (const char *)from + done, bounce, bytes);
        uat_sim_memory_write(to_rank, (char *)to + done, bounce, bytes);
    }
}
