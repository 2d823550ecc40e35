/* SPDX-License-Identifier: MIT */
#include "perf/samples.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <time.h>

#include "perf/bench.h"
#include "perf/tsc.h"

static const struct quantile {
    const char *ns, *cycles;
    double share;
} quantiles[] = {{"min_ns", "min_cycles", 0.0}, {"median_ns", "median_cycles", 0.5}, {"p99_ns", "p99_cycles", 0.99}};
enum { QUANTILES = sizeof(quantiles) / sizeof(quantiles[0]) };

int uat_samples_open(struct uat_samples *samples, const char *name, size_t room)
{
    *samples = (struct uat_samples){.name = name, .cycles = calloc(room, sizeof(uint64_t)), .room = room};
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

void uat_samples_print_head(const char *first, FILE *out)
{
    fprintf(out, "  %-18s %10s %10s %10s   %10s %10s %10s %9s\n", first, "min ns", "median ns", "p99 ns", "min cyc",
            "median cyc", "p99 cyc", "samples");
}

void uat_samples_print(const struct uat_samples *samples, double tsc_hz, FILE *out)
{
    fprintf(out, "  %-18s", samples->name);
    for (int i = 0; i < QUANTILES; i++)
        fprintf(out, " %10.1f", uat_samples_quantile(samples, quantiles[i].share) / tsc_hz * 1e9);
    fprintf(out, "  ");
    for (int i = 0; i < QUANTILES; i++)
        fprintf(out, " %10.1f", uat_samples_quantile(samples, quantiles[i].share));
    fprintf(out, " %9zu\n", samples->count);
}

void uat_samples_json(const struct uat_samples *samples, double tsc_hz, json_object *object, int *status)
{
    json_object *one = json_object_new_object();

    if (one) {
        uat_bench_add(one, "samples", json_object_new_uint64(samples->count), status);
        for (int i = 0; i < QUANTILES; i++) {
            double cycles = uat_samples_quantile(samples, quantiles[i].share);

            uat_bench_add(one, quantiles[i].ns, json_object_new_double(cycles / tsc_hz * 1e9), status);
            uat_bench_add(one, quantiles[i].cycles, json_object_new_double(cycles), status);
        }
    }
    uat_bench_add(object, samples->name, one, status);
}

double uat_samples_tsc_hz(void)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    struct uat_moment begin = uat_moment_now(), end;

    nanosleep(&nap, NULL);
    end = uat_moment_now();
    return (double)(end.cycles - begin.cycles) / (end.seconds - begin.seconds);
}
