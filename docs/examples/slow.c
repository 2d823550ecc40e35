/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#ifndef GRAIN
#define GRAIN 1 /* numbers that one task tests */
#endif

static long is_prime(long n)
{
    for (long d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

UAT_TASK(long, primes, long, from, long, to)
{
    long found = 0;
    if (to - from > GRAIN) {
        primes_task left;
        primes_spawn(&left, from, from + (to - from) / 2);
        found = primes(from + (to - from) / 2, to);
        return primes_join(&left) + found;
    }
    for (long n = from; n < to; n++)
        found += is_prime(n);
    return found;
}

UAT_TASK(long, search, long, n)
{
    primes_task small;
    primes_spawn(&small, 0, n / 2);
    long large = 0;
    for (long i = n / 2; i < n; i++)
        large += is_prime(i);
    return primes_join(&small) + large;
}

int main(void)
{
    long found;
    if (uat_init() < 0 || search_run(&found, 200000) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("%ld primes\n", found);
    return uat_finalize() < 0;
}
