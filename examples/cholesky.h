/* SPDX-License-Identifier: MIT */
/* The data-flow tasks of uat-cholesky, one per kernel on tiles. */
#ifndef EXAMPLES_CHOLESKY_H
#define EXAMPLES_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/tiles.h"
#include "uat/dataflow.h"

/* ..._n: tiles per row of the matrix; ..._work: nanoseconds per gemm (0: compute it); ..._group: tiles per row of a
 * block of cholesky_by_blocks(). */
extern int64_t cholesky_n, cholesky_work, cholesky_group;

static inline tile *tile_at(tile *t, int64_t i, int64_t j)
{
    return &t[i * cholesky_n + j];
}

/* Instead of computing, spend simulated time. sixths: how long, in sixths of a gemm. Returns false if the kernel must
 * compute. */
static inline bool pretend(int64_t sixths)
{
    if (cholesky_work > 0)
        uat_sim_work((uint64_t)(cholesky_work * sixths / 6));
    return cholesky_work > 0;
}

UAT_FLOW_TASK(potrf, inout, tile, a)
{
    if (!pretend(1))
        tile_potrf(a);
}

UAT_FLOW_TASK(trsm, in, tile, l, inout, tile, a)
{
    if (!pretend(3))
        tile_trsm(l, a);
}

UAT_FLOW_TASK(syrk, in, tile, a, inout, tile, c)
{
    if (!pretend(3))
        tile_syrk(a, c);
}

UAT_FLOW_TASK(gemm, in, tile, a, in, tile, b, inout, tile, c)
{
    if (!pretend(6))
        tile_gemm(a, b, c);
}

/* Factor a matrix by nested flows. Call this function in a task. */
void cholesky_by_blocks(tile *t);

#endif
