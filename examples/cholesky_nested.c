/* SPDX-License-Identifier: MIT */
/*
 * Tiled Cholesky by nested flows: a flow of tasks on blocks of tiles. Each of these tasks has its own flow, and unrolls
 * the tasks on its tiles into that flow. So several workers unroll at the same time. A task on a block waits for whole
 * blocks.
 */
#include <stddef.h>

#include "examples/cholesky.h"

/* A step on blocks. Without `a` and `b`: factor c. With `a` only: solve for c with `a`. With both: c -= a b^T. */
struct step {
    tile *a, *b, *c;
    int64_t rows, columns, depth;
};

static void factor_block(uat_flow_t *f, const struct step *s)
{
    for (int64_t k = 0; k < s->rows; k++) {
        potrf_flow(f, tile_at(s->c, k, k));
        for (int64_t i = k + 1; i < s->rows; i++)
            trsm_flow(f, tile_at(s->c, k, k), tile_at(s->c, i, k));
        for (int64_t i = k + 1; i < s->rows; i++) {
            for (int64_t j = k + 1; j < i; j++)
                gemm_flow(f, tile_at(s->c, i, k), tile_at(s->c, j, k), tile_at(s->c, i, j));
            syrk_flow(f, tile_at(s->c, i, k), tile_at(s->c, i, i));
        }
    }
}

static void solve_block(uat_flow_t *f, const struct step *s)
{
    for (int64_t k = 0; k < s->columns; k++)
        for (int64_t i = 0; i < s->rows; i++) {
            trsm_flow(f, tile_at(s->a, k, k), tile_at(s->c, i, k));
            for (int64_t j = k + 1; j < s->columns; j++)
                gemm_flow(f, tile_at(s->c, i, k), tile_at(s->a, j, k), tile_at(s->c, i, j));
        }
}

static void update_block(uat_flow_t *f, const struct step *s)
{
    for (int64_t k = 0; k < s->depth; k++)
        for (int64_t i = 0; i < s->rows; i++)
            for (int64_t j = 0; j < (s->a == s->b ? i + 1 : s->columns); j++)
                if (s->a == s->b && i == j)
                    syrk_flow(f, tile_at(s->a, i, k), tile_at(s->c, i, i));
                else
                    gemm_flow(f, tile_at(s->a, i, k), tile_at(s->b, j, k), tile_at(s->c, i, j));
}

static void run_step(void *arg, const uat_flow_place_t *place)
{
    const struct step *s = arg;
    uat_flow_t f;

    (void)place;
    uat_flow_begin(&f);
    (!s->a ? factor_block : !s->b ? solve_block : update_block)(&f, s);
    uat_flow_end(&f);
}

static int64_t tiles_of(int64_t block)
{
    return cholesky_n - block * cholesky_group < cholesky_group ? cholesky_n - block * cholesky_group : cholesky_group;
}

static tile *block_at(tile *t, int64_t i, int64_t j)
{
    return tile_at(t, i * cholesky_group, j * cholesky_group);
}

static void step_flow(uat_flow_t *f, const struct step *s)
{
    const size_t row = (size_t)cholesky_group * sizeof(tile), pitch = (size_t)cholesky_n * sizeof(tile);
    uat_flow_access_t access[3] = {{s->c, UAT_FLOW_INOUT | UAT_FLOW_BELOW, (uint32_t)s->rows, row, pitch, NULL}};
    size_t count = 1;

    if (s->a)
        access[count++] =
            (uat_flow_access_t){s->a, UAT_FLOW_IN | UAT_FLOW_BELOW, (uint32_t)cholesky_group, row, pitch, NULL};
    if (s->b && s->b != s->a)
        access[count++] =
            (uat_flow_access_t){s->b, UAT_FLOW_IN | UAT_FLOW_BELOW, (uint32_t)cholesky_group, row, pitch, NULL};
    uat_flow_spawn(f, run_step, s, sizeof(*s), access, count);
}

void cholesky_by_blocks(tile *t)
{
    const int64_t blocks = (cholesky_n + cholesky_group - 1) / cholesky_group;
    uat_flow_t f;

    uat_flow_begin(&f);
    for (int64_t k = 0; k < blocks; k++) {
        step_flow(&f, &(struct step){NULL, NULL, block_at(t, k, k), tiles_of(k), tiles_of(k), 0});
        for (int64_t i = k + 1; i < blocks; i++)
            step_flow(&f, &(struct step){block_at(t, k, k), NULL, block_at(t, i, k), tiles_of(i), tiles_of(k), 0});
        for (int64_t i = k + 1; i < blocks; i++)
            for (int64_t j = k + 1; j <= i; j++)
                step_flow(&f, &(struct step){block_at(t, i, k), block_at(t, j, k), block_at(t, i, j), tiles_of(i),
                                             tiles_of(j), tiles_of(k)});
    }
    uat_flow_end(&f);
}
