/* SPDX-License-Identifier: MIT */
/*
 * Description: tiles of a matrix, put and got by rows at equal distances, blocking and split-phase. The tiles are near
 * and far, of one home and of several. The local buffers are on the task's stack and on the heap. Bytes between the
 * rows must not change. Single elements are put and got by the typed functions.
 */
#include <stdio.h>
#include <stdlib.h>

#include <uat.h>
#include <uat/global.h>
#include <uat/object.h>
#include <uat/pattern.h>
#include <uat/transfer.h>

#include "tests/programs/rounds.h"

enum { LINES = 256, COLUMNS = 1024, HIGH = 16, WIDE = 64, GAP = 3, TILES = LINES / HIGH * (COLUMNS / WIDE) };

struct pair {
    int a;
    double b;
};

/* Where a tile starts, and its size. Some tiles are not full. */
struct tile {
    size_t at, lines, columns;
};

/* Tile number t. */
static struct tile tile_of(int64_t t)
{
    struct tile tile = {(size_t)(t / (COLUMNS / WIDE)) * HIGH * COLUMNS + (size_t)(t % (COLUMNS / WIDE)) * WIDE,
                        (size_t)(t * 7 % HIGH) + 1, (size_t)(t * 5 % WIDE) + 1};
    return tile;
}

static double value_of(size_t at)
{
    return (double)at * 1.5 + 1;
}

/* A buffer with room for a tile and gaps, on the stack or on the heap. */
#define BUFFER(name, t)                                                                                                \
    double name##_stack[HIGH * (WIDE + GAP)];                                                                          \
    double *name = (t) % 2 ? name##_stack : malloc(sizeof(name##_stack));

UAT_FOR(put_tile, t, double *, m)
{
    struct tile tile = tile_of(t);
    BUFFER(b, t)
    for (size_t i = 0; i < tile.lines; i++)
        for (size_t j = 0; j < WIDE + GAP; j++)
            b[i * (WIDE + GAP) + j] = value_of(tile.at + i * COLUMNS + j);
    size_t pitch = COLUMNS * sizeof(*m), local = (WIDE + GAP) * sizeof(*b), bytes = tile.columns * sizeof(*m);
    if (t % 3 == 0) {
        uat_global_put_strided(m + tile.at, pitch, b, local, bytes, tile.lines);
    } else {
        uat_global_transfer_t transfer;
        uat_global_put_strided_begin(&transfer, m + tile.at, pitch, b, local, bytes, tile.lines);
        uat_global_transfer_wait(&transfer);
    }
    if (b != b_stack)
        free(b);
}

static int is_right(const struct tile *tile, const double *b)
{
    int errors = 0;
    for (size_t i = 0; i < HIGH; i++)
        for (size_t j = 0; j < WIDE + GAP; j++) {
            size_t inside = j < WIDE && i < HIGH, put = i < tile->lines && j < tile->columns;
            double expected = !inside ? -1 : put ? value_of(tile->at + i * COLUMNS + j) : 0;
            errors += b[i * (WIDE + GAP) + j] != expected;
        }
    return errors;
}

UAT_REDUCE(int, get_tile, 0, UAT_PLUS, t, const double *, m)
{
    struct tile tile = tile_of(t);
    uat_global_transfer_t first, second;
    BUFFER(b, t)
    for (size_t i = 0; i < HIGH * (WIDE + GAP); i++)
        b[i] = -1;
    size_t pitch = COLUMNS * sizeof(*m), local = (WIDE + GAP) * sizeof(*b), half = HIGH / 2;
    if (t % 3 == 0) {
        uat_global_get_strided(b, local, m + tile.at, pitch, WIDE * sizeof(*m), HIGH);
    } else { /* two in flight, waited for in reverse order */
        uat_global_get_strided_begin(&first, b, local, m + tile.at, pitch, WIDE * sizeof(*m), half);
        uat_global_get_strided_begin(&second, b + half * (WIDE + GAP), local, m + tile.at + half * COLUMNS, pitch,
                                     WIDE * sizeof(*m), HIGH - half);
        uat_global_transfer_wait(&second);
        uat_global_transfer_wait(&first);
    }
    int errors = is_right(&tile, b);
    uat_global_get_strided(b, 0, m, 0, sizeof(*m), 1); /* one row, so its pitch is ignored */
    errors += b[0] != value_of(0);
    uat_global_get_strided(b, 1, NULL, 1, 0, 5); /* rows of 0 bytes, so no bytes are transferred */
    if (b != b_stack)
        free(b);
    return errors;
}

static int by_type(double *m)
{
    struct pair *p = UAT_GLOBAL_NEW(struct pair);
    const struct pair *same = p;
    int errors = 0;
    UAT_GLOBAL_PUT(p, (struct pair){3, 4.5});
    struct pair got = UAT_GLOBAL_GET(same);
    errors += WRONG(got.a == 3 && got.b == 4.5);
    double old = UAT_GLOBAL_GET(&m[LINES * COLUMNS - 1]);
    UAT_GLOBAL_PUT(&m[LINES * COLUMNS - 1], 7);
    errors += WRONG(UAT_GLOBAL_GET(m + LINES * COLUMNS - 1) == 7);
    UAT_GLOBAL_PUT(&m[LINES * COLUMNS - 1], old);
    uat_global_object_free(p);
    return errors;
}

UAT_TASK(int, all, double *, m)
{
    put_tile(0, TILES, m);
    return get_tile(0, TILES, m) + by_type(m);
}

int main(void)
{
    int errors = 0, wrong;
    double *m;
    if (uat_init())
        return 1;
    for (int d = 0; d < 2; d++) {
        if (!(m = uat_global_alloc((size_t)LINES * COLUMNS * sizeof(*m), d ? UAT_BLOCKED : UAT_CYCLIC, 0)))
            return 1;
        if (all_run(&wrong, m) || uat_global_free(m))
            return 1;
        errors += wrong;
    }
    if (errors && uat_rank() == 0)
        fprintf(stderr, "strided: %d errors\n", errors);
    return uat_finalize() || errors != 0;
}
