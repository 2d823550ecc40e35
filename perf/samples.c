/* SPDX-License-Identifier: MIT */
#include "perf/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "perf/report.h"
#include "perf/tsc.h"

static const struct quantile {
    const char *ns, *cycles;
    double share;
} quantiles[] = {{"min_ns", "min_cycles", 0.0}, {"median_ns", "median_cycles", 0.5}, {"p99_ns", "p99_cycles", 0.99}};
enum { QUANTILES = sizeof(quantiles) / sizeof(quantiles[0]) };

int uat_samples_open(struct uat_samples *samples, const char *name, size_t room)
{
    *samples =
        (struct uat_samples){.name = name, .title = name, .cycles = calloc(room, sizeof(uint64_t)), .room = room};
    return samples->cycles ? 0 : -ENOMEM;
}

void uat_samples_close(struct uat_samples *samples)
{
    free(samples->cycles);
    *samples = (struct uat_samples){0};
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void uat_samples_sort(struct uat_samples *samples)
{
    if (samples->count > 0)
        qsort(samples->cycles, samples->count, sizeof(uint64_t), compare);
}

double uat_samples_quantile(const struct uat_samples *samples, double share)
{
    if (samples->count == 0)
        return 0.0;
    return (double)samples->cycles[(size_t)(share * (double)(samples->count - 1))] /
           (double)(samples->divisor ? samples->divisor : 1);
}

void uat_samples_head(const char *title)
{
    uat_report_line(title, "%10s %10s %10s   %10s %10s %10s %9s", "min ns", "median ns", "p99 ns", "min cyc",
                    "median cyc", "p99 cyc", "samples");
}

void uat_samples_report(const struct uat_samples *samples, double tsc_hz)
{
    double ns[QUANTILES], cycles[QUANTILES];

    uat_report_object(samples->name);
    uat_report_count("samples", samples->count);
    for (int i = 0; i < QUANTILES; i++) {
        cycles[i] = uat_samples_quantile(samples, quantiles[i].share);
        ns[i] = cycles[i] / tsc_hz * 1e9;
        uat_report_real(quantiles[i].ns, ns[i]);
        uat_report_real(quantiles[i].cycles, cycles[i]);
    }
    uat_report_close();
    uat_report_line(samples->title, "%10.1f %10.1f %10.1f   %10.1f %10.1f %10.1f %9zu", ns[0], ns[1], ns[2], cycles[0],
                    cycles[1], cycles[2], samples->count);
}

double uat_samples_tsc_hz(void)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    struct uat_moment begin = uat_moment_now(), end;

    if (uat_time_is_virtual()) /* a sleep does not advance virtual time */
        return 1e9;
    nanosleep(&nap, NULL);
    end = uat_moment_now();
    return (double)(end.cycles - begin.cycles) / (end.seconds - begin.seconds);
}
