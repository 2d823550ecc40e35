/* SPDX-License-Identifier: MIT */
/* A fast Fourier transform (Cooley and Tukey 1965), by halves. The numbers are in bit-reversed order. The answer is the
 * sum of the magnitudes. */
#ifndef UAT_SMALL_FFT_HPP
#define UAT_SMALL_FFT_HPP

#include <complex>

#include "examples/small/small.hpp"
#include "examples/splitmix.h"

namespace fft
{
using Number = std::complex<double>;

constexpr int64_t n = 1 << 16, together = 4096; /* n: all numbers; together: numbers per task */

/* Number i of the input in bit-reversed order. */
inline Number sample(int64_t i)
{
    return Number(double(splitmix(uint64_t(i)) >> 40) * 0x1p-24, 0);
}

/* One step: combine the transforms of `size` even and `size` odd numbers. This call handles elements [first, first +
 * count) of both halves. */
inline void combine(Number *even, Number *odd, int64_t first, int64_t count, int64_t size)
{
    Number step = std::polar(1.0, -M_PI / double(size)), w = std::polar(1.0, -M_PI * double(first) / double(size));
    for (int64_t i = 0; i < count; i++) {
        Number a = even[i], b = odd[i];
        Number turned(w.real() * b.real() - w.imag() * b.imag(), w.real() * b.imag() + w.imag() * b.real());
        even[i] = a + turned;
        odd[i] = a - turned;
        w = Number(w.real() * step.real() - w.imag() * step.imag(), w.real() * step.imag() + w.imag() * step.real());
    }
}

inline void transform(Number *x, int64_t size)
{
    if (size == 1)
        return;
    transform(x, size / 2);
    transform(x + size / 2, size / 2);
    combine(x, x + size / 2, 0, size / 2, size / 2);
}

inline double plain()
{
    std::vector<Number> x(n);
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        x[size_t(i)] = sample(i);
    transform(x.data(), n);
    for (Number number : x)
        sum += std::abs(number);
    return sum;
}
} // namespace fft

#endif
