/* SPDX-License-Identifier: MIT */
#include "base/secret.h"

#include <errno.h>
#include <sys/random.h>

int uat_secret_draw(void *out, size_t size)
{
    ssize_t n = getrandom(out, size, 0);
    if (n == (ssize_t)size)
        return 0;
    return n < 0 ? -errno : -EIO;
}

bool uat_secret_equal(const struct uat_secret *a, const struct uat_secret *b)
{
    /* Volatile: the compiler must not skip the second word if the first word differs. */
    volatile uint64_t differ = 0;
    for (int i = 0; i < 2; i++)
        differ = differ | (a->word[i] ^ b->word[i]);
    return !differ && (a->word[0] | a->word[1]);
}
