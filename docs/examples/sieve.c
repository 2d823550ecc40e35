/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <uat.h>
#include <uat/channel.h>
#include <uat/sync.h>

UAT_CHANNEL(long, numbers);

/* The first number that arrives is prime. A new task gets all numbers that this prime does not divide. */
UAT_TASK_VOID(filter, numbers_channel, in, numbers_channel, primes)
{
    long prime, n;
    if (numbers_receive(in, &prime) < 0) { /* the channel is closed and empty */
        numbers_close(primes);
        return;
    }
    numbers_send(primes, prime);
    numbers_channel out = numbers_create(16);
    filter_task next;
    filter_spawn(&next, out, primes);
    while (numbers_receive(in, &n) == 0)
        if (n % prime)
            numbers_send(out, n);
    numbers_close(out);
    filter_join(&next);
    numbers_destroy(out);
}

UAT_TASK_VOID(source, numbers_channel, out, long, limit)
{
    for (long n = 2; n < limit; n++)
        numbers_send(out, n);
    numbers_close(out);
}

UAT_TASK(long, last_prime, long, limit)
{
    numbers_channel all = numbers_create(16), primes = numbers_create(16);
    source_task feeder;
    filter_task first;
    long prime = 0, n;
    source_spawn(&feeder, all, limit);
    filter_spawn(&first, all, primes);
    while (numbers_receive(primes, &n) == 0)
        prime = n;
    filter_join(&first);
    source_join(&feeder);
    numbers_destroy(primes);
    numbers_destroy(all);
    return prime;
}

int main(void)
{
    long prime;
    if (uat_init() < 0 || last_prime_run(&prime, 1000) < 0)
        return 1;
    if (uat_rank() == 0)
        printf("the last prime below 1000 is %ld\n", prime);
    return uat_finalize() < 0;
}
