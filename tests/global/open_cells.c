/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "tests/global/open.h"
#include "tests/mix.h"

struct cell cells[CELLS];
int cell_count;

void add_cell(unsigned char *at, uint32_t bytes, int owner)
{
    cells[cell_count++] = (struct cell){at, bytes, owner};
}

void lay_out(unsigned char *array)
{
    size_t at = seed * 977 % 4096;
    int own[TASKS] = {0}, shared = 0;
    for (uint64_t i = 0; cell_count < TASKS * OWN + ZONES * SHARED; i++) {
        uint64_t r = mix(seed * 100003 + i), owner = r % (TASKS + 1);
        uint32_t bytes = (uint32_t)(8 + (r >> 8) % (r >> 32 & 1 ? 60 : CELL_MAX - 8));
        if (owner < TASKS ? own[owner] == OWN : shared == ZONES * SHARED)
            continue;
        add_cell(array + at, bytes, owner < TASKS ? (own[owner]++, (int)owner) : TASKS + shared++ % ZONES);
        at += bytes;
    }
}

static unsigned char value(const struct cell *c, uint32_t version, uint32_t i)
{
    return (unsigned char)(mix((uintptr_t)c->at + (uint64_t)version * 7919) >> 8 * (i % 8));
}

void fill(const struct cell *c, unsigned char *q, uint32_t version)
{
    for (uint32_t i = 0; i < c->bytes; i++)
        q[i] = value(c, version, i);
}

uint64_t tell_wrong(const char *what, uint64_t task, const struct cell *c, uint64_t wrong)
{
    if (wrong)
        fprintf(stderr, "open: %s: %lu bytes are wrong of the %u at %p of task %lu, seed %lu\n", what,
                (unsigned long)wrong, c->bytes, (void *)c->at, (unsigned long)task, (unsigned long)seed);
    return wrong;
}

uint64_t wrong_bytes(const char *what, uint64_t task, const struct cell *c, const unsigned char *q, uint32_t version)
{
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < c->bytes; i++)
        wrong += q[i] != value(c, version, i);
    return tell_wrong(what, task, c, wrong);
}
