/* SPDX-License-Identifier: MIT */
/* Counts primes, and breaks three rules: a static counter, a malloc()ed array, a pointer to a spawner's variable. */
#include <stdio.h>
#include <stdlib.h>
#include <uat.h>

static long count;

static int is_prime(int n)
{
    for (int i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return n > 1;
}

UAT_TASK_VOID(primes, int *, numbers, int, n, int *, last)
{
    if (n == 1) {
        if (is_prime(numbers[0])) {
            count++;
            *last = numbers[0];
        }
        return;
    }
    primes_task left;
    primes_spawn(&left, numbers, n / 2, last);
    primes(numbers + n / 2, n - n / 2, last);
    primes_join(&left);
}

UAT_TASK(int, start, int, n)
{
    int last = 0, *numbers = malloc((size_t)n * sizeof(int));
    for (int i = 0; i < n; i++)
        numbers[i] = i;
    primes(numbers, n, &last);
    free(numbers);
    return last;
}

int main(void)
{
    int last;
    if (uat_init() < 0 || start_run(&last, 1000) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("%ld primes, the last is %d\n", count, last);
    return uat_finalize() < 0;
}
