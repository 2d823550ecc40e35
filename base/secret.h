/* SPDX-License-Identifier: MIT */
/* Secrets that others cannot guess. They are drawn from the kernel and compared in constant time. */
#ifndef UAT_SECRET_H
#define UAT_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 128 bits that only the workers of a job know. Before uat_secret_draw(), all bits are zero. */
struct uat_secret {
    uint64_t word[2];
};

/* Fill size bytes, at most 256, with random bits from the kernel. Returns 0 or a negative errno. The caller must report
 * the error. */
int uat_secret_draw(void *out, size_t size);

/* Are the two secrets drawn and equal? The time does not depend on where the secrets differ. */
bool uat_secret_equal(const struct uat_secret *a, const struct uat_secret *b);

#endif
