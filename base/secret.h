/* SPDX-License-Identifier: MIT */
/* Secrets that others must not guess: drawn from the kernel, and compared in constant time. */
#ifndef UAT_SECRET_H
#define UAT_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 128 bits that only the workers of a job know. All zero: not drawn yet. */
struct uat_secret {
    uint64_t word[2];
};

/* Fill size bytes, at most 256, with random bits of the kernel. 0, or a negative errno, which the caller reports. */
int uat_secret_draw(void *out, size_t size);

/* Whether the two secrets are equal, and drawn. The time does not depend on where they differ. */
bool uat_secret_equal(const struct uat_secret *a, const struct uat_secret *b);

#endif
