/* SPDX-License-Identifier: MIT */
/* The matrix of HPCG: a cube of unknowns, each coupled to its 26 neighbours by -1 and to itself by 26. */
#ifndef UAT_STENCIL_H
#define UAT_STENCIL_H

#include <stdint.h>

enum { STENCIL_EDGE_MAX = 512 };

/*
 * Unknowns are numbered along x first, then y, then z; lines, each of one y and one z, from 0 to edge^2 - 1.
 * Some lines of up to three planes, and which line of a plane comes first in them.
 */
struct stencil_view {
    const double *plane[3]; /* in the order of z; the first is plane `z - 1`, or 0 */
    int planes;
    int own; /* the one of plane z */
    int64_t first;
};

/* The view that lines [from, to) of plane z need: its bounds, but not its places. *count: lines of each plane. */
struct stencil_view stencil_bounds(int64_t edge, int64_t z, int64_t from, int64_t to, int64_t *low_plane,
                                   int64_t *count);

/* out := A v for lines [from, to) of the view's own plane. Returns the dot product of v and out there. */
double stencil_apply(int64_t edge, const struct stencil_view *v, int64_t from, int64_t to, double *out);

/* The right-hand side of a line whose solution is 1 everywhere. */
void stencil_right_hand_side(int64_t edge, int64_t line, double *out);

#endif
