/* SPDX-License-Identifier: MIT */
/* The effect of a bulk operation on memory. The process with the token executes the effect. */
#include "transport_sim/bulk_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

enum { GROUP = 64 /* this number of bytes move together; it is a multiple of 8, so that no aligned word is torn */ };

/* This process's mappings of the objects. If a mapping's serial differs from the table's serial, the mapping is stale:
 * its array was freed. */
static struct {
    char *at;
    uint64_t serial;
    size_t bytes;
} window[SIM_OBJECTS];

static void unmap(uint32_t object)
{
    if (window[object].at)
        munmap(window[object].at, window[object].bytes);
    window[object].at = NULL;
}

void uat_sim_bulk_unmap(void)
{
    for (uint32_t i = 0; i < SIM_OBJECTS; i++)
        unmap(i);
}

static char *map(uint32_t object, const struct sim_object *o)
{
    char path[64];
    unmap(object);
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", o->pid, o->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, o->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        uat_error("transport sim: the global memory of a simulated host (%s) cannot be mapped: %s", path,
                  strerror(errno));
        _exit(1);
    }
    close(fd);
    window[object].at = at;
    window[object].serial = o->serial;
    window[object].bytes = o->bytes;
    return at;
}

/* The address of the operation's bytes at the home. NULL: the array was freed, so no worker can access the bytes. */
static char *home(const struct sim_bulk *op)
{
    const struct sim_object *o = &uat_sim.world->object_table[op->object];
    if ((o->serial & UINT32_MAX) != op->serial || op->offset > o->bytes || op->bytes > o->bytes - op->offset)
        return NULL;
    char *at =
        window[op->object].at && window[op->object].serial == o->serial ? window[op->object].at : map(op->object, o);
    return at + op->offset;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33; /* the finaliser of MurmurHash3 */
    x *= 0xff51afd7ed558ccdull;
    return x ^ x >> 33;
}

static void do_atomic(const struct sim_bulk *op, uint64_t *word, char *room)
{
    uint64_t old = *word;
    *word = op->code == UAT_OP_FETCH_ADD ? old + op->operand : old == op->compare ? op->operand : old;
    memcpy(room, &old, sizeof(old));
}

void uat_sim_bulk_effect(const struct sim_bulk *op, uint32_t number, uint32_t part)
{
    char *at = home(op), *room = sim_bulk_room(number);
    if (!at)
        return;
    if (op->code == UAT_OP_FETCH_ADD || op->code == UAT_OP_CMP_SWAP) {
        do_atomic(op, (uint64_t *)(void *)at, room);
        return;
    }
    char *to = op->code == UAT_OP_READ ? room : at;
    const char *from = op->code == UAT_OP_READ ? at : room;
    if (part == SIM_PARTS) {
        memcpy(to, from, op->bytes);
        return;
    }
    size_t head = (GROUP - op->offset % GROUP) % GROUP; /* the groups are aligned in the home's address space */
    for (size_t i = 0, n; i < op->bytes; i += n) {
        n = i == 0 && head ? head : GROUP;
        n = n < op->bytes - i ? n : op->bytes - i;
        if (mix(op->random + i) % SIM_PARTS == part)
            memcpy(to + i, from + i, n);
    }
}
