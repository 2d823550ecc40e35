/* SPDX-License-Identifier: MIT */
/*
 * Description: several blocks use a cache slot in turn. The slot never writes another block's bytes home (G6). A read
 * returns what was prefetched. Rank 0 writes a few bytes into each of many far blocks that share two slots, and reads
 * the bytes of all blocks again.
 */
#include <stdio.h>
#include <string.h>

#include "uat.h"
#include "uat/global.h"

enum { BLOCKS = 32, ROUNDS = 40, BYTES = 700 };

static unsigned char value(int block, int round)
{
    return (unsigned char)(1 + (block * 37 + round * 101) % 255);
}

static int wrong;

static void check(const unsigned char *q, int block, int round)
{
    for (int i = 0; i < BYTES; i++)
        wrong += q[i] != value(block, round);
}

int main(void)
{
    if (uat_init())
        return 1;
    unsigned char *array = uat_global_alloc((size_t)uat_size() * BLOCKS * UAT_GLOBAL_BLOCK, UAT_BLOCKED, 0);
    if (!array)
        return 1;
    unsigned char *far = array + (size_t)(uat_size() - 1) * BLOCKS * UAT_GLOBAL_BLOCK + 1234;
    for (int round = 0; round < ROUNDS && uat_rank() == 0; round++) {
        for (int block = 0; block < BLOCKS; block++) {
            unsigned char *p = far + (size_t)block * UAT_GLOBAL_BLOCK;
            memset(uat_global_checkout(p, BYTES, UAT_WRITE), value(block, round), BYTES);
            uat_global_checkin(p, BYTES, UAT_WRITE);
            int other = (block + 2 * (1 + round % 5)) % BLOCKS; /* a block that uses the same slot */
            unsigned char *o = far + (size_t)other * UAT_GLOBAL_BLOCK;
            if (round > 0 && other > block) {
                if (round % 2)
                    uat_global_prefetch(o, BYTES);
                check(uat_global_checkout(o, BYTES, UAT_READ), other, round - 1);
                uat_global_checkin(o, BYTES, UAT_READ);
            }
        }
        for (int block = BLOCKS - 1; block >= 0; block--) {
            unsigned char local[BYTES];
            uat_global_get(local, far + (size_t)block * UAT_GLOBAL_BLOCK, BYTES);
            check(local, block, round);
        }
    }
    if (wrong)
        fprintf(stderr, "reuse: %d bytes are wrong\n", wrong);
    return uat_barrier() || uat_finalize() || wrong;
}
