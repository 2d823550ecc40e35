/* SPDX-License-Identifier: MIT */
/* The problem of uat-cg, for it and for its form with MPI: the matrix of HPCG, the steps of an iteration on a part of
 * the vectors, and the check of a solution. */
#ifndef UAT_CG_HPP
#define UAT_CG_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace cg
{
constexpr int64_t edge_max = 512; /* maximum unknowns along an edge */

inline int64_t edge = 96;
inline double tolerance = 1e-9;
inline double initial, bound; /* the squared norm of the right-hand side; the largest error that the tolerance allows */

/* An element of A times the vector of ones: 27 minus the number of unknowns in the neighbourhood, this one included. */
inline double right_hand_side(int64_t line, int64_t i)
{
    auto near = [](int64_t k) { return 1 + (k > 0) + (k < edge - 1); };
    return double(27 - near(line / edge) * near(line % edge) * near(i));
}

/*
 * Computes out := A v for lines [from, to) of a plane. v points to lines of the plane below, of the plane itself and of
 * the plane above. A pointer is null if there is no such plane. The lines are [low, high): lines [from, to), and one
 * more line on each side if there is one. Returns the dot product of v and out.
 */
inline double apply_lines(std::array<const double *, 3> v, int64_t from, int64_t to, double *out)
{
    int64_t low = std::max<int64_t>(from - 1, 0), high = std::min(to + 1, edge);
    double dot = 0, sum[edge_max + 2]; /* sums over the neighbour lines at the same x; 0 at both ends */

    for (int64_t y = from; y < to; y++, out += edge) {
        const double *own = v[1] + (y - low) * edge;
        std::fill_n(sum, edge + 2, 0);
        for (const double *plane : v)
            for (int64_t j = std::max(y - 1, low); plane && j < std::min(y + 2, high); j++)
                for (int64_t i = 0; i < edge; i++)
                    sum[i + 1] += plane[(j - low) * edge + i];
        for (int64_t i = 0; i < edge; i++) {
            out[i] = 27 * own[i] - (sum[i] + sum[i + 1] + sum[i + 2]);
            dot += own[i] * out[i];
        }
    }
    return dot;
}

/* Set x := 0, r := p := b, for the lines from `line` on. Returns the squared norm of b. */
template <class V> double start(int64_t line, V &x, V &r, V &p)
{
    double square = 0;
    for (size_t at = 0; at < x.size(); line++)
        for (int64_t i = 0; i < edge; i++, at++) {
            x[at] = 0;
            r[at] = p[at] = right_hand_side(line, i);
            square += r[at] * r[at];
        }
    return square;
}

/* Set x := x + alpha p, r := r - alpha q. Returns the squared norm of the new r. */
template <class V, class W> double step(double alpha, V &x, V &r, const W &p, const W &q)
{
    double square = 0;
    for (size_t i = 0; i < x.size(); i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        square += r[i] * r[i];
    }
    return square;
}

/* p := r + beta p. */
template <class V, class W> void turn(double beta, V &p, const W &r)
{
    for (size_t i = 0; i < p.size(); i++)
        p[i] = r[i] + beta * p[i];
}

/* The quality of a solution: the squared norm of its residual, its largest error, and the number of unknowns whose
 * error is within the bound. */
struct Check {
    double square, error;
    uint64_t right;
};

inline Check operator+(const Check &a, const Check &b)
{
    return {a.square + b.square, std::max(a.error, b.error), a.right + b.right};
}

template <class V> Check check(int64_t line, const V &x, const V &product)
{
    Check c = {};
    for (size_t at = 0; at < x.size(); line++)
        for (int64_t i = 0; i < edge; i++, at++) {
            double residual = right_hand_side(line, i) - product[at], error = std::fabs(x[at] - 1);
            c = c + Check{residual * residual, error, error <= bound};
        }
    return c;
}

/*
 * An error e has the residual A e. So |e| is at most the residual's norm divided by A's least eigenvalue. A is 27 I
 * minus the Kronecker product of three tridiagonal matrices of ones. The largest eigenvalue of such a matrix is 1 + 2
 * cos(pi / (edge + 1)). Because of rounding, the residual that the iteration updates differs from the recomputed one.
 * `slack` allows for this difference. `rounding` allows for a tolerance of 0.
 */
constexpr double slack = 10, rounding = 1e-13;

inline double error_bound()
{
    double largest = 1 + 2 * std::cos(M_PI / double(edge + 1));
    return (slack * tolerance + rounding) * std::sqrt(initial) / (27 - largest * largest * largest);
}

/* Set `initial` and `bound`, after `edge` and `tolerance`. */
inline void prepare_bound()
{
    initial = 0;
    for (int64_t line = 0; line < edge * edge; line++)
        for (int64_t i = 0; i < edge; i++)
            initial += right_hand_side(line, i) * right_hand_side(line, i);
    bound = error_bound();
}
} // namespace cg

#endif
