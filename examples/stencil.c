/* SPDX-License-Identifier: MIT */
#include "examples/stencil.h"

#include <string.h>

struct stencil_view stencil_bounds(int64_t edge, int64_t z, int64_t from, int64_t to, int64_t *low_plane,
                                   int64_t *count)
{
    int64_t low = z > 0 ? z - 1 : 0, high = z < edge - 1 ? z + 1 : z;
    struct stencil_view v = {.planes = (int)(high - low + 1), .own = (int)(z - low), .first = from > 0 ? from - 1 : 0};

    *low_plane = low;
    *count = (to < edge ? to + 1 : edge) - v.first;
    return v;
}

/* One line of A v. above: this line's neighbours in the planes, `lines` of them in each. */
static double apply_line(int64_t edge, const double *const *above, int planes, int64_t lines, const double *own,
                         double *out)
{
    double sum[STENCIL_EDGE_MAX + 2], dot = 0; /* over the line's neighbours at the same x, and 0 at both ends */

    memset(sum, 0, (size_t)(edge + 2) * sizeof(*sum));
    for (int k = 0; k < planes; k++)
        for (int64_t j = 0; j < lines; j++)
            for (int64_t i = 0; i < edge; i++)
                sum[i + 1] += above[k][j * edge + i];
    for (int64_t i = 0; i < edge; i++) {
        out[i] = 27 * own[i] - (sum[i] + sum[i + 1] + sum[i + 2]);
        dot += own[i] * out[i];
    }
    return dot;
}

double stencil_apply(int64_t edge, const struct stencil_view *v, int64_t from, int64_t to, double *out)
{
    const double *above[3] = {0};
    double dot = 0;

    for (int64_t y = from; y < to; y++) {
        int64_t first = y > 0 ? y - 1 : 0, last = y < edge - 1 ? y + 1 : y;
        for (int k = 0; k < v->planes; k++)
            above[k] = v->plane[k] + (first - v->first) * edge;
        dot += apply_line(edge, above, v->planes, last - first + 1, v->plane[v->own] + (y - v->first) * edge,
                          out + (y - from) * edge);
    }
    return dot;
}

/* A times ones: 27 less the number of unknowns in each one's neighbourhood, itself included. */
void stencil_right_hand_side(int64_t edge, int64_t line, double *out)
{
    int64_t z = line / edge, y = line % edge;
    int64_t near = (1 + (z > 0) + (z < edge - 1)) * (1 + (y > 0) + (y < edge - 1));

    for (int64_t i = 0; i < edge; i++)
        out[i] = (double)(27 - near * (1 + (i > 0) + (i < edge - 1)));
}
